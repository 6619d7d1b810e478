package api

import (
	"math"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"headway/query"
)

func near(got *float64, want float64) bool {
	return got != nil && math.Abs(*got-want) <= 1e-3*math.Max(1, math.Abs(want))
}

// tenWaits is the fixture X = Y = {1..9, 30} ms.
func tenWaits() query.Waits {
	w := query.Waits{Key: map[string]string{"model": "m", "route": ""}, LeftOut: map[string]int64{"failed": 2}, Failures: 2, Failed: 3, FateKnown: 12, Censored: make([]bool, 10)}
	for _, ms := range []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 30} {
		w.Micros = append(w.Micros, ms*1000)
		w.InputTokens = append(w.InputTokens, ms*10)
		w.OutputTokens = append(w.OutputTokens, -1)
	}
	return w
}

func TestSimulateTheFixture(t *testing.T) {
	b := newBench(t, nil)
	b.shelf.waits = []query.Waits{tenWaits()}
	w := b.get("/api/v1/hedge/simulate?hedge_after=8100us&from=now-10m&metric=first_response_ms")
	s := decode[Simulation](t, w)
	k := s.Keys[0]
	if !near(k.TriggerRatio, 0.2) || !near(k.WinChance, 0.45) || !near(k.HedgeAfterMs, 8.1) || !near(k.HedgesPerMin, 0.2) {
		t.Errorf("%s", w.Body)
	}
	if !near(k.Before.P90Ms, 11.1) || !near(k.Before.P95Ms, 20.55) || !near(k.Before.P99Ms, 28.11) {
		t.Errorf("before %+v", k.Before)
	}
	if a := k.After.Independent; !near(a.P90Ms, 9.01) || !near(a.P95Ms, 9.055) || !near(a.P99Ms, 9.091) || len(a.BelowMinN) != 4 {
		t.Errorf("after %+v", a)
	}
	if k.After.Measured != nil || k.After.Unavailable["measured"] == "" || k.After.Pessimistic == nil || *k.After.Pessimistic.Rho != 0.6 {
		t.Errorf("cases %+v", k.After)
	}
	if k.Route != nil || *k.Model != "m" || k.N != 10 || k.Observed != 10 || k.Failures != 3 || !near(k.FailureShare, 3.0/12) || k.LeftOut["failed"] != 2 {
		t.Errorf("sample %+v", k.Sample)
	}
	if c := k.Cost; c.Hedges != 2 || *c.ExtraInputTokens != 390 || !near(c.ExtraInputShare, 390.0/750) || c.ExtraOutputTokensHigh != nil {
		t.Errorf("cost %+v", c)
	}
	if k.Verdict != "insufficient_data" || len(k.Reasons) == 0 {
		t.Errorf("verdict %s %v", k.Verdict, k.Reasons)
	}
}

func TestRecommendationBelowMinimumIsNull(t *testing.T) {
	b := newBench(t, nil)
	b.shelf.waits = []query.Waits{tenWaits()}
	w := b.get("/api/v1/hedge/recommendation")
	r := decode[Recommendation](t, w)
	k := r.Keys[0]
	if k.HedgeAfterMs != nil || k.TriggerRatio != nil || k.WinChance != nil || k.After.Independent != nil || k.Cost != nil || k.Interval.LowMs != nil {
		t.Errorf("%s", w.Body)
	}
	if k.Before.P50Ms == nil || k.Before.P99Ms != nil || k.Verdict != "insufficient_data" {
		t.Errorf("%s", w.Body)
	}
}

// heavyTail is a law on which hedging pays: independent waits, one in ten
// thirty times as long.
func heavyTail(n int, days int) query.Waits {
	rng := rand.New(rand.NewPCG(7, 7))
	w := query.Waits{Key: map[string]string{"model": "m", "route": "core"}, LeftOut: map[string]int64{}, Censored: make([]bool, n)}
	for i := range n {
		v := math.Exp(rng.NormFloat64()*0.3) * 400_000
		if rng.IntN(10) == 0 {
			v *= 30
		}
		w.Micros = append(w.Micros, int64(v))
		w.At = append(w.At, clock.Truncate(24*time.Hour).Add(-time.Duration(days)*24*time.Hour*time.Duration(n-i)/time.Duration(n)))
	}
	return w
}

