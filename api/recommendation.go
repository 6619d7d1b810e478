package api

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"headway/hedge"
	"headway/query"
)

func (r Recommendation) describe() Meta { return r.Meta }

func (r Recommendation) table() table {
	t := table{columns: append(slices.Clone(r.By), "n", "censored", "hedge_after_ms", "low_ms", "high_ms", "trigger_ratio", "win_chance",
		"before_p95_ms", "before_p99_ms", "after_p95_ms", "after_p99_ms", "pessimistic_p95_ms", "pessimistic_p99_ms", "verdict",
		"before_p95_at_least_ms", "before_p99_at_least_ms")}
	for _, k := range r.Keys {
		row := keyCells(k.Key, r.By)
		row = append(row, k.N, k.Censored, cell(k.HedgeAfterMs), cell(k.Interval.LowMs), cell(k.Interval.HighMs), cell(k.TriggerRatio), cell(k.WinChance),
			cell(k.Before.P95Ms), cell(k.Before.P99Ms))
		row = append(append(row, tailCells(k.After)...), k.Verdict)
		t.rows = append(t.rows, append(row, leastCells(k.Before)...))
	}
	return t
}

func keyCells(key map[string]*string, by []string) []any {
	row := make([]any, 0, len(by)+14)
	for _, d := range by {
		row = append(row, cell(key[d]))
	}
	return row
}

// tailCells are P95 and P99 after, independent and pessimistic.
func tailCells(a After) []any {
	row := make([]any, 0, 4)
	for _, h := range []*Hedged{a.Independent, a.Pessimistic} {
		if h == nil {
			row = append(row, nil, nil)
			continue
		}
		row = append(row, cell(h.P95Ms), cell(h.P99Ms))
	}
	return row
}

// leastCells are the last times seen of P95 and P99 without hedging, where
// those were not reached.
func leastCells(p Percentiles) []any {
	row := make([]any, 0, 2)
	for _, name := range []string{"p95", "p99"} {
		if v, ok := p.AtLeastMs[name]; ok {
			row = append(row, v)
		} else {
			row = append(row, nil)
		}
	}
	return row
}

// sayUnreached words how many keys have percentiles without hedging that were
// not reached.
func sayUnreached[K any](m *Meta, keys []K, before func(K) Percentiles) {
	n := 0
	for _, k := range keys {
		if len(before(k).AtLeastMs) > 0 {
			n++
		}
	}
	if n > 0 {
		m.Warnings = append(m.Warnings, fmt.Sprintf("percentiles without hedging were not reached in %d of %d keys: too many rows ended without a first token; before.at_least_ms has the last time seen", n, len(keys)))
	}
}

// hedgeRows are the keys of a hedge question with what they stand on.
type hedgeRows struct {
	footing footing
	meta    query.Meta
	keys    []query.Waits
}

// loadKeys reads the waits behind a hedge question, keys with the most rows
// first.
func (s *Server) loadKeys(ctx context.Context, q query.Hedge) (hedgeRows, error) {
	sc, err := q.Resolve(s.Now())
	if err != nil {
		return hedgeRows{}, err
	}
	rows, err := s.waitsIn(ctx, sc, q)
	if err != nil {
		return rows, err
	}
	if q.From == "" && q.To == "" {
		if len(rows.keys) == 0 { // a store that was filled today has no whole day yet
			sc.To = s.Now().UTC().Truncate(time.Millisecond)
			if rows, err = s.waitsIn(ctx, sc, q); err != nil {
				return rows, err
			}
			rows.footing.warnings = append(rows.footing.warnings, "the last seven whole days hold no rows; this answer also takes today's")
		}
		rows.sayDays()
	}
	if len(rows.keys) > q.Limit {
		rows.footing.warnings = append(rows.footing.warnings, fmt.Sprintf("%d of %d keys are shown, those with the most rows; raise limit or filter", q.Limit, len(rows.keys)))
		rows.keys = rows.keys[:q.Limit]
	}
	return rows, nil
}

