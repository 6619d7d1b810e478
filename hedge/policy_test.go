package hedge

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSingleR is hedge.md's table of optimal policies, independent and
// identical primary and backup.
func TestSingleR(t *testing.T) {
	for _, tc := range []struct {
		name      string
		inverse   func(float64) float64
		budget, k float64
		d, q, t   float64
		tolerance float64 // half of the last digit of d and q in the table
	}{
		{"Exp(1)", exponential, 0.10, 0.95, 1.8971, 0.6667, 2.5903, 1e-3},
		{"Exp(1)", exponential, 0.10, 0.99, 2.3026, 1, 3.4539, 1e-3},
		{"Pareto", pareto, 0.05, 0.95, 15.08, 0.461, 21.24, 1.2e-3},
		{"Pareto", pareto, 0.10, 0.95, 11.61, 0.692, 17.18, 1.2e-3},
		{"Pareto", pareto, 0.02, 0.99, 50.17, 0.692, 60.30, 1.2e-3},
		{"LogNormal", logNormal(1, 1), 0.05, 0.95, 8.78, 0.415, 12.23, 1.3e-3},
		{"LogNormal", logNormal(1, 1), 0.10, 0.95, 7.65, 0.665, 10.98, 1.3e-3},
	} {
		x := grid(tc.inverse)
		if tc.q == 0.6667 { // a flat optimum needs a finer grid
			x = gridOf(tc.inverse, 1_600_001)
		}
		best, ok := SingleR(x, x, tc.budget, tc.k, 0)
		if !ok {
			t.Fatalf("%s: no policy", tc.name)
		}
		t.Logf("%s B %v k %v: d %.4f q %.4f t %.4f", tc.name, tc.budget, tc.k, float64(best.Delay)/second, best.Q, seconds(best.Reaches))
		near(t, tc.name+" d", float64(best.Delay)/second, tc.d, tc.tolerance)
		near(t, tc.name+" q", best.Q, tc.q, tc.tolerance)
		near(t, tc.name+" t", seconds(best.Reaches), tc.t, 1e-3)
		if best.Sent > tc.budget+1e-9 {
			t.Errorf("%s: sends %v, budget %v", tc.name, best.Sent, tc.budget)
		}
	}
}

// TestSingleDGainsNothing: with the budget at the target's own tail, sending
// to all comes too late (hedge.md: 30.46).
func TestSingleDGainsNothing(t *testing.T) {
	x := grid(pareto)
	best, ok := SingleD(x, x, 0.05, 0.95, 0)
	if !ok || best.Q != 1 || best.Sent > 0.05+1e-9 {
		t.Fatalf("%+v", best)
	}
	near(t, "t", seconds(best.Reaches), 30.46, 1e-3)
}

// TestSingleRAgainstAllPolicies tries every delay of small laws.
func TestSingleRAgainstAllPolicies(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 31))
	for range 200 {
		rows := func(n int) Distribution {
			waits := make([]Wait, n)
			for i := range waits {
				waits[i] = Wait{Micros: int64(1 + r.ExpFloat64()*20), Censored: r.IntN(12) == 0}
			}
			return NewDistribution(waits)
		}
		x, y := rows(5+r.IntN(30)), rows(5+r.IntN(30))
		budget, k, floor := 0.02+0.3*r.Float64(), 0.5+0.45*r.Float64(), int64(r.IntN(20))
		least := int64(-1) // smallest t at which any policy reaches k
		for t := int64(0); t < 400 && least < 0; t++ {
			for d := floor; d <= max(t, floor); d++ {
				p := Policy{Delay: d, Q: math.Min(1, budget/math.Max(1e-300, x.Exceed(d)))}
				if Independent(x, y, p).CDF(t) >= k-1e-9 {
					least = t
					break
				}
			}
		}
		best, ok := SingleR(x, y, budget, k, floor)
		if ok != (least >= 0) {
			t.Fatalf("found %v, all policies say %d", ok, least)
		}
		if !ok {
			continue
		}
		h := Independent(x, y, best.Policy)
		if h.CDF(least) < k-1e-9 && least >= floor || best.Delay < floor || best.Sent > budget+1e-9 {
			t.Fatalf("%+v gives %v at %d, want %v (budget %v, floor %d)", best, h.CDF(least), least, k, budget, floor)
		}
	}
}

func TestNoPolicy(t *testing.T) {
	if best, ok := SingleR(NewDistribution(nil), NewDistribution(nil), 0.1, 0.95, 0); ok {
		t.Errorf("no rows give %+v", best)
	}
	cut := waits(1, 2, 3, 4, 9, 9, 9, 9, 9, 9)
	for i := 4; i < len(cut); i++ {
		cut[i].Censored = true
	}
	x := NewDistribution(cut)
	if best, ok := SingleD(x, x, 0.1, 0.95, 0); ok {
		t.Errorf("60 %% never answered, yet %+v", best)
	}
}
