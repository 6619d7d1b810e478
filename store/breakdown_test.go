package store_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"headway/hedge"
	"headway/query"
	"headway/schema"
)

// kaplanMeier is the quantile of hedge, as the program wires it in.
func kaplanMeier(w query.Waits, q float64) (float64, bool) {
	waits := make([]hedge.Wait, len(w.Micros))
	for i := range waits {
		waits[i] = hedge.Wait{Micros: w.Micros[i], Censored: w.Censored[i]}
	}
	p := hedge.NewDistribution(waits).Quantile(q)
	return p.Micros, p.Reached
}

// TestBreakdownCensored has censored rows in baseline and groups: bounds and
// percentiles are then Kaplan–Meier's, those of the fixture of hedge.md.
func TestBreakdownCensored(t *testing.T) {
	t.Parallel()
	_, cfg := migrated(t)
	cfg.Quantile = kaplanMeier
	s := open(t, cfg)
	all := rows(20, 0, rand.New(rand.NewPCG(1, 1)))
	for i := range all { // 1 2 3* 4 5* 6 7 8 9 10 now, and ten times that a week ago
		r := &all[i].Record
		n := float64(i%10 + 1)
		r.Channel, r.InputTokens = "a", schema.Some[int64](5)
		r.CreatedAt = base.Add(time.Duration(i) * time.Second)
		if i >= 10 {
			r.CreatedAt, n = r.CreatedAt.Add(-7*24*time.Hour), n*10
		}
		r.Timing = schema.Timing{FirstResponse: ms(n)}
		if i%10 == 2 || i%10 == 4 {
			r.Outcome, r.Timing = schema.OutcomeTimeout, schema.Timing{UpstreamDone: ms(n)}
		}
	}
	sc := landed(t, s, all)
	a, err := s.Breakdown(t.Context(), query.Breakdown{Metric: "first_response_ms", By: "channel"}, sc)
	if err != nil || len(a.Groups) != 1 {
		t.Fatalf("%+v, %v", a, err)
	}
	g := a.Groups[0]
	close := func(got *float64, want float64) bool { return got != nil && *got > want-1e-3 && *got < want+1e-3 }
	if !close(g.P50, 6.9857) || !close(a.BandP95["0-1k"], 99.2143) || g.N != 10 || g.Censored != 2 || a.BaselineN != 10 || g.Slow != 0 {
		t.Errorf("group %+v with P50 %v, bands %v", g, *g.P50, *a.BandP95["0-1k"])
	}
}

// TestBreakdownOfRate has small values as the slow ones.
func TestBreakdownOfRate(t *testing.T) {
	t.Parallel()
	s, _ := migrated(t)
	all := rows(200, 0, rand.New(rand.NewPCG(1, 1)))
	for i := range all {
		r := &all[i].Record
		r.CreatedAt, r.Channel, r.InputTokens = base.Add(time.Duration(i)*time.Second), "a", schema.Some[int64](5)
		r.GivenTPS = schema.Some(float64(i + 1))
		if i < 100 { // a week ago 1 to 100 tokens/s: P5 is 5.95
			r.CreatedAt = r.CreatedAt.Add(-7 * 24 * time.Hour)
		} else {
			r.GivenTPS = schema.Some(float64(i%10 + 1))
		}
		r.Derived = schema.Derive(r)
	}
	sc := landed(t, s, all)
	a, err := s.Breakdown(t.Context(), query.Breakdown{Metric: "tps", By: "channel"}, sc)
	if err != nil {
		t.Fatal(err)
	}
	if g := a.Groups[0]; !near(*a.BandP95["0-1k"], 5.95) || g.Slow != 50 || !near(g.Excess, 45) || !near(*g.P50, 5.5) || len(a.Meta.Warnings) != 1 {
		t.Errorf("group %+v, bound %v, warnings %v", g, *a.BandP95["0-1k"], a.Meta.Warnings)
	}
}
