package api

import (
	"math"
	"strings"
	"testing"
	"time"

	"headway/query"
)

// pairsOf are n pairs of really hedged requests whose backups wait alike.
func pairsOf(n int, after, primary, backup int64) query.HedgePairs {
	out := query.HedgePairs{Kind: query.PairsHedged, Hedged: n}
	for i := range n {
		out.Pairs = append(out.Pairs, query.HedgePair{Primary: primary + int64(i), Backup: backup, After: after, At: clock.Add(-time.Duration(i) * time.Hour)})
	}
	return out
}

// TestMeasuredDecides: pairs whose backups are as slow as their primaries turn
// a route that would be hedged into one that is not.
func TestMeasuredDecides(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Hedge.Rho = 0.2 })
	b.shelf.waits = []query.Waits{heavyTail(1000, 7)}
	for _, tc := range []struct {
		name, verdict string
		pairs         query.HedgePairs
		measured      bool
	}{
		{"no pairs", "hedge", query.HedgePairs{Reason: "only one channel serves this key"}, false},
		{"too few", "hedge", pairsOf(20, 500_000, 12_000_000, 300_000), false},
		{"quick backups", "hedge", pairsOf(60, 500_000, 12_000_000, 300_000), true},
		{"slow backups", "do_not_hedge", pairsOf(60, 500_000, 12_000_000, 60_000_000), true},
	} {
		b.shelf.pairs = tc.pairs
		k := decode[Recommendation](t, b.get("/api/v1/hedge/recommendation")).Keys[0]
		if k.Verdict != tc.verdict || (k.After.Measured != nil) != tc.measured || (k.After.Unavailable["measured"] == "") != tc.measured {
			t.Errorf("%s: %s, measured %+v, %v", tc.name, k.Verdict, k.After.Measured, k.After.Unavailable)
		}
		if tc.measured && (*k.After.Measured.Pairs != 60 || *k.After.Measured.PairKind != "hedged" || *k.SavedCase != "measured") {
			t.Errorf("%s: %+v, seconds saved from %s", tc.name, k.After.Measured, *k.SavedCase)
		}
		if !tc.measured && *k.SavedCase != "pessimistic" {
			t.Errorf("%s: seconds saved from %s", tc.name, *k.SavedCase)
		}
	}
}

func TestSingleRWalkAndRank(t *testing.T) {
	b := newBench(t, func(o *Options) {
		o.Hedge.Default.Budget = 0.05
		o.Hedge.Routes = map[string]RouteSettings{"core": {Tier: TierCore}}
	})
	small, large := heavyTail(700, 7), heavyTail(2000, 7)
	small.Key = map[string]string{"model": "a", "route": "other"}
	for i := range small.Micros { // fewer requests that lose far more
		small.Micros[i] *= 20
	}
	b.shelf.waits = []query.Waits{large, small}
	r := decode[Recommendation](t, b.get("/api/v1/hedge/recommendation?target=p95"))
	if *r.Keys[0].Model != "a" || *r.Keys[0].SecondsSaved <= *r.Keys[1].SecondsSaved || r.Horizon == nil {
		t.Errorf("first %v with %v s, then %v s; horizon %v", *r.Keys[0].Model, *r.Keys[0].SecondsSaved, *r.Keys[1].SecondsSaved, r.Horizon)
	}
	if r.Keys[0].Tier != "other" || r.Keys[1].Tier != "core" {
		t.Errorf("tiers %s, %s", r.Keys[0].Tier, r.Keys[1].Tier)
	}
	for _, k := range r.Keys {
		if k.SingleR == nil || k.SingleR.SentRatio > 0.0501 || k.SingleR.Q <= 0 || k.SingleR.Q > 1 || !near(k.Budget, 0.05) {
			t.Errorf("single_r %+v", k.SingleR)
		}
		if k.Walk == nil || len(k.Walk.Days) != 6 || k.Walk.Adjusted < k.Walk.P { // the first day has none to learn from
			t.Errorf("walk %+v", k.Walk)
		}
		if p := k.After.Pessimistic; p.Enough == nil || !near(p.SavedS, *k.SecondsSaved) {
			t.Errorf("pessimistic %+v", p)
		}
	}
	if k := decode[Recommendation](t, b.get("/api/v1/hedge/recommendation?target=p99")).Keys[0]; k.SingleR != nil {
		t.Errorf("single_r for P99: %+v", k.SingleR)
	}
}

