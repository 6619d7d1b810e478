package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
)

// run measures everything that was asked for and prints it.
func run(ctx context.Context, args []string, out io.Writer) error {
	set, err := parseSettings(args)
	if err != nil {
		return err
	}
	size, err := meanSize(ctx, set)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d records of %d bytes on average (headway gen --seed 1), %d cores, %s/%s; CPU in seconds per million records\n",
		set.records, size, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
	for _, broker := range set.brokers {
		if err := runBroker(ctx, set, broker, out); err != nil {
			return err
		}
	}
	return nil
}

func runBroker(ctx context.Context, set settings, kind string, out io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "headway-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	broker, stop, err := brokerPlace(kind, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	b := bench{set: set, broker: broker, out: out}
	if err := b.compare(ctx); err != nil {
		return err
	}
	if len(set.growth) > 0 {
		return b.growth(ctx)
	}
	return nil
}

// bench is one broker with its topics.
type bench struct {
	set    settings
	broker place
	out    io.Writer
	runs   int // so far; names consumer groups
}

// peers are what was asked for, the first of them what others are held
// against.
func (s settings) peers() []peer {
	var all []peer
	for _, id := range s.only {
		switch id {
		case idHeadway:
			all = append(all, headwayPeer(s))
		case idKafkaEngine:
			all = append(all, kafkaEnginePeer(best))
		case idCollector:
			all = append(all, collectorPeer(s, "collector", "collector_readme.yaml"))
		case idTuned:
			all = append(all, collectorPeer(s, "collector, tuned", "collector_tuned.yaml"))
		}
	}
	if s.tune {
		for _, t := range grid() {
			all = append(all, kafkaEnginePeer(t))
		}
	}
	return all
}

// compare runs every peer on one topic, in alternating order.
func (b *bench) compare(ctx context.Context) error {
	n := b.set.partitions
	if err := fill(ctx, b.set, b.broker.Addr, topicOf(n), n); err != nil {
		return err
	}
	fmt.Fprintf(b.out, "\n%s, %d partitions\n", b.broker.Version, n)
	peers := b.set.peers()
	results := make([][]result, len(peers))
	order := make([]int, len(peers))
	for i := range order {
		order[i] = i
	}
	for range b.set.runs {
		for _, i := range order {
			r, err := b.once(ctx, peers[i], topicOf(n))
			if err != nil {
				return err
			}
			fmt.Fprintf(b.out, "  %s\n", r.line())
			results[i] = append(results[i], r)
		}
		slices.Reverse(order)
	}
	printTable(b.out, peers, results)
	printAgreement(b.out, results)
	return nil
}

// growth runs Headway on topics of more and fewer partitions.
func (b *bench) growth(ctx context.Context) error {
	p := headwayPeer(b.set)
	counts := slices.Clone(b.set.growth)
	slices.Sort(counts)
	fmt.Fprintf(b.out, "\n%s, %s: growth with partitions\n", b.broker.Version, p.name)
	var first float64
	for _, n := range counts {
		if n != b.set.partitions {
			if err := fill(ctx, b.set, b.broker.Addr, topicOf(n), n); err != nil {
				return err
			}
		}
		r, err := b.once(ctx, p, topicOf(n))
		if err != nil {
			return err
		}
		if first == 0 {
			first = r.rate()
		}
		fmt.Fprintf(b.out, "  %2d partitions: %.2f x  %s\n", n, r.rate()/first, r.line())
	}
	return nil
}

func topicOf(partitions int) string { return fmt.Sprintf("bench-%d", partitions) }

// once runs one peer on an engine of its own that holds nothing yet.
func (b *bench) once(ctx context.Context, p peer, topic string) (r result, err error) {
	dir, err := os.MkdirTemp("", "headway-bench-")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	server, err := startRole(roleEngine)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, server.stop()) }()
	b.runs++
	s := &site{db: database{server.place}, broker: b.broker.Addr, topic: topic, dir: dir, set: b.set,
		group: fmt.Sprintf("bench-%d", b.runs)}
	return watch(ctx, p, s, b.broker.PIDs)
}
