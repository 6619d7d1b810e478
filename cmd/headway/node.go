package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"headway/api"
	"headway/classify"
	"headway/engine"
	"headway/hedge"
	"headway/ingest"
	"headway/internal/config"
	"headway/internal/ops"
	"headway/query"
	"headway/schema"
	"headway/store"
	"headway/web"
)

// node is one process of Headway: its configuration and the parts it started.
type node struct {
	env     *environment
	cfg     config.Config
	log     *slog.Logger
	metrics *prometheus.Registry
	health  *ops.Health
	parts   ops.Stack
	store   *store.Store
	engine  *engine.ClickHouse // the embedded one; nil elsewhere
}

// newNode loads the configuration and prepares logs and metrics.
func newNode(env *environment) (*node, error) {
	cfg, err := config.Load(env.configPath, env.getenv)
	if err != nil {
		return nil, usageError{err}
	}
	if env.logLevel != "" {
		cfg.Log.Level = env.logLevel
	}
	log, err := ops.NewLogger(env.std.err, cfg.Log.Level, cfg.Log.Format)
	if err != nil {
		return nil, usageError{err}
	}
	return &node{env: env, cfg: cfg, log: log, metrics: ops.NewRegistry(), health: ops.NewHealth(time.Now)}, nil
}

// close stops every part in reverse order and joins what went wrong to err.
func (n *node) close(err error) error { return errors.Join(err, n.parts.Close()) }

// openStore prepares the database client; it connects to nothing yet.
func (n *node) openStore() error {
	c := n.cfg
	st, err := store.Open(store.Config{
		Addr: c.ClickHouse.Addr, User: c.ClickHouse.User, Password: c.ClickHouse.Password, Database: c.ClickHouse.Database,
		TLS: c.ClickHouse.TLS, Cluster: c.ClickHouse.Cluster,
		Retention: time.Duration(c.ClickHouse.RetentionDays) * 24 * time.Hour,
		Limits:    store.Limits{Time: c.Query.Timeout, Rows: c.Query.MaxRows, MemoryMiB: int64(c.Query.MaxMemoryMB), Values: c.Query.MaxValues},
		Principal: api.Principal, Version: ops.Version(), Quantile: kaplanMeier,
	})
	if err != nil {
		return usageError{err}
	}
	n.store = st
	n.parts.Push("database client", st.Close)
	return nil
}

// kaplanMeier lends the store the one quantile rule for censored values.
func kaplanMeier(w query.Waits, q float64) (micros float64, ok bool) {
	waits := make([]hedge.Wait, len(w.Micros))
	for i := range waits {
		waits[i] = hedge.Wait{Micros: w.Micros[i], Censored: w.Censored[i]}
	}
	p := hedge.NewDistribution(waits).Quantile(q)
	return p.Micros, p.Reached
}

// announceEvery is how often readiness is looked at before the ready line.
const announceEvery = 50 * time.Millisecond

// announce says where HTTP is answered, and once ready is true that it can be
// used. It waits as long as that takes; the log says what is waited for. It
// returns when ctx ends.
func (n *node) announce(ctx context.Context, addr net.Addr, ready func() bool) error {
	fmt.Fprintf(n.env.std.out, "listening http://%s\n", addr)
	for !ready() {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(announceEvery):
		}
	}
	fmt.Fprintf(n.env.std.out, "ready http://%s\n", addr)
	<-ctx.Done()
	return nil
}

// components lends the node's health to the API.
type components struct{ health *ops.Health }

func (c components) Components() []api.ComponentState {
	var out []api.ComponentState
	for _, s := range c.health.States() {
		out = append(out, api.ComponentState{Component: s.Component, Ready: s.Ready, Reason: s.Reason, Since: s.Since})
	}
	return out
}

// newAPI returns the HTTP server over the node's store; uploads may be nil.
func (n *node) newAPI(uploads api.Producer, notice string) (*api.Server, error) {
	judge, err := classify.New(n.cfg.Classify)
	if err != nil {
		return nil, usageError{err}
	}
	limits, records := api.DefaultLimits(), api.DefaultRecordLimits()
	limits.Concurrency, limits.Timeout = n.cfg.Query.Concurrency, n.cfg.Query.Timeout
	records.MaxRecord, records.Content = n.cfg.Records.MaxBytes, schema.ContentMode(n.cfg.Records.Content)
	records.Retention = time.Duration(n.cfg.ClickHouse.RetentionDays) * 24 * time.Hour
	srv, err := api.New(api.Options{
		Times: n.store, Waits: n.store, Hedges: n.store, Advices: n.store, Requests: n.store, Quality: n.store,
		Classifier: judge, Components: components{n.health}, Verifier: verifier{n}, Uploads: uploads,
		Fields: schema.NewRegistry(), Sources: schema.NewSources(), Metrics: n.metrics, Web: web.Files(), Log: n.log,
		Now: time.Now, NewID: newID, Version: ops.Version(), DefaultMetric: n.cfg.Query.Metric, Notice: notice,
		Limits: limits, Records: records, Hedge: hedgeSettings(n.cfg.Hedge), Access: access(n.cfg.Access),
	})
	if err != nil {
		return nil, usageError{err}
	}
	return srv, nil
}

