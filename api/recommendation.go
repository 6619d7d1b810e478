package api

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"headway/hedge"
	"headway/query"
)

func (r Recommendation) describe() Meta { return r.Meta }

func (r Recommendation) table() table {
	t := table{columns: append(slices.Clone(r.By), "n", "censored", "hedge_after_ms", "low_ms", "high_ms", "trigger_ratio", "win_chance",
		"before_p95_ms", "before_p99_ms", "after_p95_ms", "after_p99_ms", "pessimistic_p95_ms", "pessimistic_p99_ms", "verdict",
		"before_p95_at_least_ms", "before_p99_at_least_ms", "measured_p95_ms", "measured_p99_ms", "seconds_saved_per_week")}
	for _, k := range r.Keys {
		row := keyCells(k.Key, r.By)
		row = append(row, k.N, k.Censored, cell(k.HedgeAfterMs), cell(k.Interval.LowMs), cell(k.Interval.HighMs), cell(k.TriggerRatio), cell(k.WinChance),
			cell(k.Before.P95Ms), cell(k.Before.P99Ms))
		row = append(append(row, tailCells(k.After)...), k.Verdict)
		row = append(append(row, leastCells(k.Before)...), caseCells(k.After.Measured)...)
		t.rows = append(t.rows, append(row, cell(k.SecondsSaved)))
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
		row = append(row, caseCells(h)...)
	}
	return row
}

func caseCells(h *Hedged) []any {
	if h == nil {
		return []any{nil, nil}
	}
	return []any{cell(h.P95Ms), cell(h.P99Ms)}
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

// advised is one key's advice before it is judged together with others.
type advised struct {
	key    key
	advice hedge.Advice
	shown  Advice // what needs the rows, which are not kept
	print  string // fingerprint of the rows
}

func (s *Server) recommendation(ctx context.Context, in *input) (Recommendation, error) {
	q, err := query.ParseRecommendation(s.Fields, in.values)
	if err != nil {
		return Recommendation{}, err
	}
	out, _, rows, err := s.recommend(ctx, q, hedgeNeeds{})
	if err != nil {
		return Recommendation{}, err
	}
	if err := s.compareWithLast(ctx, out.Keys, rows.meta.Window()); err != nil {
		return Recommendation{}, err
	}
	sort.SliceStable(out.Keys, func(i, j int) bool { return saved(out.Keys[i]) > saved(out.Keys[j]) })
	return out, nil
}

// recommend advises on every key of a question, those with the most rows
// first; advised and Keys are parallel.
func (s *Server) recommend(ctx context.Context, q query.Hedge, needs hedgeNeeds) (Recommendation, []advised, hedgeRows, error) {
	needs.history, needs.pairs = week, true
	all, rows, err := eachHedgeKey(ctx, s, q, needs, func(_ context.Context, k key) (advised, error) {
		return k.advised(), nil
	})
	if err != nil {
		return Recommendation{}, nil, rows, err
	}
	advice := make([]*hedge.Advice, len(all))
	for i := range all {
		advice[i] = &all[i].advice
	}
	hedge.JudgeTogether(advice)
	out := Recommendation{Meta: presentMeta(rows.meta.Meta, rows.footing), By: q.By, Keys: make([]Advice, len(all))}
	if !rows.meta.Horizon.IsZero() {
		out.Horizon = ptr(stamp(rows.meta.Horizon))
	}
	for i, a := range all {
		out.Keys[i] = presentAdvice(a, rows.meta.Meta)
	}
	sayDraws(&out.Meta, len(all))
	sayUnreached(&out.Meta, out.Keys, func(k Advice) Percentiles { return k.Before })
	return out, all, rows, nil
}

// saved is what keys are sorted by; none comes last.
func saved(a Advice) float64 {
	if a.SecondsSaved == nil {
		return -1
	}
	return *a.SecondsSaved
}
