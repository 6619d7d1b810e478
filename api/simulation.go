package api

import (
	"context"
	"fmt"
	"math"
	"slices"

	"headway/hedge"
	"headway/query"
)

func (m Simulation) describe() Meta { return m.Meta }

func (m Simulation) table() table {
	if len(m.Keys) > 0 && len(m.Keys[0].Curve) > 0 {
		return m.curveTable()
	}
	t := table{columns: append(slices.Clone(m.By), "n", "censored", "hedge_after_ms", "trigger_ratio", "win_chance", "before_p95_ms", "before_p99_ms",
		"after_p95_ms", "after_p99_ms", "pessimistic_p95_ms", "pessimistic_p99_ms", "verdict", "before_p95_at_least_ms", "before_p99_at_least_ms")}
	for _, k := range m.Keys {
		row := append(keyCells(k.Key, m.By), k.N, k.Censored, cell(k.HedgeAfterMs), cell(k.TriggerRatio), cell(k.WinChance), cell(k.Before.P95Ms), cell(k.Before.P99Ms))
		row = append(append(row, tailCells(k.After)...), k.Verdict)
		t.rows = append(t.rows, append(row, leastCells(k.Before)...))
	}
	return t
}

func (m Simulation) curveTable() table {
	t := table{columns: append(slices.Clone(m.By), "hedge_after_ms", "trigger_ratio", "win_chance", "after_p95_ms", "after_p99_ms", "pessimistic_p95_ms", "pessimistic_p99_ms")}
	for _, k := range m.Keys {
		for _, p := range k.Curve {
			row := append(keyCells(k.Key, m.By), p.HedgeAfterMs, p.TriggerRatio, cell(p.WinChance), cell(p.Independent.P95Ms), cell(p.Independent.P99Ms))
			if p.Pessimistic == nil {
				row = append(row, nil, nil)
			} else {
				row = append(row, cell(p.Pessimistic.P95Ms), cell(p.Pessimistic.P99Ms))
			}
			t.rows = append(t.rows, row)
		}
	}
	return t
}

func (s *Server) simulation(ctx context.Context, in *input) (Simulation, error) {
	q, err := query.ParseSimulate(s.Fields, in.values)
	if err != nil {
		return Simulation{}, err
	}
	rule, err := ruleOf(q.After)
	if err != nil {
		return Simulation{}, err
	}
	backup, err := s.loadBackup(ctx, &q)
	if err != nil {
		return Simulation{}, err
	}
	keys, rows, err := eachHedgeKey(ctx, s, q, hedgeNeeds{pairs: backup == nil}, func(_ context.Context, k key) (Simulated, error) {
		return k.simulate(backup, rule, q.Curve), nil
	})
	if err != nil {
		return Simulation{}, err
	}
	out := Simulation{Meta: presentMeta(rows.meta.Meta, rows.footing), By: q.By, Keys: list(keys)}
	for i := range out.Keys {
		out.Keys[i].Metric, out.Keys[i].Clock = rows.meta.Metric.Name, rows.meta.Clock
	}
	sayDraws(&out.Meta, len(out.Keys))
	sayUnreached(&out.Meta, out.Keys, func(k Simulated) Percentiles { return k.Before })
	return out, nil
}

func ruleOf(after string) (hedge.Rule, error) {
	q, d, err := query.ParseAfter(after)
	if err != nil {
		return hedge.Rule{}, query.Errors{{Param: "hedge_after", Message: err.Error()}}
	}
	return hedge.Rule{Quantile: q, Fixed: d.Microseconds()}, nil
}

