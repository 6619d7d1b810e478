package api

import (
	"context"
	"fmt"
	"slices"

	"headway/query"
)

// Latency answers GET latency: percentiles of one metric over time, by group.
type Latency struct {
	Meta      Meta      `json:"meta"`
	Quantiles []float64 `json:"quantiles" doc:"The asked quantiles, each in (0, 1); the order of every values list."`
	Unit      string    `json:"unit" doc:"Unit of every values list."`
	Series    []Series  `json:"series"`

	by []string
}

// Series is one group of a latency answer, oldest point first.
type Series struct {
	Key    map[string]*string `json:"key" doc:"Dimension to value; null where it was not recorded; empty without by."`
	N      int64              `json:"n"`
	Points []Point            `json:"points"`
}

// Point is one time bucket. A value is null where there is no data, where n is
// below the quantile's point minimum, or where the quantile was not reached.
type Point struct {
	At        string     `json:"at" format:"date-time" doc:"Start of the bucket."`
	N         int64      `json:"n"`
	Censored  int64      `json:"censored"`
	Failures  int64      `json:"failures" doc:"Error, rate limited, timeout or upstream closed; a time-out may be part of n as a censored row as well."`
	Open      bool       `json:"open" doc:"The bucket is not over yet."`
	Values    []*float64 `json:"values" doc:"One per quantile, in unit."`
	AtLeast   []*float64 `json:"at_least" doc:"One per quantile, in unit: the last time seen, where the quantile was not reached because too many rows ended before; else null."`
	BelowMinN []bool     `json:"below_min_n" doc:"One per quantile: n is below its point minimum."`
}

func (l Latency) describe() Meta { return l.Meta }

func (l Latency) table() table {
	t := table{columns: append([]string{}, l.by...)}
	t.columns = append(t.columns, "at", "n", "censored", "failures", "open", "unit")
	for _, q := range l.Quantiles {
		t.columns = append(t.columns, query.FormatQuantile(q))
	}
	for _, q := range l.Quantiles {
		t.columns = append(t.columns, query.FormatQuantile(q)+"_at_least")
	}
	for _, s := range l.Series {
		for _, p := range s.Points {
			row := make([]any, 0, len(t.columns))
			for _, d := range l.by {
				row = append(row, cell(s.Key[d]))
			}
			row = append(row, p.At, p.N, p.Censored, p.Failures, p.Open, l.Unit)
			for _, v := range slices.Concat(p.Values, p.AtLeast) {
				row = append(row, cell(v))
			}
			t.rows = append(t.rows, row)
		}
	}
	return t
}

func (s *Server) latency(ctx context.Context, in *input) (Latency, error) {
	q, err := query.ParseLatency(s.Fields, in.values)
	if err != nil {
		return Latency{}, err
	}
	sc, err := q.Resolve(s.Now())
	if err != nil {
		return Latency{}, err
	}
	if q.Step, err = sc.StepFor(q.Step); err != nil {
		return Latency{}, err
	}
	f, err := s.find(ctx, sc, q.Metric, q.By)
	if err != nil {
		return Latency{}, err
	}
	q.Metric = f.metric.Name
	a, err := s.Times.Latency(ctx, q, f.scope)
	if err != nil {
		return Latency{}, fmt.Errorf("reading percentiles of %s: %w", q.Metric, err)
	}
	return presentLatency(a, q.By, f), nil
}

func presentLatency(a query.LatencyAnswer, by []string, f footing) Latency {
	out := Latency{Meta: presentMeta(a.Meta, f), Quantiles: list(a.Quantiles), Unit: string(f.metric.Unit), Series: []Series{}, by: by}
	var short shortfall
	for _, s := range a.Series {
		series := Series{Key: keyOf(s.Key), N: s.N, Points: []Point{}}
		for _, p := range s.Points {
			out.Meta.KaplanMeier = out.Meta.KaplanMeier || p.Raw != nil
			point, why := presentPoint(p, a.Quantiles, f.metric)
			short.add(why)
			series.Points = append(series.Points, point)
		}
		out.Series = append(out.Series, series)
	}
	out.Meta.Warnings = append(out.Meta.Warnings, short.warnings()...)
	return out
}
