package api

import (
	"context"
	"fmt"

	"headway/hedge"
	"headway/query"
	"headway/schema"
)

// Distribution answers GET distribution: quantiles with intervals, histogram
// and exceedance curve of one metric.
type Distribution struct {
	Meta         Meta         `json:"meta"`
	Unit         string       `json:"unit" doc:"Unit of value, low, high, from, to and at."`
	Quantiles    []Quantile   `json:"quantiles"`
	Histogram    []Bin        `json:"histogram" doc:"Bins with at least one row, in order."`
	Exceedance   []Exceedance `json:"exceedance" doc:"Share of rows above a value, largest share first."`
	FailureShare *float64     `json:"failure_share" doc:"Failures (error, rate limited, timeout, upstream closed) of the attempts whose fate is known, 0 to 1."`
}

// Quantile is one quantile with its two-sided 95 % interval from order
// statistics. A bound is null where the interval has no end.
type Quantile struct {
	Q          float64  `json:"q"`
	ValueMs    *float64 `json:"value_ms" doc:"Null where not reached, or where the metric is no time."`
	LowMs      *float64 `json:"low_ms"`
	HighMs     *float64 `json:"high_ms"`
	Value      *float64 `json:"value" doc:"The same in unit, whatever the metric."`
	Low        *float64 `json:"low"`
	High       *float64 `json:"high"`
	BelowMinN  bool     `json:"below_min_n" doc:"n is below the point minimum of this quantile."`
	NotReached bool     `json:"not_reached" doc:"The quantile lies in the mass that was never observed."`
	AtLeast    *float64 `json:"at_least" doc:"Where not reached: the last time seen, in unit."`
}

// Bin is one logarithmic bin, [from, to).
type Bin struct {
	From     float64 `json:"from"`
	To       float64 `json:"to"`
	N        int64   `json:"n" doc:"Observed rows in the bin."`
	Censored int64   `json:"censored" doc:"Rows whose observation ended in the bin."`
}

// Exceedance is one point of the exceedance curve P(X > at).
type Exceedance struct {
	At    float64 `json:"at"`
	Share float64 `json:"share" doc:"0 to 1; Kaplan–Meier where rows are censored."`
}

func (d Distribution) describe() Meta { return d.Meta }

func (d Distribution) table() table {
	t := table{columns: []string{"q", "value", "low", "high", "unit", "below_min_n", "not_reached", "at_least"}}
	for _, q := range d.Quantiles {
		t.rows = append(t.rows, []any{q.Q, cell(q.Value), cell(q.Low), cell(q.High), d.Unit, q.BelowMinN, q.NotReached, cell(q.AtLeast)})
	}
	return t
}

func (s *Server) distribution(ctx context.Context, in *input) (Distribution, error) {
	q, err := query.ParseDistribution(s.Fields, in.values)
	if err != nil {
		return Distribution{}, err
	}
	sc, err := q.Resolve(s.Now())
	if err != nil {
		return Distribution{}, err
	}
	f, err := s.find(ctx, sc, q.Metric, nil)
	if err != nil {
		return Distribution{}, err
	}
	waits, m, err := s.Waits.Waits(ctx, f.scope, f.metric, nil, query.WaitMetric)
	if err != nil {
		return Distribution{}, fmt.Errorf("reading the values of %s: %w", f.metric.Name, err)
	}
	if !q.Explain {
		m.SQL = nil
	}
	return presentDistribution(waits, m, q.Quantiles, f), nil
}

func presentDistribution(waits []query.Waits, m query.Meta, quantiles []float64, f footing) Distribution {
	var all query.Waits // without groups there is at most one key
	if len(waits) > 0 {
		all = waits[0]
	}
	m.KaplanMeier = m.Censored > 0
	out := Distribution{Meta: presentMeta(m, f), Unit: string(f.metric.Unit), Quantiles: []Quantile{}}
	out.FailureShare = share(all.Failed, all.FateKnown)
	law := lawOf(all)
	for _, q := range quantiles {
		out.Quantiles = append(out.Quantiles, presentQuantile(law, q, f.metric))
	}
	out.Histogram, out.Exceedance = histogram(all, f.metric), exceedance(law, all, f.metric)
	return out
}

func presentQuantile(law hedge.Distribution, q float64, metric schema.Field) Quantile {
	p, i := law.Quantile(q), law.Interval(q)
	out := Quantile{Q: q, BelowMinN: p.BelowMinN, NotReached: !p.Reached && law.N() > 0}
	if p.Reached {
		out.Value = inUnit(metric, p.Micros)
	} else if law.N() > 0 {
		out.AtLeast = inUnit(metric, float64(p.AtLeast))
	}
	out.Low, out.High = boundIn(metric, i.Low), boundIn(metric, i.High)
	out.ValueMs, out.LowMs, out.HighMs = inMillis(metric, out.Value), inMillis(metric, out.Low), inMillis(metric, out.High)
	return out
}