// loadBackup reads the waits of the backup's key; nil where the primary's own
// law stands for it. It settles the question's window, so that both keys have
// the same.
func (s *Server) loadBackup(ctx context.Context, q *query.Hedge) (*query.Waits, error) {
	wanted, bad := query.ParseKey(s.Fields, q.Backup, q.By)
	if bad != nil {
		return nil, query.Errors{*bad}
	}
	if wanted == nil {
		return nil, nil
	}
	b := *q
	b.Limit = 1
	b.Where = slices.DeleteFunc(slices.Clone(q.Where), func(c query.Condition) bool { return slices.Contains(q.By, c.Dimension) })
	for _, d := range q.By {
		value := wanted[d]
		if value == "" {
			value = query.Missing
		}
		b.Where = append(b.Where, query.Condition{Dimension: d, Op: query.OpIn, Values: []string{value}})
	}
	found, rows, err := eachHedgeKey(ctx, s, b, hedgeNeeds{}, func(_ context.Context, k key) (query.Waits, error) { return k.waits, nil })
	if err != nil {
		return nil, fmt.Errorf("reading the backup's waits: %w", err)
	}
	if len(found) == 0 || len(found[0].Micros) == 0 {
		return nil, query.Errors{{Param: "backup", Message: "the backup's key has no waits in the window; widen it, or name a key that has"}}
	}
	q.From, q.To = stamp(rows.meta.From), stamp(rows.meta.To)
	return &found[0], nil
}

// simulate shows what a delay would have done to one key. Points are always
// given, and marked where rows are few.
func (k key) simulate(backup *query.Waits, rule hedge.Rule, points int) Simulated {
	out := Simulated{Key: keyOf(k.waits.Key), Model: orNull(k.waits.Key["model"]), Route: orNull(k.waits.Key["route"]), Sample: sample(k.waits, query.Meta{}), Curve: []CurvePoint{}}
	rows := k.rows()
	if backup != nil {
		rows.Backup, out.Backup = waitsOf(*backup), keyOf(backup.Key)
		k.Pairs = query.HedgePairs{Reason: "a backup of another key was asked for, whose pairs are not known"}
	}
	a := hedge.Advise(rows, rule, k.settings(false))
	v := view{}
	out.HedgeAfterMs, out.Before, out.After, out.WinChance = v.ms(a.Delay), v.percentiles(a.Before), k.after(v, a), winChance(a.Independent)
	out.Verdict, out.Reasons, out.Notes = string(a.Verdict), list(a.Reasons), list(a.Notes)
	if a.Target > 0 {
		out.TargetQ = ptr(a.Target)
	}
	if out.HedgeAfterMs != nil {
		out.TriggerRatio = ptr(ratio(a.Trigger))
		out.Cost = k.cost(a.Delay.Micros)
		out.HedgesPerMin = perMinute(a.Trigger, out.N, k.length)
	}
	if points > 0 {
		out.Curve = k.curve(rows, points)
	}
	return out
}

func (v view) tail(p95, p99 hedge.Point) CurveAfter {
	return CurveAfter{P95Ms: v.ms(p95), P99Ms: v.ms(p99), P95AtLeastMs: v.atLeast(p95), P99AtLeastMs: v.atLeast(p99)}
}

// curve simulates delays spaced by logarithm over the waits seen.
func (k key) curve(rows hedge.Rows, points int) []CurvePoint {
	out := []CurvePoint{}
	if len(rows.Primary) == 0 {
		return out
	}
	x := hedge.NewDistribution(rows.Primary)
	y := x
	if rows.Backup != nil {
		y = hedge.NewDistribution(rows.Backup)
	}
	v := view{}
	for _, c := range hedge.Curve(x, y, hedge.LogSpaced(slices.Min(k.waits.Micros), slices.Max(k.waits.Micros), points), k.hedge.Rho) {
		p := CurvePoint{HedgeAfterMs: float64(c.Delay) / 1000, TriggerRatio: math.Max(0, ratio(c.Trigger)),
			Independent: v.tail(c.Independent.P95, c.Independent.P99), Pessimistic: ptr(v.tail(c.Pessimistic.P95, c.Pessimistic.P99))}
		if c.WinOK {
			p.WinChance = ptr(ratio(c.Win))
		}
		out = append(out, p)
	}
	return out
}
