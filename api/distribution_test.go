package api

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"headway/query"
	"headway/schema"
)

// censoredTen is the fixture of the quantile rule: 1 2 3* 4 5* 6 7 8 9 10 ms.
func censoredTen() query.Waits {
	w := query.Waits{Failures: 2, Failed: 3, FateKnown: 12}
	for i := int64(1); i <= 10; i++ {
		w.Micros = append(w.Micros, i*1000)
		w.Censored = append(w.Censored, i == 3 || i == 5)
	}
	return w
}

func TestDistributionOfCensoredRows(t *testing.T) {
	b := newBench(t, nil)
	b.shelf.waits = []query.Waits{censoredTen()}
	d := decode[Distribution](t, b.get("/api/v1/distribution?metric=first_response_ms&q=p25,p75&from=now-1h"))
	want := map[float64]float64{0.25: 4.2143, 0.5: 6.9857, 0.75: 8.4929, 0.9: 9.4714}
	for _, q := range d.Quantiles {
		w, ok := want[q.Q]
		if !ok {
			continue
		}
		delete(want, q.Q)
		if q.ValueMs == nil || math.Abs(*q.ValueMs-w) > 1e-4 || *q.Value != *q.ValueMs || q.NotReached {
			t.Errorf("P%v = %+v, want %v", q.Q*100, q, w)
		}
		if q.BelowMinN != (q.Q != 0.5) {
			t.Errorf("P%v below min n: %v", q.Q*100, q.BelowMinN)
		}
	}
	if len(want) != 0 {
		t.Errorf("missing %v", want)
	}
	if d.FailureShare == nil || math.Abs(*d.FailureShare-3.0/12) > 1e-12 {
		t.Errorf("failure share %v", d.FailureShare)
	}
	var n, censored int64
	for _, bin := range d.Histogram {
		n, censored = n+bin.N, censored+bin.Censored
	}
	if n != 8 || censored != 2 {
		t.Errorf("histogram holds %d and %d", n, censored)
	}
}

func TestQuantilesNeverObserved(t *testing.T) {
	b := newBench(t, nil)
	w := query.Waits{}
	for i := range int64(100) { // half of them time out at 50 ms
		w.Micros = append(w.Micros, min(i+1, 50)*1000)
		w.Censored = append(w.Censored, i >= 50)
	}
	b.shelf.waits = []query.Waits{w}
	for _, q := range decode[Distribution](t, b.get("/api/v1/distribution?metric=first_response_ms")).Quantiles {
		if q.Q < 0.9 {
			continue
		}
		if q.ValueMs != nil || !q.NotReached || q.AtLeast == nil || *q.AtLeast != 50 {
			t.Errorf("P%v = %+v, want not reached, at least 50 ms", q.Q*100, q)
		}
	}
}

func TestDistributionWithoutRows(t *testing.T) {
	d := decode[Distribution](t, newBench(t, nil).get("/api/v1/distribution"))
	for _, q := range d.Quantiles {
		if q.Value != nil || q.Low != nil || q.NotReached || !q.BelowMinN {
			t.Errorf("%+v", q)
		}
	}
	if d.FailureShare != nil || len(d.Histogram) != 0 || len(d.Exceedance) != 0 {
		t.Errorf("%+v", d)
	}
}

// TestExceedanceCountsRows compares the curve with counting.
func TestExceedanceCountsRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	w := query.Waits{Censored: make([]bool, 1000)}
	for range 1000 {
		w.Micros = append(w.Micros, int64(math.Exp(rng.NormFloat64()+6)*1000))
	}
	metric := schema.Field{Unit: schema.UnitMillis}
	for _, e := range exceedance(lawOf(w), w, metric) {
		above := 0
		for _, v := range w.Micros {
			if float64(v)/1000 > e.At {
				above++
			}
		}
		if math.Abs(e.Share-float64(above)/1000) > 1e-9 {
			t.Fatalf("at %v: %v, counted %d", e.At, e.Share, above)
		}
	}
}

