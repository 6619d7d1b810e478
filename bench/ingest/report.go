package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// line is one run in one line, for those who watch.
func (r result) line() string {
	return fmt.Sprintf("%-16s %6.1f s  %7.0f rows/s  net %7.0f  CPU %5.1f + %5.1f (broker %4.1f)  peak %4d + %4d MiB  load %s  doubled %d",
		r.peer, r.wall.Seconds(), r.rate(), r.net, r.perMillion(r.client), r.perMillion(r.server), r.perMillion(r.broker),
		r.client.peak>>20, r.server.peak>>20, r.load, r.doubled)
}

// summary is what several runs of one peer come to: medians, and the worst of
// memory and doubles.
type summary struct {
	rate, net, client, server, broker float64
	clientPeak, serverPeak, doubled   int64
}

func summarize(runs []result) summary {
	median := func(of func(result) float64) float64 {
		var values []float64
		for _, r := range runs {
			values = append(values, of(r))
		}
		slices.Sort(values)
		n := len(values)
		return (values[(n-1)/2] + values[n/2]) / 2
	}
	s := summary{
		rate: median(result.rate), net: median(func(r result) float64 { return r.net }),
		client: median(func(r result) float64 { return r.perMillion(r.client) }),
		server: median(func(r result) float64 { return r.perMillion(r.server) }),
		broker: median(func(r result) float64 { return r.perMillion(r.broker) }),
	}
	for _, r := range runs {
		s.clientPeak, s.serverPeak = max(s.clientPeak, r.client.peak), max(s.serverPeak, r.server.peak)
		s.doubled = max(s.doubled, r.doubled)
	}
	return s
}

// printTable prints each peer with what Headway, the first, does in multiples
// of it.
func printTable(out io.Writer, peers []peer, results [][]result) {
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\npeer\trows/s\tnet rows/s\tclient CPU\tserver CPU\tbroker CPU\tclient MiB\tserver MiB\tdoubled\trows/s x\tCPU x\t")
	var first summary
	for i, p := range peers {
		s := summarize(results[i])
		if i == 0 {
			first = s
		}
		fmt.Fprintf(w, "%s\t%.0f\t%.0f\t%.1f\t%.1f\t%.1f\t%d\t%d\t%d\t%.2f\t%.2f\t\n", p.name, s.rate, s.net, s.client, s.server, s.broker,
			s.clientPeak>>20, s.serverPeak>>20, s.doubled, first.rate/s.rate, (s.client+s.server)/(first.client+first.server))
	}
	w.Flush() // to a terminal or a buffer; an error would show in what is missing
	fmt.Fprintf(out, "x: %s against the peer; above 1 it is faster, or takes less of client's and server's CPU together.\n", peers[0].name)
	for _, p := range peers {
		fmt.Fprintf(out, "  %s: %s.\n", p.name, p.does)
	}
}

// printAgreement says whether every peer that fills Headway's table filled it
// with the same values, and which sums differ where not.
func printAgreement(out io.Writer, results [][]result) {
	var first result
	compared, differ := 0, 0
	for _, runs := range results {
		for _, r := range runs {
			switch {
			case r.agreement == "":
				continue
			case first.agreement == "":
				first = r
			case r.agreement != first.agreement:
				differ++
				fmt.Fprintf(out, "%s and %s differ in what they stored:\n  %s\n  %s\n", first.peer, r.peer, first.agreement, r.agreement)
			}
			compared++
		}
	}
	if compared > 1 && differ == 0 {
		fmt.Fprintf(out, "All %d runs into Headway's table stored the same values (identity, dimensions, times, tokens; compared by sums).\n", compared)
	}
}
