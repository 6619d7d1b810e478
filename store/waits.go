package store

import (
	"context"
	"sort"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"headway/query"
	"headway/schema"
)

// Waits returns one metric's values per key of the dimensions by (all rows
// under one key where by is empty), keys with the most rows first, values in
// order of arrival. Micros are microseconds of times, and millionths of the
// unit of other measures. Keys without a value that counts are there with
// what was left out.
//
// Its meta carries the statements; show them only where they were asked for.
func (s *Store) Waits(ctx context.Context, sc query.Scope, metric schema.Field, by []string, mode query.WaitMode) ([]query.Waits, query.Meta, error) {
	q := s.ask("waits")
	p := &params{}
	rows, err := s.rows(sc, metric, by, mode, p)
	if err != nil {
		return nil, query.Meta{}, err
	}
	// Values before counts: rows that land in between are counted, not lost.
	values, err := q.values(ctx, rows, metric, p)
	if err != nil {
		return nil, query.Meta{}, err
	}
	cells, err := q.cells(ctx, rows, p)
	if err != nil {
		return nil, query.Meta{}, err
	}
	m := q.meta(sc, true)
	m.Metric = &metric
	describe(&m, cells, mode)
	return gather(values, cells, by), m, nil
}

// values reads all values that count, by the key's hash.
func (q *question) values(ctx context.Context, rows string, metric schema.Field, p *params) (map[uint64]*query.Waits, error) {
	out := map[uint64]*query.Waits{}
	fill := map[string]string{"rows": rows, "micros": microsSlot(metric)}
	var (
		id                           uint64
		atMs, doubled, input, output int64
		last                         *query.Waits
		lastID                       uint64
	)
	err := q.run(ctx, file("waits.sql"), fill, p, func(r driver.Rows) error {
		if err := r.Scan(&id, &atMs, &doubled, &input, &output); err != nil {
			return err
		}
		if last == nil || id != lastID {
			if last = out[id]; last == nil {
				last = &query.Waits{}
				out[id] = last
			}
			lastID = id
		}
		last.Micros = append(last.Micros, doubled>>1)
		last.Censored = append(last.Censored, doubled&1 == 1)
		last.At = append(last.At, time.UnixMilli(atMs).UTC())
		last.InputTokens = append(last.InputTokens, input)
		last.OutputTokens = append(last.OutputTokens, output)
		return nil
	})
	return out, err
}

// gather joins values and counts by key.
func gather(values map[uint64]*query.Waits, cells []cell, by []string) []query.Waits {
	var out []query.Waits
	at := map[uint64]int{}
	for _, c := range cells {
		i, seen := at[c.id]
		if !seen {
			i = len(out)
			at[c.id] = i
			w := query.Waits{}
			if v := values[c.id]; v != nil {
				w = *v
			}
			w.Key, w.LeftOut = keyMap(by, c.key), map[string]int64{}
			out = append(out, w)
		}
		if !c.counts() {
			out[i].LeftOut[c.state] += c.n
		}
		if c.failed() {
			out[i].Failures += c.n
		}
		if c.fate != "" {
			out[i].FateKnown += c.n
		}
		if c.fate == "failed" {
			out[i].Failed += c.n
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return len(out[i].Micros) > len(out[j].Micros) })
	return out
}
