package api

import (
	"strings"
	"testing"
	"time"

	"headway/query"
	"headway/schema"
)

// hang is n rows of which those from observed on ended at a time-out of 60 s.
func hang(n, observed int) query.Waits {
	var w query.Waits
	for i := range n {
		v := int64(60_000_000)
		if i < observed {
			v = int64(i+1) * 1000
		}
		w.Micros, w.Censored = append(w.Micros, v), append(w.Censored, i >= observed)
		w.At = append(w.At, clock.Add(time.Duration(i-n)*time.Second))
	}
	return w
}

// warned tells whether exactly one warning holds all the texts.
func warned(warnings []string, texts ...string) bool {
	found := 0
	for _, w := range warnings {
		all := true
		for _, text := range texts {
			all = all && strings.Contains(w, text)
		}
		if all {
			found++
		}
	}
	return found == 1
}

// TestTotalHangShowsInLatency: nothing was observed, and that is no absence
// of data.
func TestTotalHangShowsInLatency(t *testing.T) {
	b := newBench(t, nil)
	w := hang(400, 0)
	b.shelf.latency = query.LatencyAnswer{Quantiles: []float64{0.5, 0.99}, Series: []query.Series{{N: 400, Points: []query.Point{
		{At: clock, N: 400, Censored: 400, Values: []*float64{nil, nil}, Raw: &w}}}}}
	l := decode[Latency](t, b.get("/api/v1/latency?metric=first_response_ms&q=p50,p99"))
	p := l.Series[0].Points[0]
	for i := range p.Values {
		if p.Values[i] != nil || p.BelowMinN[i] || p.AtLeast[i] == nil || *p.AtLeast[i] != 60_000 {
			t.Errorf("quantile %v: %+v, want at least 60,000 ms", l.Quantiles[i], p)
		}
	}
	if len(l.Meta.Warnings) != 1 || !warned(l.Meta.Warnings, "2 values", "not reached", "at_least") {
		t.Errorf("warnings %q", l.Meta.Warnings)
	}
	csv := b.get("/api/v1/latency?metric=first_response_ms&q=p50,p99&format=csv").Body.String()
	if !strings.HasPrefix(csv, "at,n,censored,failures,open,unit,p50,p99,p50_at_least,p99_at_least\n") || !strings.Contains(csv, ",,,60000,60000\n") {
		t.Errorf("csv %s", csv)
	}
}

// TestEachNullHasItsOwnReason: few rows, not reached, and both are told
// apart.
func TestEachNullHasItsOwnReason(t *testing.T) {
	b := newBench(t, nil)
	half, few := hang(400, 300), hang(100, 40)
	b.shelf.latency = query.LatencyAnswer{Quantiles: []float64{0.5, 0.99}, Series: []query.Series{{N: 600, Points: []query.Point{
		{At: clock, N: 400, Censored: 100, Raw: &half},
		{At: clock.Add(time.Minute), N: 100, Censored: 60, Raw: &few},
		{At: clock.Add(2 * time.Minute), N: 100, Values: []*float64{f64(5), f64(9)}},
		{At: clock.Add(3 * time.Minute)},
	}}}}
	l := decode[Latency](t, b.get("/api/v1/latency?metric=first_response_ms&q=p50,p99"))
	p := l.Series[0].Points
	if p[0].Values[0] == nil || p[0].AtLeast[0] != nil || p[0].AtLeast[1] == nil || *p[0].AtLeast[1] != 60_000 {
		t.Errorf("p99 above the observed mass: %+v", p[0])
	}
	if p[1].AtLeast[0] == nil || p[1].AtLeast[1] != nil || !p[1].BelowMinN[1] {
		t.Errorf("p99 of 100 rows is held back: %+v", p[1])
	}
	if p[3].AtLeast[0] != nil {
		t.Errorf("a bucket without rows: %+v", p[3])
	}
	w := l.Meta.Warnings
	if len(w) != 3 || !warned(w, "2 values", "at_least") || !warned(w, "1 values", "not reached", "fewer rows") || !strings.HasPrefix(w[2], "1 values are null: their bucket has fewer rows") {
		t.Errorf("warnings %q", w)
	}
}

