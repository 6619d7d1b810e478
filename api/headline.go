package api

import (
	"context"
	"fmt"
	"time"

	"headway/query"
	"headway/schema"
)

// Headline answers GET headline: the main figures of a window beside the same
// window one week earlier.
type Headline struct {
	Meta               Meta     `json:"meta"`
	Figures            []Figure `json:"figures"`
	Requests           int64    `json:"requests" doc:"Distinct primary attempts."`
	RequestsBefore     int64    `json:"requests_before"`
	RatePerS           float64  `json:"rate_per_s"`
	RatePerSBefore     *float64 `json:"rate_per_s_before"`
	FailureShare       *float64 `json:"failure_share" doc:"0 to 1."`
	FailureShareBefore *float64 `json:"failure_share_before"`
	NewestAt           *string  `json:"newest_at" format:"date-time" doc:"Newest stored record; null when the store is empty."`
	FreshnessS         *float64 `json:"freshness_s" doc:"Now minus the newest stored record, seconds."`
	Spark              []Point  `json:"spark" doc:"P95 of the first figure over the window."`
	SparkUnit          string   `json:"spark_unit"`
}

// Figure is one number beside the same number a week earlier.
type Figure struct {
	Metric  string   `json:"metric" doc:"For example first_response_ms."`
	Title   string   `json:"title"`
	Q       float64  `json:"q"`
	Unit    string   `json:"unit" doc:"Unit of now and before."`
	Start   string   `json:"start"`
	End     string   `json:"end"`
	Now     *float64 `json:"now"`
	NowN    int64    `json:"now_n"`
	Before  *float64 `json:"before"`
	BeforeN int64    `json:"before_n"`

	NowAtLeast    *float64 `json:"now_at_least" doc:"In unit: the last time seen, where now was not reached because too many rows ended before; else null."`
	BeforeAtLeast *float64 `json:"before_at_least"`

	NowBelowMinN    bool `json:"now_below_min_n" doc:"now_n is below the quantile's point minimum."`
	BeforeBelowMinN bool `json:"before_below_min_n"`
}

func (h Headline) describe() Meta { return h.Meta }

func (h Headline) table() table {
	t := table{columns: []string{"metric", "q", "unit", "start", "end", "now", "now_n", "before", "before_n", "now_at_least", "before_at_least"}}
	for _, f := range h.Figures {
		t.rows = append(t.rows, []any{f.Metric, f.Q, f.Unit, f.Start, f.End, cell(f.Now), f.NowN, cell(f.Before), f.BeforeN,
			cell(f.NowAtLeast), cell(f.BeforeAtLeast)})
	}
	return t
}

func (s *Server) headline(ctx context.Context, in *input) (Headline, error) {
	q, err := query.ParseHeadline(s.Fields, in.values)
	if err != nil {
		return Headline{}, err
	}
	now := s.Now()
	sc, err := q.Resolve(now)
	if err != nil {
		return Headline{}, err
	}
	f, err := s.find(ctx, sc, "", nil)
	if err != nil {
		return Headline{}, err
	}
	a, err := s.Times.Headline(ctx, q, f.scope)
	if err != nil {
		return Headline{}, fmt.Errorf("reading the headline figures: %w", err)
	}
	return presentHeadline(a, f, s.Fields, now), nil
}

func presentHeadline(a query.HeadlineAnswer, f footing, fields *schema.Registry, now time.Time) Headline {
	f.metric.Name = "" // the strip shows several; meta's rows are those of the first
	out := Headline{
		Meta: presentMeta(a.Meta, f), Figures: []Figure{}, Requests: a.Requests, RequestsBefore: a.RequestsWas,
		RatePerS: a.RatePerSec, RatePerSBefore: finite(a.RateWas), FailureShare: finite(a.FailureShare), FailureShareBefore: finite(a.FailureWas),
		NewestAt: stampOrNull(a.Newest), FreshnessS: freshness(a.Newest, now), Spark: []Point{},
	}
	for _, g := range a.Figures {
		out.Meta.KaplanMeier = out.Meta.KaplanMeier || g.NowRaw != nil || g.BeforeRaw != nil
		out.Figures = append(out.Figures, presentFigure(g, fields))
	}
	out.Meta.Warnings = append(out.Meta.Warnings, figuresNotReached(out.Figures)...)
	if len(a.Figures) == 0 {
		return out
	}
	out.SparkUnit = string(a.Figures[0].Unit)
	for _, p := range a.Spark {
		point, _ := presentPoint(p, []float64{0.95}, schema.Field{Unit: a.Figures[0].Unit})
		out.Spark = append(out.Spark, point)
	}
	return out
}

// presentFigure shows a number also below its minimum n, and marks it.
func presentFigure(g query.Figure, fields *schema.Registry) Figure {
	title := g.Name
	if field, ok := fields.Lookup(g.Name); ok {
		title = field.Title
	}
	now := readPercentile(g.Now, g.NowRaw, g.NowN, g.Quantile, g.Unit)
	before := readPercentile(g.Before, g.BeforeRaw, g.BeforeN, g.Quantile, g.Unit)
	return Figure{Metric: g.Name, Title: title, Q: g.Quantile, Unit: string(g.Unit), Start: g.Start, End: g.End,
		Now: now.value, NowN: g.NowN, NowAtLeast: now.atLeast, NowBelowMinN: now.belowMinN,
		Before: before.value, BeforeN: g.BeforeN, BeforeAtLeast: before.atLeast, BeforeBelowMinN: before.belowMinN}
}

// figuresNotReached words the figures of this window that were not reached,
// one warning a metric.
func figuresNotReached(figures []Figure) []string {
	var out []string
	for i := 0; i < len(figures); {
		name := figures[i].Metric
		var missed []string
		for ; i < len(figures) && figures[i].Metric == name; i++ {
			if figures[i].NowAtLeast != nil {
				missed = append(missed, query.FormatQuantile(figures[i].Q))
			}
		}
		if len(missed) > 0 {
			out = append(out, sayNotReached(name, missed))
		}
	}
	return out
}

// freshness is how long ago the newest record was made, in seconds; a clock
// ahead of ours counts as 0.
func freshness(newest *time.Time, now time.Time) *float64 {
	if newest == nil {
		return nil
	}
	return ptr(max(0, now.Sub(*newest).Seconds()))
}
