package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"headway/internal/client"
	"headway/query"
)

type verifyFlags struct {
	kafka, topic, group, server, output string
	limit                               int
	wait, timeout                       time.Duration
}

func newVerify(env *environment) *cobra.Command {
	var f verifyFlags
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Prove that every message of a topic became exactly one row or reject",
		Long: `Compares the offsets of a Kafka topic with the rows, rejects and recorded
losses in ClickHouse, and names what is missing or doubled. Offsets that hold no
message (transaction markers, aborted transactions, compaction), messages older
than the retention and what the consumer group has not committed yet are counted
apart. It reads only.

With --config, or with HEADWAY_CLICKHOUSE_ADDR or HEADWAY_CLICKHOUSE_PASSWORD
set, it goes to Kafka and ClickHouse itself; otherwise, or with --server, it asks
a running server (headway up, serve, ingest), whose limit is query.timeout.

Exit codes: 0 nothing missing or doubled, 1 something is, 2 called wrongly,
3 it could not be found out.`,
		Example: `  headway verify --topic llm-timing
  headway verify --kafka 127.0.0.1:9092 --topic llm-timing -o json
  headway verify --config headway.yaml --topic llm-timing --wait 1m`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runVerify(c.Context(), env, f) },
	}
	fl := cmd.Flags()
	addClientFlags(cmd, &f.server)
	fl.StringVar(&f.kafka, "kafka", "", "brokers, host:port separated by commas (default: those of the configuration or of the server)")
	fl.StringVar(&f.topic, "topic", "", "Kafka topic (needed)")
	fl.StringVar(&f.group, "group", "", "consumer group of headway ingest (default: that of the configuration or of the server)")
	fl.StringVarP(&f.output, "output", "o", "table", "table or json")
	fl.IntVar(&f.limit, "limit", query.VerifyLimit, "largest number of ranges to list of missing and of doubled")
	fl.DurationVar(&f.wait, "wait", 0, "wait so long until nothing waits to be ingested")
	fl.DurationVar(&f.timeout, "timeout", 10*time.Minute, "longest time for one comparison")
	return cmd
}

func (f verifyFlags) validate() error {
	switch {
	case f.topic == "":
		return usagef("--topic is missing: name the Kafka topic to verify, for example --topic llm-timing")
	case f.output != "table" && f.output != "json":
		return usagef("output %q: use table or json", f.output)
	case f.limit < 1 || f.limit > query.MaxVerifyLimit:
		return usagef("--limit %d: choose 1 to %d", f.limit, query.MaxVerifyLimit)
	case f.wait < 0 || f.timeout <= 0:
		return usagef("--wait %s and --timeout %s: choose 0 or more to wait, and a time-out above 0", f.wait, f.timeout)
	}
	return nil
}

func runVerify(ctx context.Context, env *environment, f verifyFlags) error {
	if err := f.validate(); err != nil {
		return err
	}
	compare, done, err := f.way(env)
	if err != nil {
		return err
	}
	v, err := f.settled(ctx, compare)
	if err := done(err); err != nil {
		var usage usageError
		if errors.As(err, &usage) {
			return err
		}
		return unknownError{err}
	}
	if err := f.print(env.std, v); err != nil {
		return err
	}
	if !v.Clean() {
		return fmt.Errorf("%d messages of %s are missing and %d offsets are doubled; docs/operating.md says under headway verify what to do", v.MissingMessages, f.topic, v.DoubledMessages)
	}
	return nil
}

// comparing answers once.
type comparing func(context.Context) (query.Verification, error)

// way chooses between a server and the configuration; done ends what was
// opened.
func (f verifyFlags) way(env *environment) (c comparing, done func(error) error, err error) {
	own := env.configPath != "" || env.getenv("HEADWAY_CLICKHOUSE_ADDR") != "" || env.getenv("HEADWAY_CLICKHOUSE_PASSWORD") != "" ||
		env.getenv("HEADWAY_CLICKHOUSE_PASSWORD_FILE") != ""
	if f.server != "" || !own {
		c, err := f.remote(env)
		return c, func(err error) error { return err }, err
	}
	n, err := newNode(env)
	if err != nil {
		return nil, nil, err
	}
	if f.kafka != "" {
		n.cfg.Kafka.Brokers = strings.Split(f.kafka, ",")
	}
	if f.group != "" {
		n.cfg.Kafka.Group = f.group
	}
	if err := n.openStore(); err != nil {
		return nil, nil, err
	}
	return func(ctx context.Context) (query.Verification, error) {
		return verifier{n}.Verify(ctx, query.Verify{Topic: f.topic, Limit: f.limit})
	}, n.close, nil
}