func TestRecommendationOfAHeavyTail(t *testing.T) {
	b := newBench(t, func(o *Options) {
		o.Hedge.Rho = 0.2
		o.Hedge.Routes = map[string]RouteSettings{"core": {Configured: 900 * time.Millisecond}, "pay": {SideEffects: true}}
	})
	pay := heavyTail(1000, 7)
	pay.Key = map[string]string{"model": "m", "route": "pay"}
	b.shelf.waits = []query.Waits{heavyTail(1000, 7), pay}
	r := decode[Recommendation](t, b.get("/api/v1/hedge/recommendation"))
	k := r.Keys[0]
	if k.Verdict != "hedge" || !near(k.ConfiguredMs, 900) || k.HedgeAfterMs == nil || *k.TargetQ != 0.99 {
		t.Errorf("%+v", k)
	}
	if *k.TriggerRatio < 0.09 || *k.TriggerRatio > 0.11 || *k.TriggerInterval.Low >= *k.TriggerRatio || *k.TriggerInterval.High <= *k.TriggerRatio {
		t.Errorf("ratio %v in %+v", *k.TriggerRatio, k.TriggerInterval)
	}
	if *k.After.Independent.P99Ms >= *k.Before.P99Ms || *k.After.Pessimistic.P99Ms < *k.After.Independent.P99Ms {
		t.Errorf("P99 %v → %v, %v", *k.Before.P99Ms, *k.After.Independent.P99Ms, *k.After.Pessimistic.P99Ms)
	}
	if k.Halves == nil || k.Halves.FirstN != 500 {
		t.Errorf("halves %+v", k.Halves)
	}
	if r.Keys[1].Verdict != "unsafe" {
		t.Errorf("route with side effects: %s", r.Keys[1].Verdict)
	}
	for _, m := range r.Meta.Warnings {
		if strings.Contains(m, "days hold rows") {
			t.Errorf("a full week warns: %q", m)
		}
	}
}

func TestHedgeWindows(t *testing.T) {
	b := newBench(t, nil)
	b.shelf.waits = []query.Waits{heavyTail(100, 3)}
	r := decode[Recommendation](t, b.get("/api/v1/hedge/recommendation"))
	if r.Meta.From != "2026-11-23T00:00:00.000Z" || r.Meta.To != "2026-11-30T00:00:00.000Z" {
		t.Errorf("window %s … %s", r.Meta.From, r.Meta.To)
	}
	if !strings.Contains(strings.Join(r.Meta.Warnings, "|"), "only 3 of the seven days") {
		t.Errorf("warnings %q", r.Meta.Warnings)
	}
	b.shelf.waits = nil
	r = decode[Recommendation](t, b.get("/api/v1/hedge/recommendation"))
	if r.Meta.To != "2026-11-30T03:00:00.000Z" || !strings.Contains(strings.Join(r.Meta.Warnings, "|"), "no rows") || len(r.Keys) != 0 {
		t.Errorf("empty store: %+v", r)
	}
}

// TestCurveAgreesWithSingleDelays: each point of a curve is the simulation at
// that delay.
func TestCurveAgreesWithSingleDelays(t *testing.T) {
	b := newBench(t, nil)
	b.shelf.waits = []query.Waits{heavyTail(300, 7)}
	s := decode[Simulation](t, b.get("/api/v1/hedge/simulate?curve=5&from=now-7d"))
	points := s.Keys[0].Curve
	if len(points) != 5 || points[4].TriggerRatio != 0 || points[4].WinChance != nil {
		t.Fatalf("curve %+v", points)
	}
	for _, p := range points[1:4] {
		one := decode[Simulation](t, b.get("/api/v1/hedge/simulate?from=now-7d&hedge_after="+time.Duration(p.HedgeAfterMs*float64(time.Millisecond)).String())).Keys[0]
		if !near(one.TriggerRatio, p.TriggerRatio) || !near(one.WinChance, *p.WinChance) || !near(one.After.Independent.P99Ms, *p.Independent.P99Ms) ||
			!near(one.After.Pessimistic.P95Ms, *p.Pessimistic.P95Ms) {
			t.Errorf("at %v: %+v, alone %+v", p.HedgeAfterMs, p, one.After)
		}
	}
	csv := b.get("/api/v1/hedge/simulate?curve=5&from=now-7d&format=csv").Body.String()
	if strings.Count(csv, "\n") != 6 {
		t.Errorf("csv %s", csv)
	}
}

