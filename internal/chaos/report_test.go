package chaos

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"
)

// tally counts what was done to the parts during a scenario.
type tally struct {
	engineKills, brokerKills, ingesterKills, stops atomic.Int64
}

func (c *tally) kills() int64 {
	return c.engineKills.Load() + c.brokerKills.Load() + c.ingesterKills.Load()
}

// ledger is the table that a run ends with.
type ledger struct {
	mu    sync.Mutex
	lines []string
	total [10]int64
}

const ledgerHead = "scenario\tengine kills\tbroker kills\tingester kills\tstops\tin the log\tacknowledged\trows\trejects\tlost\tdoubled\tseconds"

func (g *ledger) add(name string, c *tally, f findings, took time.Duration) {
	n := [10]int64{c.engineKills.Load(), c.brokerKills.Load(), c.ingesterKills.Load(), c.stops.Load(),
		int64(f.log), int64(f.acked), int64(f.rows), int64(f.rejects), int64(len(f.lost)), int64(len(f.doubled))}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.lines = append(g.lines, line(name, n, took))
	for i, v := range n {
		g.total[i] += v
	}
}

func line(name string, n [10]int64, took time.Duration) string {
	var b strings.Builder
	b.WriteString(name)
	for _, v := range n {
		fmt.Fprintf(&b, "\t%d", v)
	}
	return b.String() + fmt.Sprintf("\t%.1f", took.Seconds())
}

func (g *ledger) table(broker string, seed uint64, took time.Duration) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "broker %s, CHAOS_SEED=%d\n", broker, seed)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, ledgerHead+"\t")
	for _, l := range append(g.lines, line("all", g.total, took)) {
		fmt.Fprintln(w, l+"\t")
	}
	_ = w.Flush() // into memory
	return b.String()
}
