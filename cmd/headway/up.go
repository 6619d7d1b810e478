package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"headway/api"
	"headway/engine"
	"headway/internal/config"
	"headway/internal/sample"
)

type upFlags struct {
	dataDir, listen, kafkaListen string
	sample                       bool
}

func newUp(env *environment) *cobra.Command {
	var f upFlags
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Start everything on this machine, with sample data",
		Long: `Starts a Kafka-protocol broker, a real ClickHouse, the ingester, the API and the
dashboard on loopback, and prints "ready URL" when the page can be used. Data
stays in --data-dir over restarts. Without --sample=false a new data directory
is filled with public first-token times of real providers (thefastest.ai, April
2024, moved to the last days), and a small synthetic live stream runs.

The broker is made for laptops; in production use Apache Kafka and a ClickHouse
server with headway serve and headway ingest.`,
		Example: `  headway up
  headway up --data-dir ./data --listen 127.0.0.1:0 --kafka-listen 127.0.0.1:9092 --sample=false`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			n, err := newNode(env)
			if err != nil {
				return err
			}
			return n.close(runUp(c.Context(), n, f))
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.dataDir, "data-dir", "", "folder for broker and database (default from the configuration, else $XDG_DATA_HOME/headway)")
	fl.StringVar(&f.listen, "listen", "", "HTTP address, host:port; port 0 picks a free one (default 127.0.0.1:8080)")
	fl.StringVar(&f.kafkaListen, "kafka-listen", "127.0.0.1:0", "Kafka address, host:port; port 0 picks a free one")
	fl.BoolVar(&f.sample, "sample", true, "fill a new data directory with sample data and run a small live stream")
	return cmd
}

// upPartitions is how many partitions the embedded broker's topics get.
const upPartitions = 4

func runUp(ctx context.Context, n *node, f upFlags) error {
	if f.listen != "" {
		n.cfg.Listen = f.listen
	}
	dir, err := dataDir(n, f.dataDir)
	if err != nil {
		return err
	}
	l, err := n.listen(n.cfg.Listen)
	if err != nil {
		return err
	}
	n.parts.Push("listener", func() error { _ = l.Close(); return nil }) // the HTTP server closes it first
	if err := n.startEngines(ctx, dir, f.kafkaListen); err != nil {
		return err
	}
	producer, err := n.newProducer()
	if err != nil {
		return err
	}
	notice, loaded := "", int64(0)
	if f.sample {
		notice = sample.Notice
		if loaded, err = n.loadSample(ctx, producer, filepath.Join(dir, "sample-loaded")); err != nil {
			return err
		}
	}
	srv, err := n.newAPI(producer, notice)
	if err != nil {
		return err
	}
	parts, err := n.group(l, srv, true, func(ctx context.Context) bool { return n.holds(ctx, loaded) })
	if err != nil {
		return err
	}
	parts.Add(n.watchEngine)
	if f.sample {
		parts.Add(func(ctx context.Context) error { return n.live(ctx, producer) })
	}
	return parts.Run(ctx)
}

// watchEngine says at once when the embedded engine dies, and fails when it
// is down for good. Whether it serves again is for the usual watch to see.
func (n *node) watchEngine(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-n.engine.Down():
		}
		n.health.Set("clickhouse", false, "the embedded engine ended and is started again; nothing needs to be done")
		if err := n.engine.Ready(ctx); err != nil && ctx.Err() == nil {
			return err
		}
	}
}

// holds reports whether at least so many rows of the upload topic are stored.
func (n *node) holds(ctx context.Context, rows int64) bool {
	if rows == 0 {
		return true
	}
	stored, err := n.store.Stored(ctx, n.cfg.Kafka.UploadTopic)
	if err != nil {
		return false
	}
	for _, s := range stored {
		rows -= s.Rows + s.Rejected
	}
	return rows <= 0
}

func dataDir(n *node, flag string) (string, error) {
	dir := flag
	if dir == "" {
		dir = n.cfg.DataDir
	}
	if dir == "" {
		home := n.env.getenv("XDG_DATA_HOME")
		if home == "" {
			user, err := os.UserHomeDir()
			if err != nil {
				return "", usagef("no home folder is known (%w): name a folder with --data-dir", err)
			}
			home = filepath.Join(user, ".local", "share")
		}
		dir = filepath.Join(home, "headway")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("making the data directory: %w; choose a writable one with --data-dir", err)
	}
	return dir, nil
}

// startEngines starts broker and database side by side, points the
// configuration at them, and migrates.
func (n *node) startEngines(ctx context.Context, dir, kafkaListen string) error {
	if err := config.CheckAddress(kafkaListen); err != nil {
		return usagef("--kafka-listen %w", err)
	}
	host, portText, _ := net.SplitHostPort(kafkaListen) // checked above
	if !api.Loopback(host) {
		return usagef("--kafka-listen %s: the embedded broker asks nobody who they are, so it listens on loopback only; use Apache Kafka for other machines", kafkaListen)
	}
	port, _ := strconv.Atoi(portText)
	broker, err := engine.StartBroker(ctx, engine.BrokerOptions{
		DataDir: filepath.Join(dir, "kafka"), Host: host, Port: port,
		Topics: topicsOf(n.cfg.Kafka.Topics), Logger: n.log,
	})
	if err != nil {
		return err
	}
	n.parts.Push("broker", broker.Close)
	db, err := engine.StartClickHouse(ctx, engine.Options{DataDir: filepath.Join(dir, "clickhouse"), Logger: n.log})
	if err != nil {
		return err
	}
	n.parts.Push("database", db.Close)
	n.engine = db
	n.cfg.Kafka.Brokers = []string{broker.Addr()}
	n.cfg.Kafka.TLS, n.cfg.Kafka.SASL = config.KafkaTLS{}, config.SASL{} // the embedded broker has neither
	n.cfg.ClickHouse = config.ClickHouse{Addr: db.NativeAddr(), User: db.User(), Password: db.Password(),
		Database: db.Database(), RetentionDays: n.cfg.ClickHouse.RetentionDays}
	if err := n.openStore(); err != nil {
		return err
	}
	if _, err := n.store.Migrate(ctx); err != nil {
		return err
	}
	fmt.Fprintf(n.env.std.out, "kafka %s topic %s\n", broker.Addr(), n.cfg.Kafka.UploadTopic)
	return nil
}

func topicsOf(configured []config.Topic) []engine.Topic {
	var out []engine.Topic
	for _, t := range configured {
		out = append(out, engine.Topic{Name: t.Name, Partitions: upPartitions})
	}
	return out
}