func TestTotalHangShowsInHeadline(t *testing.T) {
	b := newBench(t, nil)
	now, few := hang(400, 0), hang(5, 0)
	b.shelf.headline = query.HeadlineAnswer{Figures: []query.Figure{
		{Name: "first_response_ms", Quantile: 0.5, Unit: schema.UnitMillis, NowN: 400, NowRaw: &now, Before: f64(800), BeforeN: 400},
		{Name: "first_response_ms", Quantile: 0.95, Unit: schema.UnitMillis, NowN: 400, NowRaw: &now, BeforeN: 5, BeforeRaw: &few},
		{Name: "tps", Quantile: 0.5, Unit: schema.UnitTokensPerSec, Now: f64(30), NowN: 400}},
		Spark: []query.Point{{At: clock, N: 400, Censored: 400, Raw: &now}}}
	h := decode[Headline](t, b.get("/api/v1/headline"))
	f := h.Figures
	if f[0].Now != nil || f[0].NowAtLeast == nil || *f[0].NowAtLeast != 60_000 || f[0].BeforeAtLeast != nil || *f[0].Before != 800 {
		t.Errorf("%+v", f[0])
	}
	if f[1].BeforeAtLeast == nil || !f[1].BeforeBelowMinN || f[2].NowAtLeast != nil {
		t.Errorf("%+v, %+v", f[1], f[2])
	}
	if len(h.Meta.Warnings) != 1 || !warned(h.Meta.Warnings, "p50, p95 of first_response_ms", "not reached") {
		t.Errorf("warnings %q", h.Meta.Warnings)
	}
	if h.Spark[0].AtLeast[0] == nil {
		t.Errorf("spark %+v", h.Spark[0])
	}
}

// TestTotalHangShowsInBreakdown: storage gives groups no lower bound, so
// their values are asked for.
func TestTotalHangShowsInBreakdown(t *testing.T) {
	b := newBench(t, nil)
	stuck := hang(400, 0)
	stuck.Key = map[string]string{"channel": ""}
	b.shelf.waits = []query.Waits{stuck}
	b.shelf.breakdown = query.BreakdownAnswer{By: "channel", BaselineFrom: clock, BaselineTo: clock, Groups: []query.Group{
		{Value: "", N: 400, Censored: 400},
		{Value: "ch-2", N: 400, P50: f64(1), P95: f64(2), P99: f64(3)},
		{Value: "ch-3", N: 3, Censored: 3},
	}}
	a := decode[Breakdown](t, b.get("/api/v1/breakdown?metric=first_response_ms&model=m"))
	for _, least := range []*float64{a.Groups[0].P50AtLeast, a.Groups[0].P95AtLeast, a.Groups[0].P99AtLeast} {
		if least == nil || *least != 60_000 {
			t.Errorf("%+v", a.Groups[0])
		}
	}
	if a.Groups[1].P99AtLeast != nil || a.Groups[2].P50AtLeast != nil {
		t.Errorf("%+v", a.Groups)
	}
	if !warned(a.Meta.Warnings, "not reached", "1 groups ((missing))") {
		t.Errorf("warnings %q", a.Meta.Warnings)
	}
	last := b.shelf.scope.Where[len(b.shelf.scope.Where)-1]
	if last.Dimension != "channel" || len(last.Values) != 1 || last.Values[0] != query.Missing || len(b.shelf.scope.Where) != 2 {
		t.Errorf("asked for %+v", b.shelf.scope.Where)
	}
}

// TestTotalHangShowsInHedging: a tail that is never seen is at least the last
// time seen, and what hedging gains on it has a lower bound only.
func TestTotalHangShowsInHedging(t *testing.T) {
	b := newBench(t, nil)
	w := hang(1000, 950)
	w.Key = map[string]string{"model": "m", "route": "r"}
	b.shelf.waits = []query.Waits{w}
	s := decode[Simulation](t, b.get("/api/v1/hedge/simulate?hedge_after=500ms&target=p99"))
	checkUnreached(t, "simulate", s.Meta, s.Keys[0].Before, s.Keys[0].After)
	r := decode[Recommendation](t, b.get("/api/v1/hedge/recommendation?target=p99"))
	checkUnreached(t, "recommendation", r.Meta, r.Keys[0].Before, r.Keys[0].After)
	half := hang(1000, 500) // a backup hangs as often, so that a quarter is never seen
	half.Key = w.Key
	b.shelf.waits = []query.Waits{half}
	for _, p := range decode[Simulation](t, b.get("/api/v1/hedge/simulate?curve=3")).Keys[0].Curve {
		if a := p.Independent; a.P99Ms != nil || a.P99AtLeastMs == nil || *a.P99AtLeastMs < 60_000 {
			t.Errorf("curve at %v ms: %+v", p.HedgeAfterMs, a)
		}
	}
}

func checkUnreached(t *testing.T, name string, m Meta, before Percentiles, after After) {
	t.Helper()
	if before.P99Ms != nil || before.AtLeastMs["p99"] != 60_000 || before.P50Ms == nil || before.AtLeastMs["p50"] != 0 {
		t.Errorf("%s: before %+v", name, before)
	}
	if !warned(m.Warnings, "not reached in 1 of 1 keys") {
		t.Errorf("%s: warnings %q", name, m.Warnings)
	}
	h := after.Independent
	if h == nil || h.P99Ms == nil || h.GainMs != nil || h.GainHighMs != nil || h.GainAtLeast == nil || *h.GainAtLeast != tidy(60_000-*h.P99Ms) {
		t.Errorf("%s: independent %+v", name, h)
	}
}
