package hedge

import (
	"math/rand/v2"
	"testing"
)

// TestFalseHedge counts how often a window with few slow requests is advised
// to hedge at P95 although the law's own P95 is fast, and how often one that
// deserves it is (ADR 3). Slow are 20 s, the others about 1 s; backups are
// independent in the pessimistic case too, so that only chance decides.
func TestFalseHedge(t *testing.T) {
	r := rand.New(rand.NewPCG(201, 201))
	for _, tc := range []struct {
		n         int
		slow      float64
		low, high float64 // share of windows advised to hedge
	}{{150, 0.04, 0, 0.2}, {150, 0.045, 0, 0.3}, {1000, 0.04, 0, 0.04}, {150, 0.08, 0.5, 1}, {1000, 0.08, 0.95, 1}} {
		const windows = 100
		hedge := 0
		for range windows {
			rows := make([]Wait, tc.n)
			for i := range rows {
				rows[i].Micros = int64(1e6 + 1e5*r.ExpFloat64())
				if r.Float64() < tc.slow {
					rows[i].Micros = int64(20e6 + 1e6*r.Float64())
				}
			}
			s := DefaultSettings()
			s.Target, s.Boot.Draws, s.Rho = 0.95, 100, 0.2
			hedge += b2i(Recommend(rows, nil, P90(), s).Verdict == Hedge)
		}
		share := float64(hedge) / windows
		t.Logf("n %4d, %.1f %% slow: hedge in %.3f of the windows", tc.n, 100*tc.slow, share)
		if share < tc.low || share > tc.high {
			t.Errorf("n %d, %v slow: hedge in %v of the windows, want %v to %v", tc.n, tc.slow, share, tc.low, tc.high)
		}
	}
}