func access(a config.Access) api.Access {
	out := api.Access{Hosts: a.Hosts}
	for _, t := range a.Tokens {
		out.Tokens = append(out.Tokens, api.Token{Name: t.Name, Hash: t.Hash, Role: api.Role(t.Role)})
	}
	return out
}

// listen takes the HTTP address, refusing one that is open to others without
// tokens.
func (n *node) listen(addr string) (net.Listener, error) {
	if err := config.CheckAddress(addr); err != nil {
		return nil, usagef("--listen %w", err)
	}
	if err := api.CheckListen(addr, access(n.cfg.Access)); err != nil {
		return nil, usageError{err}
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listening on %s: %w; choose another port with --listen, or 0 for a free one", addr, err)
	}
	return l, nil
}

// shutdownWithin is how long open requests may take to end.
const shutdownWithin = 5 * time.Second

// serve answers HTTP on l until ctx ends.
func (n *node) serve(ctx context.Context, l net.Listener, h *http.Server) error {
	stopping, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	h.BaseContext = func(net.Listener) context.Context { return stopping }
	failed := make(chan error, 1)
	go func() { failed <- h.Serve(l) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serving HTTP on %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownWithin)
	defer cancel()
	if err := h.Shutdown(within); err != nil {
		n.log.Warn("requests that were still open are cut off", "after", shutdownWithin)
		stop()
		return h.Close()
	}
	return nil
}

// decodeConfig is what all decoders of ingestion share.
func (n *node) decodeConfig() schema.Config {
	return schema.Config{MaxBytes: n.cfg.Records.MaxBytes, NewID: newID, Content: schema.ContentMode(n.cfg.Records.Content),
		Retention: time.Duration(n.cfg.ClickHouse.RetentionDays) * 24 * time.Hour}
}

func kafkaSecurity(k config.Kafka) ingest.Security {
	return ingest.Security{TLS: k.TLS.Enabled, CAFile: k.TLS.CAFile, CertFile: k.TLS.CertFile, KeyFile: k.TLS.KeyFile, ServerName: k.TLS.ServerName,
		Mechanism: k.SASL.Mechanism, Username: k.SASL.Username, Password: k.SASL.ReadPassword}
}

// newIngester prepares the consumer; it connects to nothing yet.
func (n *node) newIngester() (*ingest.Ingester, error) {
	if n.cfg.ClickHouse.Cluster != "" {
		return nil, usagef("clickhouse.cluster %s: ingestion into several shards is not built yet, and would store rows twice after a change of owner; let every ingester write to one node without clickhouse.cluster", n.cfg.ClickHouse.Cluster)
	}
	judge, err := classify.New(n.cfg.Classify)
	if err != nil {
		return nil, usageError{err}
	}
	var topics []ingest.Topic
	for _, t := range n.cfg.Kafka.Topics {
		topics = append(topics, ingest.Topic{Name: t.Name, Source: t.Source})
	}
	in, err := ingest.New(ingest.Config{
		Brokers: n.cfg.Kafka.Brokers, Security: kafkaSecurity(n.cfg.Kafka), Group: n.cfg.Kafka.Group, Topics: topics,
		BatchRows: n.cfg.Ingest.BatchRows, BatchAge: n.cfg.Ingest.BatchAge,
		MemoryBytes: int64(n.cfg.Ingest.MemoryMB) << 20,
		// Three heartbeats fit a session, so that two may be lost.
		Session: n.cfg.Kafka.SessionTimeout, Heartbeat: n.cfg.Kafka.SessionTimeout * 3 / 10, Rebalance: n.cfg.Kafka.SessionTimeout,
		Decode:      n.decodeConfig(),
		DailyModels: n.cfg.Records.DailyModels, DailyChannels: n.cfg.Records.DailyChannels,
	}, ingest.Deps{Sink: landing{n.store}, Classifier: judge, Metrics: n.metrics, Log: n.log, Now: time.Now})
	if err != nil {
		return nil, usageError{err}
	}
	return in, nil
}
