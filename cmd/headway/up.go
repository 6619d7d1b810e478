package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"headway/engine"
	"headway/ingest"
	"headway/internal/config"
	"headway/internal/intake"
	"headway/internal/sample"
	"headway/internal/synth"
	"headway/schema"
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
	notice := ""
	if f.sample {
		notice = sample.Notice
		if err := n.loadSample(ctx, producer, filepath.Join(dir, "sample-loaded")); err != nil {
			return err
		}
	}
	srv, err := n.newAPI(producer, notice)
	if err != nil {
		return err
	}
	if f.sample {
		go n.live(ctx, producer)
	}
	return n.together(ctx, true, func(ctx context.Context) error {
		go n.announce(ctx, l.Addr())
		return n.serve(ctx, l, srv.HTTPServer())
	})
}

// announce prints the ready line once every part is ready. A part that isn't
// in readyWithin has said why in the log; the page can be used all the same.
func (n *node) announce(ctx context.Context, addr net.Addr) {
	waiting, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	for !n.health.Ready("clickhouse", "ingest") && waiting.Err() == nil {
		select {
		case <-waiting.Done():
		case <-time.After(watchIll):
		}
	}
	if ctx.Err() == nil {
		fmt.Fprintf(n.env.std.out, "ready http://%s\n", addr)
	}
}

// readyWithin is how long the ready line waits for the parts.
const readyWithin = 30 * time.Second

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
	host, portText, err := net.SplitHostPort(kafkaListen)
	if err != nil {
		return usagef("--kafka-listen %q: write host:port, for example 127.0.0.1:9092", kafkaListen)
	}
	port, err := strconv.Atoi(portText)
	if err != nil {
		return usagef("--kafka-listen %q: the port is not a number", kafkaListen)
	}
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
	n.cfg.Kafka.Brokers = []string{broker.Addr()}
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

// sampleHistory is how much of the synthetic stream's past a new data
// directory gets, so that time charts and baselines have something to show.
const (
	sampleHistory = 8 * 24 * time.Hour
	sampleRate    = 0.1 // requests a second, past and live
	sampleSeed    = 20261130
)

// loadSample puts the sample on the topic once in a data directory's life;
// mark is the file that remembers it.
func (n *node) loadSample(ctx context.Context, to *ingest.Producer, mark string) error {
	if _, err := os.Stat(mark); err == nil {
		return nil
	}
	now := time.Now().UTC()
	records, err := fastestRecords(now)
	if err != nil {
		return err
	}
	if err := to.Produce(ctx, records); err != nil {
		return err
	}
	history, err := historyRecords(now)
	if err != nil {
		return err
	}
	if err := to.Produce(ctx, history); err != nil {
		return err
	}
	n.log.Info("sample data loaded", "real", len(records), "synthetic", len(history), "note", sample.Notice)
	if err := os.WriteFile(mark, []byte(now.Format(time.RFC3339)+"\n"), 0o600); err != nil {
		return fmt.Errorf("noting that the sample is loaded: %w", err)
	}
	return nil
}

// fastestRecords returns the embedded public data as canonical records, moved
// so that its newest row is now.
func fastestRecords(now time.Time) ([][]byte, error) {
	newest := time.Time{}
	read := func(shift time.Duration, do func(*schema.Record)) error {
		dec, err := newDecoder(sample.Source, func(c *schema.Config) {
			c.Shift = shift
			if shift == 0 {
				c.Retention = schema.KeepForever
			}
		})
		if err != nil {
			return err
		}
		input := intake.Input{Name: "sample", Reader: bytes.NewReader(sample.TheFastest), Format: schema.FormatCSV, Decoder: dec, Now: now}
		return input.Each(func(i intake.Item) error {
			if i.Record != nil {
				do(i.Record)
			}
			return nil
		})
	}
	err := read(0, func(r *schema.Record) {
		if r.CreatedAt.After(newest) {
			newest = r.CreatedAt
		}
	})
	if err != nil {
		return nil, err
	}
	var out [][]byte
	err = read(schema.ShiftToNow(newest, now), func(r *schema.Record) { out = append(out, schema.AppendJSON(nil, r)) })
	return out, err
}

func historyRecords(now time.Time) ([][]byte, error) {
	g, err := synth.New(synth.Config{Seed: sampleSeed, From: now.Add(-sampleHistory), To: now, Rate: sampleRate})
	if err != nil {
		return nil, err
	}
	var out [][]byte
	for r := range g.All() {
		out = append(out, schema.AppendJSON(nil, r))
	}
	return out, nil
}

// live runs the small synthetic stream until ctx ends.
func (n *node) live(ctx context.Context, to *ingest.Producer) {
	err := synth.Live(ctx, sampleRate, sampleSeed+1, synth.WallClock{}, func(r *schema.Record) error {
		return to.Produce(ctx, [][]byte{schema.AppendJSON(nil, r)})
	})
	if err != nil && ctx.Err() == nil {
		n.log.Error("the live sample stopped", "error", err)
	}
}
