package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"headway/query"
	"headway/schema"
)

// cell is a number of rows that are alike in what an answer says about its
// rows.
type cell struct {
	id            uint64
	key           []string
	state         string
	source, start string
	clock         string
	fate          string // failed, served, or empty where not known or not counted
	n             int64
}

// cells counts the rows of a question.
func (q *question) cells(ctx context.Context, rows string, p *params) ([]cell, error) {
	var out []cell
	err := q.run(ctx, file("cells.sql"), map[string]string{"rows": rows}, p, func(r driver.Rows) error {
		var c cell
		var n uint64
		err := r.Scan(&c.id, &c.key, &c.state, &c.source, &c.start, &c.clock, &c.fate, &n)
		c.n = int64(n)
		out = append(out, c)
		return err
	})
	return out, err
}

func (c cell) observed() bool { return c.state == string(schema.WaitObserved) }
func (c cell) censored() bool { return c.state == string(schema.WaitCensored) }
func (c cell) counts() bool   { return c.observed() || c.censored() }
func (c cell) failed() bool   { return c.state == string(schema.WaitFailed) }

// describe writes into an answer's meta what its cells say: numbers, what was
// left out, and warnings where clocks are mixed. Several StartPoints are for
// the caller to warn about.
func describe(m *query.Meta, cells []cell, mode query.WaitMode) {
	starts, sources, clocks := map[string]int64{}, map[string]int64{}, map[string]int64{}
	for _, c := range cells {
		if !c.counts() {
			m.LeftOut[c.state] += c.n
			continue
		}
		m.N += c.n
		if c.censored() {
			m.Censored += c.n
		}
		starts[c.start] += c.n
		sources[c.source] += c.n
		clocks[c.clock] += c.n
	}
	m.StartPoints, m.Sources = sortedKeys(starts), sortedKeys(sources)
	m.KaplanMeier = m.Censored > 0
	if mode == query.WaitDispatch {
		m.Clock = clockOf(clocks)
		m.Warnings = append(m.Warnings, clockWarnings(clocks)...)
	}
}

// clockOf names the clock of waits: the one that all have, or mixed.
func clockOf(clocks map[string]int64) string {
	switch names := sortedKeys(clocks); len(names) {
	case 0:
		return ""
	case 1:
		return names[0]
	}
	return "mixed"
}

func clockWarnings(clocks map[string]int64) []string {
	var out []string
	if n := clocks[string(schema.ClockEstimated)]; n > 0 {
		out = append(out, fmt.Sprintf("dispatch is estimated from local stages in %d rows: a lower bound", n))
	}
	if n := clocks[string(schema.ClockStart)]; n > 0 {
		out = append(out, fmt.Sprintf("%d rows recorded no dispatch: their waits count from the metric's own start, with local time inside", n))
	}
	if len(clocks) > 1 {
		out = append(out, "the waits have different clocks; a hedge timer starts at the dispatch")
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