// TestCostInMoney: billing by provider narrows the range, prices make money.
func TestCostInMoney(t *testing.T) {
	b := newBench(t, func(o *Options) {
		o.Hedge.Currency, o.Hedge.Prices = "USD", map[string]Price{"m": {Input: 2, Output: 10}}
	})
	w := tenWaits()
	for i := range w.OutputTokens {
		w.OutputTokens[i] = 100
	}
	b.shelf.waits = []query.Waits{w}
	for _, tc := range []struct {
		name      string
		billing   query.Billing
		low, high int64
	}{{"unknown", query.BillingUnknown, 0, 200}, {"full", query.BillingFull, 200, 200}, {"part", query.BillingPart, 0, 0}} {
		b.shelf.billing = tc.billing
		c := decode[Simulation](t, b.get("/api/v1/hedge/simulate?hedge_after=8100us&from=now-10m&metric=first_response_ms")).Keys[0].Cost
		if *c.ExtraInputTokens != 390 || *c.ExtraOutputTokensLow != tc.low || *c.ExtraOutputTokensHigh != tc.high {
			t.Errorf("%s: %+v", tc.name, c)
		}
		in := 390.0 * 2 / 1e6
		if !exact(c.MoneyLow, in+float64(tc.low)*10/1e6) || !exact(c.MoneyHigh, in+float64(tc.high)*10/1e6) || *c.Currency != "USD" {
			t.Errorf("%s: money %v to %v", tc.name, *c.MoneyLow, *c.MoneyHigh)
		}
		spent := 750.0*2/1e6 + 1000*10/1e6
		if !near(c.MoneyShareHigh, *c.MoneyHigh/spent) {
			t.Errorf("%s: share %v", tc.name, *c.MoneyShareHigh)
		}
	}
}

func exact(got *float64, want float64) bool { return got != nil && math.Abs(*got-want) < 1e-9 }

func TestChannelsOfOneQueueAreNoBackup(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Hedge.Queues = map[string]string{"ch-1": "pool", "ch-2": "pool", "ch-3": "other"} })
	b.shelf.waits = []query.Waits{heavyTail(1000, 7)}
	for _, tc := range []struct {
		channels []query.ValueCount
		unsafe   bool
	}{
		{[]query.ValueCount{{Value: "ch-1", N: 9}, {Value: "ch-2", N: 1}}, true},
		{[]query.ValueCount{{Value: "ch-1", N: 9}, {Value: "ch-3", N: 1}}, false},
		{[]query.ValueCount{{Value: "ch-1", N: 9}, {Value: "unknown", N: 1}}, false},
		{[]query.ValueCount{{Value: "ch-1", N: 9}}, false},
	} {
		b.shelf.channels = tc.channels
		k := decode[Recommendation](t, b.get("/api/v1/hedge/recommendation")).Keys[0]
		if (k.Verdict == "unsafe") != tc.unsafe || len(k.Channels) != len(tc.channels) {
			t.Errorf("%v: %s", tc.channels, k.Verdict)
		}
	}
}

func TestMetricOfARoute(t *testing.T) {
	b := newBench(t, func(o *Options) {
		o.Hedge.Routes = map[string]RouteSettings{"chat": {Metric: "first_text_delta_ms"}, "core": {}}
	})
	b.shelf.waits = []query.Waits{heavyTail(100, 7)}
	for _, tc := range []struct{ ask, metric, warning string }{
		{"?route=chat", "first_text_delta_ms", ""},
		{"?route=chat&metric=first_response_ms", "first_response_ms", ""},
		{"?route=core", "first_response_ms", ""},
		{"", "first_response_ms", "route chat is configured to be hedged by first_text_delta_ms"},
	} {
		r := decode[Recommendation](t, b.get("/api/v1/hedge/recommendation"+tc.ask))
		if r.Meta.Metric.Name != tc.metric || !strings.Contains(strings.Join(r.Meta.Warnings, "|"), tc.warning) {
			t.Errorf("%q: %s, %q", tc.ask, r.Meta.Metric.Name, r.Meta.Warnings)
		}
	}
}

func TestBandsThatDiffer(t *testing.T) {
	b := newBench(t, nil)
	w := heavyTail(1000, 7)
	w.InputTokens = make([]int64, 1000)
	for i := range w.Micros {
		w.InputTokens[i], w.Micros[i] = 999, 200_000+int64(i)
		if i%10 == 0 {
			w.InputTokens[i], w.Micros[i] = 16_000, 9_000_000+int64(i)
		}
	}
	b.shelf.waits = []query.Waits{w}
	k := decode[Recommendation](t, b.get("/api/v1/hedge/recommendation")).Keys[0]
	if k.Bands == nil || !k.Bands.Differ || len(k.Bands.Bands) != 2 || k.Bands.Bands[1].Band != "16-64k" || *k.Bands.Bands[1].HedgeShare < 0.99 {
		t.Fatalf("%+v", k.Bands)
	}
	if one, other := k.Bands.Bands[0].HedgeAfterMs, k.Bands.Bands[1].HedgeAfterMs; *one > 202 || *other < 9000 {
		t.Errorf("thresholds %v, %v", *one, *other)
	}
	b.shelf.waits[0].InputTokens = nil
	if k := decode[Recommendation](t, b.get("/api/v1/hedge/recommendation")).Keys[0]; k.Bands != nil {
		t.Errorf("bands without sizes: %+v", k.Bands)
	}
}
