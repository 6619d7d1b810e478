package hedge

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAlarmBounds are hedge.md's: 18.0 % at n = m = 150, 12.8 % at 1,000,
// 10.85 % at 10,000.
func TestAlarmBounds(t *testing.T) {
	for _, tc := range []struct {
		n    int
		want float64
	}{{150, 0.18}, {1000, 0.128}, {10_000, 0.1085}} {
		if got := Alarm(tc.n, tc.n, 1); math.Abs(got-tc.want) > 1e-9 {
			t.Errorf("Alarm(%d) = %v, want %v", tc.n, got, tc.want)
		}
	}
	if one, many := Alarm(1000, 1000, 1), Alarm(1000, 1000, 50); many <= one {
		t.Errorf("50 keys alarm at %v, one at %v: want more room", many, one)
	}
}

// TestPredictRatioCovers draws training and next windows from one law.
func TestPredictRatioCovers(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	const n, m, rounds = 150, 150, 4000
	inside := 0
	for range rounds {
		train := make([]float64, n)
		for i := range train {
			train[i] = r.ExpFloat64()
		}
		slices.Sort(train)
		d := train[n-n/10-1] // X(135): 15 rows above
		over := 0
		for range m {
			if r.ExpFloat64() > d {
				over++
			}
		}
		iv := PredictRatio(n, n/10, m, true)
		if share := float64(over) / m; share >= iv.Low.Share && share <= iv.High.Share {
			inside++
		}
	}
	if got := float64(inside) / rounds; got < 0.95 || got > 0.975 {
		t.Errorf("coverage %.4f of %d windows, want at least 95 %% (a count can't hit it exactly)", got, rounds)
	}
}
