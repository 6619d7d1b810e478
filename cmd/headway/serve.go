package main

import (
	"context"
	"log/slog"
	"net"

	"github.com/spf13/cobra"

	"headway/api"
	"headway/ingest"
	"headway/internal/ops"
)

func newServe(env *environment) *cobra.Command {
	var listen string
	var withIngest bool
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve API and dashboard over an existing ClickHouse",
		Long: `Answers the API and the dashboard from the ClickHouse server of the
configuration. Any number of these may run; they keep no state. With --ingest
the same process also reads Kafka. Prints "listening URL"
at once and "ready URL" when ClickHouse can be used.`,
		Example: `  HEADWAY_CLICKHOUSE_PASSWORD=... headway serve --config headway.yaml
  headway serve --ingest --listen 127.0.0.1:8080`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			n, err := newNode(env)
			if err != nil {
				return err
			}
			if listen != "" {
				n.cfg.Listen = listen
			}
			return n.close(runServe(c.Context(), n, withIngest))
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "", "HTTP address, host:port; port 0 picks a free one (default from the configuration: 127.0.0.1:8080)")
	cmd.Flags().BoolVar(&withIngest, "ingest", false, "also read Kafka in this process")
	return cmd
}

func runServe(ctx context.Context, n *node, withIngest bool) error {
	if err := n.openStore(); err != nil {
		return err
	}
	l, err := n.listen(n.cfg.Listen)
	if err != nil {
		return err
	}
	n.parts.Push("listener", func() error { _ = l.Close(); return nil }) // the HTTP server closes it first
	producer, err := n.newProducer()
	if err != nil {
		return err
	}
	srv, err := n.newAPI(producer, "")
	if err != nil {
		return err
	}
	parts, err := n.group(l, srv, withIngest, nothingMore)
	if err != nil {
		return err
	}
	return parts.Run(ctx)
}

// newProducer returns what puts uploads on the topic.
func (n *node) newProducer() (*ingest.Producer, error) {
	if n.cfg.Kafka.UploadTopic == "" {
		return nil, usagef("kafka.upload_topic is empty: name the topic that uploads are put on")
	}
	p, err := ingest.NewProducer(n.cfg.Kafka.Brokers, kafkaSecurity(n.cfg.Kafka), n.cfg.Kafka.UploadTopic)
	if err != nil {
		return nil, usageError{err}
	}
	n.parts.Push("producer", p.Close)
	return p, nil
}

// nothingMore adds no condition to readiness.
func nothingMore(context.Context) bool { return true }

// group puts together HTTP, the ready line, readiness and, where asked,
// ingestion. more is what must be true besides for the ready line.
func (n *node) group(l net.Listener, srv *api.Server, withIngest bool, more func(context.Context) bool) (*ops.Group, error) {
	g := &ops.Group{}
	wait := []string{"clickhouse"}
	watch := func(component string, log *slog.Logger, look func(context.Context) error) {
		g.Add(func(ctx context.Context) error {
			n.health.Watch(ctx, log, component, ops.DefaultWatch(), look)
			return nil
		})
	}
	watch("clickhouse", n.log, n.store.Ping)
	if withIngest {
		in, err := n.newIngester()
		if err != nil {
			return nil, err
		}
		g.Add(in.Run)
		watch("ingest", slog.New(slog.DiscardHandler), in.Ready) // it logs its changes itself
		wait = append(wait, "ingest")
	}
	g.Add(func(ctx context.Context) error { return n.serve(ctx, l, srv.HTTPServer()) })
	if n.cfg.Hedge.Schedule.Every != "off" {
		g.Add(func(ctx context.Context) error { n.adviseOnSchedule(ctx, srv); return nil })
	}
	g.Add(func(ctx context.Context) error {
		return n.announce(ctx, l.Addr(), func() bool { return n.health.Ready(wait...) && more(ctx) })
	})
	return g, nil
}
