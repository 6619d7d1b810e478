package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"headway/ingest"
	"headway/internal/config"
	"headway/internal/synth"
	"headway/query"
	"headway/schema"
)

type genFlags struct {
	records            int64
	rate               float64
	seed               uint64
	from, to           string
	incident, severity string
	truth, out         string
	list               bool
}

func newGen(env *environment) *cobra.Command {
	var f genFlags
	cmd := &cobra.Command{
		Use:   "gen",
		Short: "Make synthetic records, with planted incidents and their truth",
		Long: `Makes records of an invented fleet: several gateways, models, routes and
channels with different tails, the rhythm of day and week, prompts of all
lengths, stages that add up, failures, hedges and cancels. The same seed makes
the same records. An incident can be planted; the truth file says which stage,
dimension and label it moved.

--out takes a file (.gz compresses), - for standard output, or
kafka://HOST:PORT/TOPIC; TLS and user for it are kafka.tls and kafka.sasl of
the configuration.`,
		Example: `  headway gen --records 100000 --seed 7 --from now-7d --to now --out records.ndjson.gz
  headway gen --rate 50 --from now-6h --incident slow_decode --truth truth.json --out kafka://127.0.0.1:9092/llm-timing
  headway gen --list-incidents`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if c.Flags().Changed("severity") && f.incident == "" {
				return usagef("--severity needs an --incident")
			}
			return runGen(c.Context(), env, f)
		},
	}
	fl := cmd.Flags()
	fl.Int64Var(&f.records, "records", 0, "how many records (attempts) to make")
	fl.Float64Var(&f.rate, "rate", 0, "mean records a second, instead of --records")
	fl.Uint64Var(&f.seed, "seed", 1, "seed; the same one makes the same records")
	fl.StringVar(&f.from, "from", "now-1h", "start, inclusive: now-7d, RFC 3339 or epoch ms")
	fl.StringVar(&f.to, "to", "now", "end, exclusive")
	fl.StringVar(&f.incident, "incident", "", "kind of incident to plant (see --list-incidents)")
	fl.StringVar(&f.severity, "severity", "clear", "clear or mild")
	fl.StringVar(&f.truth, "truth", "", "file for the truth as JSON: incident, from, to, stage, dimension, value, label")
	fl.StringVar(&f.out, "out", "-", "file, - or kafka://HOST:PORT/TOPIC")
	fl.BoolVar(&f.list, "list-incidents", false, "list the kinds of incident and stop")
	return cmd
}

func runGen(ctx context.Context, env *environment, f genFlags) error {
	if f.list {
		return listIncidents(env.std.out)
	}
	if f.records > 0 && f.rate > 0 {
		return usagef("give --records or --rate, not both")
	}
	w, err := query.Selection{From: f.from, To: f.to}.Resolve(time.Now())
	if err != nil {
		return usageError{err}
	}
	g, err := synth.New(synth.Config{Seed: f.seed, From: w.From, To: w.To, N: f.records, Rate: f.rate,
		Incident: f.incident, Severity: synth.Severity(f.severity)})
	if err != nil {
		return usageError{err}
	}
	sink, err := openSink(env, f.out)
	if err != nil {
		return err
	}
	if err := writeAll(ctx, g, sink); err != nil {
		return errors.Join(err, sink.Close())
	}
	if err := sink.Close(); err != nil {
		return err
	}
	return writeTruth(f.truth, g.Truth())
}

func listIncidents(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for _, i := range synth.Incidents() {
		fmt.Fprintf(tw, "%s\t%s\n", i.Name, i.Doc)
	}
	return tw.Flush()
}

func writeTruth(path string, t synth.Truth) error {
	if path == "" {
		return nil
	}
	raw, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the truth: %w", err)
	}
	if err := os.WriteFile(path, append(raw, '\n'), 0o644); err != nil {
		return fmt.Errorf("writing the truth: %w; name a writable file with --truth", err)
	}
	return nil
}

// sink takes generated records.
type sink interface {
	// Put takes one record, which may change afterwards.
	Put(ctx context.Context, r *schema.Record) error
	// Close makes everything put so far safe.
	Close() error
}

func writeAll(ctx context.Context, g *synth.Generator, to sink) error {
	for r := range g.All() {
		if err := to.Put(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// asGateway appends a generated record as a gateway would send it: without
// the flags that only a decoder can give.
func asGateway(dst []byte, r *schema.Record) []byte {
	r.Flags = nil
	return schema.AppendJSON(dst, r)
}

func openSink(env *environment, out string) (sink, error) {
	if strings.HasPrefix(out, "kafka://") {
		return openTopic(env, out)
	}
	if out == "-" {
		return newLines(env.std.out, func() error { return nil }, false), nil
	}
	f, err := os.Create(out)
	if err != nil {
		return nil, fmt.Errorf("creating the output: %w; name a writable file with --out", err)
	}
	return newLines(f, f.Close, strings.HasSuffix(out, ".gz")), nil
}

// lines writes one JSON object a line.
type lines struct {
	w     *bufio.Writer
	zip   *gzip.Writer
	close func() error
	buf   []byte
}

func newLines(w io.Writer, closeFile func() error, zip bool) *lines {
	l := &lines{close: closeFile}
	if zip {
		l.zip = gzip.NewWriter(w)
		w = l.zip
	}
	l.w = bufio.NewWriterSize(w, 1<<20)
	return l
}

func (l *lines) Put(ctx context.Context, r *schema.Record) error {
	l.buf = append(asGateway(l.buf[:0], r), '\n')
	if _, err := l.w.Write(l.buf); err != nil {
		return fmt.Errorf("writing records: %w", err)
	}
	return ctx.Err()
}

func (l *lines) Close() error {
	errs := []error{l.w.Flush()}
	if l.zip != nil {
		errs = append(errs, l.zip.Close())
	}
	if err := errors.Join(append(errs, l.close())...); err != nil {
		return fmt.Errorf("writing records: %w", err)
	}
	return nil
}

// topicChunk is how many records go to the broker in one call.
const topicChunk = 10_000

// topic sends records to Kafka in chunks.
type topic struct {
	producer *ingest.Producer
	pending  [][]byte
}

// openTopic connects as the configuration says, to the broker that out names.
func openTopic(env *environment, out string) (*topic, error) {
	u, err := url.Parse(out)
	if err != nil || u.Host == "" || len(u.Path) < 2 || strings.Contains(u.Path[1:], "/") {
		return nil, usagef("--out %q: write kafka://HOST:PORT/TOPIC", out)
	}
	cfg, err := config.LoadKafka(env.configPath, env.getenv, u.Host)
	if err != nil {
		return nil, usageError{err}
	}
	p, err := ingest.NewProducer(cfg.Brokers, kafkaSecurity(cfg), u.Path[1:])
	if err != nil {
		return nil, usageError{err}
	}
	return &topic{producer: p}, nil
}

func (t *topic) Put(ctx context.Context, r *schema.Record) error {
	t.pending = append(t.pending, asGateway(nil, r))
	if len(t.pending) < topicChunk {
		return nil
	}
	return t.flush(ctx)
}

func (t *topic) flush(ctx context.Context) error {
	err := t.producer.Produce(ctx, t.pending)
	t.pending = t.pending[:0]
	return err
}

func (t *topic) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return errors.Join(t.flush(ctx), t.producer.Close())
}
