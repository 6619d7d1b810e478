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
	rows, err := s.loadKeys(ctx, q)
	if err != nil {
		return Simulation{}, err
	}
	backup, err := s.loadBackup(ctx, q, rows)
	if err != nil {
		return Simulation{}, err
	}
	rule, err := ruleOf(q.After)
	if err != nil {
		return Simulation{}, err
	}
	out := Simulation{Meta: presentMeta(rows.meta, rows.footing), By: q.By, Keys: make([]Simulated, len(rows.keys))}
	err = eachKey(ctx, len(rows.keys), func(ctx context.Context, i int) error {
		k := s.key(ctx, rows.keys[i], q, len(rows.keys))
		out.Keys[i] = presentSimulation(k, backup, rule, rows.meta)
		if q.Curve == 0 {
			return nil
		}
		points, err := curve(ctx, k, backup, q.Curve)
		if err != nil {
			return err
		}
		out.Keys[i].Curve = points
		return nil
	})
	sayDraws(&out.Meta, len(rows.keys))
	sayUnreached(&out.Meta, out.Keys, func(k Simulated) Percentiles { return k.Before })
	return out, err
}

func ruleOf(after string) (hedge.Rule, error) {
	q, d, err := query.ParseAfter(after)
	if err != nil {
		return hedge.Rule{}, query.Errors{{Param: "hedge_after", Message: err.Error()}}
	}
	return hedge.Rule{Quantile: q, Fixed: d.Microseconds()}, nil
}

// loadBackup reads the waits of the backup's key; nil where the primary's own
// law stands for it.
func (s *Server) loadBackup(ctx context.Context, q query.Hedge, rows hedgeRows) (*query.Waits, error) {
	key, bad := query.ParseKey(s.Fields, q.Backup, q.By)
	if bad != nil {
		return nil, query.Errors{*bad}
	}
	if key == nil {
		return nil, nil
	}
	sc := rows.footing.scope
	sc.From, sc.To = rows.meta.From, rows.meta.To
	sc.Where = slices.DeleteFunc(slices.Clone(sc.Where), func(c query.Condition) bool { return slices.Contains(q.By, c.Dimension) })
	for _, d := range q.By {
		value := key[d]
		if value == "" {
			value = query.Missing
		}
		sc.Where = append(sc.Where, query.Condition{Dimension: d, Op: query.OpIn, Values: []string{value}})
	}
	found, _, err := s.Waits.Waits(ctx, sc, rows.footing.metric, q.By, query.WaitDispatch)
	if err != nil {
		return nil, fmt.Errorf("reading the backup's waits: %w", err)
	}
	if len(found) == 0 || len(found[0].Micros) == 0 {
		return nil, query.Errors{{Param: "backup", Message: "the backup's key has no waits in the window; widen it, or name a key that has"}}
	}
	return &found[0], nil
}

// presentSimulation shows what a delay would have done to one key. Points
// are always given, and marked where rows are few.
func presentSimulation(k key, backup *query.Waits, rule hedge.Rule, m query.Meta) Simulated {
	out := Simulated{Key: keyOf(k.waits.Key), Model: orNull(k.waits.Key["model"]), Route: orNull(k.waits.Key["route"]), Sample: sample(k.waits, m), Curve: []CurvePoint{}}
	var second []hedge.Wait
	if backup != nil {
		second, out.Backup = waitsOf(*backup), keyOf(backup.Key)
	}
	a := hedge.Recommend(waitsOf(k.waits), second, rule, k.settings(false))
	v := view{}
	out.HedgeAfterMs, out.Before, out.After, out.WinChance = v.ms(a.Delay), v.percentiles(a.Before), v.after(a), winChance(a.Independent)
	out.Verdict, out.Reasons, out.Notes = string(a.Verdict), list(a.Reasons), list(a.Notes)
	if a.Target > 0 {
		out.TargetQ = ptr(a.Target)
	}
	if out.HedgeAfterMs != nil {
		out.TriggerRatio = ptr(ratio(a.Trigger))
		out.Cost = costOf(k.waits, a.Delay.Micros)
		out.HedgesPerMin = perMinute(a.Trigger, out.N, m.To.Sub(m.From))
	}
	return out
}

func (v view) tail(p95, p99 hedge.Point) CurveAfter {
	return CurveAfter{P95Ms: v.ms(p95), P99Ms: v.ms(p99), P95AtLeastMs: v.atLeast(p95), P99AtLeastMs: v.atLeast(p99)}
}

// curve simulates delays spaced by logarithm over the waits seen.
func curve(ctx context.Context, k key, backup *query.Waits, points int) ([]CurvePoint, error) {
	out := []CurvePoint{}
	if len(k.waits.Micros) == 0 {
		return out, nil
	}
	x := lawOf(k.waits)
	y := x
	if backup != nil {
		y = lawOf(*backup)
	}
	v := view{}
	for _, d := range delays(slices.Min(k.waits.Micros), slices.Max(k.waits.Micros), points) {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("simulating a curve: %w", ctx.Err())
		}
		policy := hedge.Policy{Delay: d, Q: 1}
		independent, pessimistic := hedge.Independent(x, y, policy), hedge.Correlated(x, y, policy, k.rho)
		p := CurvePoint{HedgeAfterMs: float64(d) / 1000, TriggerRatio: math.Max(0, ratio(policy.Trigger(x))),
			Independent: v.tail(independent.Quantile(0.95), independent.Quantile(0.99)),
			Pessimistic: ptr(v.tail(pessimistic.Quantile(0.95), pessimistic.Quantile(0.99)))}
		if win, ok := independent.Win(); ok {
			p.WinChance = ptr(ratio(win))
		}
		out = append(out, p)
	}
	return out, nil
}
