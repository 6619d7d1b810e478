package api

import (
	"context"
	"fmt"

	"headway/query"
)

// Breakdown answers GET breakdown: groups sorted by their contribution to
// excess slow requests.
type Breakdown struct {
	Meta         Meta                `json:"meta"`
	By           string              `json:"by"`
	Unit         string              `json:"unit" doc:"Unit of p50, p95, p99 and band_p95."`
	BaselineFrom string              `json:"baseline_from" format:"date-time"`
	BaselineTo   string              `json:"baseline_to" format:"date-time"`
	BaselineN    int64               `json:"baseline_n"`
	BandP95      map[string]*float64 `json:"band_p95" doc:"The baseline's P95 by input band; (missing) where tokens are unknown."`
	Groups       []Group             `json:"groups"`
}

// Group is one row of a breakdown. Shares are 0 to 1.
type Group struct {
	Value        *string  `json:"value" doc:"Null where the dimension was not recorded."`
	N            int64    `json:"n"`
	Censored     int64    `json:"censored"`
	Failures     int64    `json:"failures"`
	FailureShare *float64 `json:"failure_share" doc:"Failures of the attempts whose fate is known, 0 to 1; a time-out is a failure and may be censored as well."`
	Slow         int64    `json:"slow" doc:"Rows above the baseline's P95 of the same input band."`
	Excess       float64  `json:"excess" doc:"slow minus the 5 % expected."`
	P50          *float64 `json:"p50" doc:"In unit; null below the minimum n or not reached."`
	P95          *float64 `json:"p95"`
	P99          *float64 `json:"p99"`
	P50AtLeast   *float64 `json:"p50_at_least" doc:"In unit: the last time seen in the group, where p50 was not reached because too many rows ended before; else null."`
	P95AtLeast   *float64 `json:"p95_at_least"`
	P99AtLeast   *float64 `json:"p99_at_least"`
	P50Ms        *float64 `json:"p50_ms" doc:"The same where the metric is a time."`
	P95Ms        *float64 `json:"p95_ms"`
	P99Ms        *float64 `json:"p99_ms"`
}

func (b Breakdown) describe() Meta { return b.Meta }

func (b Breakdown) table() table {
	t := table{columns: []string{b.By, "n", "censored", "failures", "failure_share", "slow", "excess", "p50", "p95", "p99", "unit",
		"p50_at_least", "p95_at_least", "p99_at_least"}}
	for _, g := range b.Groups {
		t.rows = append(t.rows, []any{cell(g.Value), g.N, g.Censored, g.Failures, cell(g.FailureShare), g.Slow, g.Excess,
			cell(g.P50), cell(g.P95), cell(g.P99), b.Unit,
			cell(g.P50AtLeast), cell(g.P95AtLeast), cell(g.P99AtLeast)})
	}
	return t
}

func (s *Server) breakdown(ctx context.Context, in *input) (Breakdown, error) {
	q, err := query.ParseBreakdown(s.Fields, in.values)
	if err != nil {
		return Breakdown{}, err
	}
	sc, err := q.Resolve(s.Now())
	if err != nil {
		return Breakdown{}, err
	}
	f, err := s.find(ctx, sc, q.Metric, []string{q.By})
	if err != nil {
		return Breakdown{}, err
	}
	q.Metric = f.metric.Name
	a, err := s.Times.Breakdown(ctx, q, f.scope)
	if err != nil {
		return Breakdown{}, fmt.Errorf("breaking down %s by %s: %w", q.Metric, q.By, err)
	}
	last, err := s.lastSeen(ctx, &a, q, f)
	if err != nil {
		return Breakdown{}, err
	}
	return presentBreakdown(a, f, last), nil
}

func presentBreakdown(a query.BreakdownAnswer, f footing, last laws) Breakdown {
	out := Breakdown{
		Meta: presentMeta(a.Meta, f), By: a.By, Unit: string(f.metric.Unit),
		BaselineFrom: stamp(a.BaselineFrom), BaselineTo: stamp(a.BaselineTo), BaselineN: a.BaselineN,
		BandP95: map[string]*float64{}, Groups: []Group{},
	}
	for band, v := range a.BandP95 {
		if band == "" {
			band = query.Missing
		}
		out.BandP95[band] = finite(v)
	}
	for _, g := range a.Groups {
		shown := last.read(g, f.metric)
		p50, p95, p99 := shown[0].value, shown[1].value, shown[2].value
		out.Groups = append(out.Groups, Group{
			P50AtLeast: shown[0].atLeast, P95AtLeast: shown[1].atLeast, P99AtLeast: shown[2].atLeast,
			Value: orNull(g.Value), N: g.N, Censored: g.Censored, Failures: g.Failures, FailureShare: share(g.Failures, g.FateKnown),
			Slow: g.Slow, Excess: g.Excess, P50: p50, P95: p95, P99: p99,
			P50Ms: inMillis(f.metric, p50), P95Ms: inMillis(f.metric, p95), P99Ms: inMillis(f.metric, p99),
		})
	}
	return out
}