// remote asks a server.
func (f verifyFlags) remote(env *environment) (comparing, error) {
	cl, err := client.New(serverOf(env, f.server), env.getenv("HEADWAY_TOKEN"), f.timeout)
	if err != nil {
		return nil, usageError{err}
	}
	params := url.Values{"topic": {f.topic}, "limit": {strconv.Itoa(f.limit)}}
	return func(ctx context.Context) (query.Verification, error) {
		var v query.Verification
		answer, err := cl.Get(ctx, "verify", params, "application/json")
		if err != nil {
			return v, asUsage(err)
		}
		defer answer.Body.Close()
		if err := json.NewDecoder(answer.Body).Decode(&v); err != nil {
			return v, fmt.Errorf("reading the answer: %w", err)
		}
		return v, f.sameSource(v)
	}, nil
}

// sameSource refuses an answer about another cluster or group than was asked
// about.
func (f verifyFlags) sameSource(v query.Verification) error {
	for _, addr := range strings.Split(f.kafka, ",") {
		if f.kafka != "" && !slices.Contains(v.Brokers, loopback(addr)) && !slices.Contains(v.Brokers, addr) {
			return usagef("the server reads Kafka at %s, not at %s: leave --kafka out, name that server with --server, or use --config to go there yourself", strings.Join(v.Brokers, ", "), addr)
		}
	}
	if f.group != "" && f.group != v.Group {
		return usagef("the server's consumer group is %s, not %s: leave --group out, or use --config", v.Group, f.group)
	}
	return nil
}

// loopback writes localhost as the address that headway up prints.
func loopback(addr string) string {
	if port, ok := strings.CutPrefix(addr, "localhost:"); ok {
		return "127.0.0.1:" + port
	}
	return addr
}

// settled repeats a comparison until nothing waits, or f.wait is over.
func (f verifyFlags) settled(ctx context.Context, compare comparing) (query.Verification, error) {
	const every = 500 * time.Millisecond
	until := time.Now().Add(f.wait)
	for {
		once, cancel := context.WithTimeout(ctx, f.timeout)
		v, err := compare(once)
		cancel()
		if err != nil || v.Waiting == 0 || time.Now().Add(every).After(until) {
			return v, err
		}
		select {
		case <-ctx.Done():
			return v, ctx.Err()
		case <-time.After(every):
		}
	}
}

func (f verifyFlags) print(std streams, v query.Verification) error {
	for _, w := range v.Warnings {
		fmt.Fprintf(std.err, "warning: %s\n", w)
	}
	if f.output == "json" {
		e := json.NewEncoder(std.out)
		e.SetIndent("", "  ")
		return e.Encode(v)
	}
	if err := verifyTable(std.out, v); err != nil {
		return err
	}
	if v.Waiting > 0 {
		fmt.Fprintf(std.err, "%d offsets are not ingested yet and were not compared; --wait 1m waits for them\n", v.Waiting)
	}
	if v.Truncated {
		fmt.Fprintf(std.err, "more ranges than are listed; raise --limit\n")
	}
	return nil
}

// verifyTable writes one line a partition, then the ranges.
func verifyTable(w io.Writer, v query.Verification) error {
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tw, "partition\tlog\tcompared to\trows\trejected\tempty\texpired\tlost\tformer\twaiting\tmissing\tdoubled")
	for _, p := range v.Partitions {
		waiting := strconv.FormatInt(p.Waiting, 10)
		if p.Landing {
			waiting += " (landing)"
		}
		fmt.Fprintf(tw, "%d\t%d-%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%d\t%d\n", p.Partition, p.Start, p.End, p.Compared, p.Rows, p.Rejected, p.Empty, p.Expired, p.Lost, p.Former, waiting, p.Missing, p.Doubled)
	}
	fmt.Fprintf(tw, "all\t%d produced\t\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", v.Produced, v.Rows, v.Rejected, v.Empty, v.Expired, v.Lost, v.Former, v.Waiting, v.MissingMessages, v.DoubledMessages)
	if err := tw.Flush(); err != nil {
		return err
	}
	for _, r := range v.Missing {
		fmt.Fprintf(w, "missing  %s/%d epoch %d offsets %s\n", v.Topic, r.Partition, r.Epoch, span(r))
	}
	for _, r := range v.Doubled {
		fmt.Fprintf(w, "doubled  %s/%d epoch %d offsets %s\n", v.Topic, r.Partition, r.Epoch, span(r))
	}
	return nil
}

func span(r query.OffsetRange) string {
	if r.First == r.Last {
		return strconv.FormatInt(r.First, 10)
	}
	return fmt.Sprintf("%d-%d", r.First, r.Last)
}
