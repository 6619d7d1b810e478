// Command decode measures how many records a second one core decodes with
// Headway's decoder, and with other JSON libraries doing the same: the same
// record from the same bytes, with the same validation. `make bench-decode`
// runs it; a test beside it proves that they give the same.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"syscall"
	"text/tabwriter"
	"time"

	"headway/internal/synth"
	"headway/schema"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench-decode:", err)
		os.Exit(1)
	}
}

func run() error {
	records := flag.Int64("records", 20_000, "different records, read over and over")
	rounds := flag.Int("rounds", 5, "rounds of every decoder in turn")
	each := flag.Duration("each", time.Second, "time of one decoder in one round")
	flag.Parse()
	messages, arrival, err := corpus(*records)
	if err != nil {
		return err
	}
	all, err := contenders()
	if err != nil {
		return err
	}
	for range *rounds {
		for i := range all {
			if err := all[i].round(messages, arrival, *each); err != nil {
				return err
			}
		}
	}
	size := 0
	for _, m := range messages {
		size += len(m)
	}
	fmt.Printf("%d records of %d bytes on average, %d rounds, %s, %s/%s; per second of processor time, garbage collection included\n",
		len(messages), size/len(messages), *rounds, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	w := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "decoder\trecords/s\tns a record\tbytes allocated\tHeadway x\t")
	for _, c := range all {
		rate := median(c.rates)
		fmt.Fprintf(w, "%s\t%.0f\t%.0f\t%.0f\t%.2f\t\n", c.name, rate, 1e9/rate, median(c.bytes), median(all[0].rates)/rate)
	}
	return w.Flush()
}

// corpus makes an hour of canonical records, and the time they arrive at.
func corpus(n int64) ([][]byte, time.Time, error) {
	to := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	g, err := synth.New(synth.Config{Seed: 1, From: to.Add(-time.Hour), To: to, N: n})
	if err != nil {
		return nil, to, err
	}
	var messages [][]byte
	for r := range g.All() {
		r.Flags = nil // only a decoder gives them
		messages = append(messages, schema.AppendJSON(nil, r))
	}
	return messages, to, nil
}

// contender is one decoder with what it reached.
type contender struct {
	name   string
	decode func(msg []byte, arrival time.Time, rec *schema.Record) (int, error)
	handed func() int
	rates  []float64 // records a second of processor time
	bytes  []float64 // allocated a record
}

// contenders are Headway's decoder, first, and its peers.
func contenders() ([]contender, error) {
	own, err := newRules()
	if err != nil {
		return nil, err
	}
	all := []contender{{name: "Headway", decode: own.Decode, handed: func() int { return 0 }}}
	for _, p := range peers() {
		d, err := newDecoder(p)
		if err != nil {
			return nil, err
		}
		all = append(all, contender{name: p.name, decode: d.Decode, handed: func() int { return d.handed }})
	}
	return all, nil
}

// round decodes for a while and notes the rate.
func (c *contender) round(messages [][]byte, arrival time.Time, each time.Duration) error {
	var rec schema.Record
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	n, start, begin := 0, processorTime(), time.Now()
	for time.Since(begin) < each {
		for _, m := range messages {
			if _, err := c.decode(m, arrival, &rec); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
		}
		n += len(messages)
	}
	took := processorTime() - start
	runtime.ReadMemStats(&after)
	if c.handed() > 0 {
		return fmt.Errorf("%s handed %d records to Headway's decoder: it would measure that one", c.name, c.handed())
	}
	c.rates = append(c.rates, float64(n)/took.Seconds())
	c.bytes = append(c.bytes, float64(after.TotalAlloc-before.TotalAlloc)/float64(n))
	return nil
}

// processorTime is what this process has used, on all cores.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // it knows this argument
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func median(values []float64) float64 {
	s := slices.Sorted(slices.Values(values))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