func (s *Server) waitsIn(ctx context.Context, sc query.Scope, q query.Hedge) (hedgeRows, error) {
	f, err := s.find(ctx, sc, q.Metric, q.By)
	if err != nil {
		return hedgeRows{}, err
	}
	if !f.metric.FirstToken {
		return hedgeRows{}, query.Errors{{Param: "metric", Message: f.metric.Name + " is no first-token wait, so no hedge timer can watch it"}}
	}
	keys, m, err := s.Waits.Waits(ctx, f.scope, f.metric, q.By, query.WaitDispatch)
	if err != nil {
		return hedgeRows{}, fmt.Errorf("reading first-token waits: %w", err)
	}
	if !q.Explain {
		m.SQL = nil
	}
	m.Metric = &f.metric
	return hedgeRows{footing: f, meta: m, keys: keys}, nil
}

// sayDays tells when the default window is not full: advice from three days
// is not advice from seven.
func (r *hedgeRows) sayDays() {
	days := map[time.Time]bool{}
	for _, k := range r.keys {
		for _, at := range k.At {
			days[at.UTC().Truncate(24*time.Hour)] = true
		}
	}
	if n := len(days); n > 0 && n < 7 {
		r.footing.warnings = append(r.footing.warnings, fmt.Sprintf("only %d of the seven days hold rows", n))
	}
}

const (
	allDraws = 20_000 // of the bootstrap, shared by the keys of one question
	maxDraws = 2000
	minDraws = 100
)

func drawsFor(keys int) int { return min(maxDraws, max(minDraws, allDraws/max(1, keys))) }

// key gathers what advice on one key needs.
func (s *Server) key(ctx context.Context, w query.Waits, q query.Hedge, keys int) key {
	return key{waits: w, route: s.Hedge.Key(w.Key, q.Where), rho: s.Hedge.Rho, target: q.Target, draws: drawsFor(keys), stop: ctx.Done()}
}

func (s *Server) recommendation(ctx context.Context, in *input) (Recommendation, error) {
	q, err := query.ParseRecommendation(s.Fields, in.values)
	if err != nil {
		return Recommendation{}, err
	}
	rows, err := s.loadKeys(ctx, q)
	if err != nil {
		return Recommendation{}, err
	}
	out := Recommendation{Meta: presentMeta(rows.meta, rows.footing), By: q.By, Keys: make([]Advice, len(rows.keys))}
	keys, advice := make([]key, len(rows.keys)), make([]*hedge.Advice, len(rows.keys))
	err = eachKey(ctx, len(rows.keys), func(ctx context.Context, i int) error {
		keys[i] = s.key(ctx, rows.keys[i], q, len(rows.keys))
		a := keys[i].advise()
		advice[i] = &a
		return nil
	})
	if err != nil {
		return Recommendation{}, err
	}
	hedge.JudgeTogether(advice)
	for i, a := range advice {
		out.Keys[i] = presentAdvice(keys[i], *a, rows.meta)
	}
	sayDraws(&out.Meta, len(rows.keys))
	sayUnreached(&out.Meta, out.Keys, func(k Advice) Percentiles { return k.Before })
	return out, nil
}

func sayDraws(m *Meta, keys int) {
	if d := drawsFor(keys); d < maxDraws {
		m.Warnings = append(m.Warnings, fmt.Sprintf("bootstrap intervals come from %d draws a key, since %d keys share one question; ask for a single key to get %d", d, keys, maxDraws))
	}
	if boot := hedge.DefaultBootstrap(); keys > 0 {
		m.Approximation = fmt.Sprintf("exact; intervals of hedged percentiles by block bootstrap with %d draws, seed %d", drawsFor(keys), boot.Seed)
	}
}

// eachKey calculates keys side by side and stops with the request.
func eachKey(ctx context.Context, n int, do func(context.Context, int) error) error {
	g, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	for range min(n, runtime.GOMAXPROCS(0)) {
		g.Go(func() error {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				if err := do(ctx, i); err != nil {
					return err
				}
				if ctx.Err() != nil { // what was cut short is no answer
					return fmt.Errorf("calculating hedge advice: %w", ctx.Err())
				}
			}
			return nil
		})
	}
	return g.Wait()
}