func TestBinsAreHalfOpen(t *testing.T) {
	for k := -40; k <= 80; k++ {
		if got := binOf(edge(k)); got != k {
			t.Errorf("edge %d lies in bin %d", k, got)
		}
		if got := binOf(math.Nextafter(edge(k), 0)); got != k-1 {
			t.Errorf("just below edge %d lies in bin %d", k, got)
		}
	}
	zero := histogram(query.Waits{Micros: []int64{0, 1500}, Censored: []bool{false, false}}, schema.Field{Unit: schema.UnitMillis})
	if len(zero) != 2 || zero[0].From != 0 || zero[0].To != 0 || zero[0].N != 1 {
		t.Errorf("%+v", zero)
	}
}

func TestMetricsThatAreNoTimes(t *testing.T) {
	b := newBench(t, nil)
	b.shelf.waits = []query.Waits{{Micros: []int64{24_500_000, 30_000_000}, Censored: []bool{false, false}}}
	d := decode[Distribution](t, b.get("/api/v1/distribution?metric=tps"))
	q := d.Quantiles[0]
	if d.Unit != "tokens/s" || q.ValueMs != nil || q.Value == nil || *q.Value != 27.25 {
		t.Errorf("%s %+v", d.Unit, q)
	}
}

// TestLatencyBucketsWithCensoredRows: a bucket that comes with raw values
// gets Kaplan–Meier percentiles, not those of the finished rows.
func TestLatencyBucketsWithCensoredRows(t *testing.T) {
	b := newBench(t, nil)
	w := censoredTen()
	b.shelf.latency = query.LatencyAnswer{Quantiles: []float64{0.5, 0.95}, Series: []query.Series{{N: 10, Points: []query.Point{
		{At: clock, N: 10, Censored: 2, Values: []*float64{nil, nil}, Raw: &w}}}}}
	l := decode[Latency](t, b.get("/api/v1/latency?metric=first_response_ms&q=p50,p95"))
	p := l.Series[0].Points[0]
	if p.Values[0] == nil || math.Abs(*p.Values[0]-6.9857) > 1e-4 || !l.Meta.KaplanMeier {
		t.Errorf("point %+v, meta %+v", p, l.Meta)
	}
	if p.Values[1] != nil || !p.BelowMinN[1] || len(l.Meta.Warnings) != 1 {
		t.Errorf("P95 of 10 rows: %+v, warnings %q", p, l.Meta.Warnings)
	}
}

func TestHeadlineMarksSmallN(t *testing.T) {
	b := newBench(t, nil)
	newest := clock.Add(-5 * time.Second)
	b.shelf.headline = query.HeadlineAnswer{Newest: &newest, Figures: []query.Figure{
		{Name: "first_response_ms", Quantile: 0.99, Unit: schema.UnitMillis, Now: f64(900), NowN: 298, Before: f64(800), BeforeN: 299}}}
	h := decode[Headline](t, b.get("/api/v1/headline"))
	f := h.Figures[0]
	if f.Title != "Time to First Effective Response" || !f.NowBelowMinN || f.BeforeBelowMinN || *f.Now != 900 || *h.FreshnessS != 5 {
		t.Errorf("%+v", h)
	}
}

func TestBreakdownHoldsBackSmallN(t *testing.T) {
	b := newBench(t, nil)
	b.shelf.breakdown = query.BreakdownAnswer{By: "channel", BaselineFrom: clock, BaselineTo: clock, Groups: []query.Group{
		{Value: "", N: 100, Failures: 25, FateKnown: 125, Slow: 40, Excess: 35, P50: f64(1), P95: f64(2), P99: f64(3)}}}
	g := decode[Breakdown](t, b.get("/api/v1/breakdown?metric=first_response_ms")).Groups[0]
	if g.Value != nil || *g.FailureShare != 0.2 || *g.P95Ms != 2 || g.P99 != nil {
		t.Errorf("%+v", g)
	}
}