func TestSimulateWithAnotherBackup(t *testing.T) {
	b := newBench(t, nil)
	b.shelf.waits = []query.Waits{heavyTail(300, 7)}
	s := decode[Simulation](t, b.get("/api/v1/hedge/simulate?from=now-7d&channel=a&where=model=m&backup=model=other,route=(missing)"))
	if s.Keys[0].Backup == nil || *s.Keys[0].Backup["model"] != "m" { // the shelf has one key for all
		t.Errorf("backup %+v", s.Keys[0].Backup)
	}
	want := map[string]string{"channel": "a", "model": "other", "route": query.Missing}
	for _, c := range b.shelf.scopes[0].Where {
		if want[c.Dimension] != c.Values[0] {
			t.Errorf("backup's scope has %+v", c)
		}
		delete(want, c.Dimension)
	}
	if len(want) != 0 {
		t.Errorf("backup's scope lacks %v", want)
	}
	b.shelf.waits = nil
	if w := b.get("/api/v1/hedge/simulate?from=now-7d&backup=model=other,route=x"); w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), "no waits") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestHedgeSettings(t *testing.T) {
	for _, tc := range []struct {
		name string
		h    HedgeSettings
		want string
	}{
		{"floor", HedgeSettings{Default: RouteSettings{Floor: time.Millisecond}}, "hedge.default.floor"},
		{"cap", HedgeSettings{Routes: map[string]RouteSettings{"a": {Floor: time.Second, Cap: 500 * time.Millisecond}}}, "hedge.routes.a.cap"},
		{"target", HedgeSettings{Default: RouteSettings{Target: 0.9}}, "target"},
		{"rho", HedgeSettings{Rho: 2}, "hedge.rho"},
	} {
		if err := tc.h.validate(); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
	if r := (HedgeSettings{}).Route("any"); r.Floor != minFloor {
		t.Errorf("floor %v", r.Floor)
	}
}

// TestDangersAreInherited asks for keys with, without and with a filtered
// route: a danger named anywhere must never get lost.
func TestDangersAreInherited(t *testing.T) {
	h := HedgeSettings{Default: RouteSettings{Cap: 9 * time.Second, Timeout: time.Minute},
		Routes: map[string]RouteSettings{"core": {Configured: 2 * time.Second}, "payments": {SideEffects: true, Timeout: time.Second}}}
	route := func(op query.Op, names ...string) []query.Condition {
		return []query.Condition{{Dimension: "route", Op: op, Values: names}}
	}
	for _, tc := range []struct {
		name    string
		key     map[string]string
		where   []query.Condition
		danger  bool
		timeout time.Duration
	}{
		{"core", map[string]string{"route": "core"}, nil, false, time.Minute},
		{"payments", map[string]string{"route": "payments"}, nil, true, time.Second},
		{"no route in the key", map[string]string{"model": "m"}, nil, true, time.Minute},
		{"filtered to payments", nil, route(query.OpIn, "payments"), true, time.Second},
		{"filtered to core", nil, route(query.OpIn, "core"), false, time.Minute},
		{"filtered to both", nil, route(query.OpIn, "core", "payments"), true, time.Minute},
		{"everything but core", nil, route(query.OpNotIn, "core"), true, time.Minute},
	} {
		r := h.Key(tc.key, tc.where)
		if r.SideEffects != tc.danger || r.Timeout != tc.timeout || r.Cap != 9*time.Second {
			t.Errorf("%s: %+v, want side effects %v, time-out %s and the default's cap", tc.name, r, tc.danger, tc.timeout)
		}
	}
	h.Default.SideEffects = true
	if r := h.Route("core"); !r.SideEffects || r.Configured != 2*time.Second {
		t.Errorf("core under a dangerous default: %+v", r)
	}
}

func TestNoticeStandsWithStatistics(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Notice = "Sample data" })
	b.shelf.waits = []query.Waits{tenWaits()}
	for _, path := range []string{"latency", "distribution", "breakdown", "headline", "hedge/recommendation", "hedge/simulate", "fields"} {
		if w := b.get("/api/v1/" + path); w.Code != 200 || !strings.Contains(w.Body.String(), "Sample data") {
			t.Errorf("%s: %d lacks the notice", path, w.Code)
		}
	}
}
