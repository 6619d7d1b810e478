package hedge

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
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

// TestPredictWidens: rows of slow and fast hours need more room than the
// beta-binomial law gives, and single rows little.
func TestPredictWidens(t *testing.T) {
	r := rand.New(rand.NewPCG(63, 63))
	hours := func(spread float64) []Wait {
		var out []Wait
		for h := range 100 {
			slow := math.Exp(spread * r.NormFloat64())
			for range 20 {
				out = append(out, Wait{Micros: int64(1e6 * slow * (1 + 0.1*r.ExpFloat64())), At: monday.Add(time.Duration(h) * time.Hour)})
			}
		}
		return out
	}
	width := func(rows []Wait) (float64, RatioInterval) {
		a := Recommend(rows, nil, P90(), quick())
		return a.TriggerNext.High.Share - a.TriggerNext.Low.Share, a.TriggerNext
	}
	calm, same := width(hours(0))
	wild, next := width(hours(0.5))
	if !next.Widened || next.Exact || wild < 2*calm {
		t.Errorf("slow and fast hours %+v, one law %+v: want at least twice the width", next, same)
	}
}

func TestPredictEdges(t *testing.T) {
	x := NewDistribution(waits(10, 20, 30, 40, 50, 60, 70, 80, 90, 100))
	if r := predict(x, 5, 10, false); r.High.Share != 1 || !r.High.Valid || r.Low.Share >= 1 || r.Low.Share < 0.5 {
		t.Errorf("a delay below every row: %+v", r)
	}
	if r := predict(x, 100, 10, false); r.Low.Share != 0 || r.High.Share <= 0 {
		t.Errorf("a delay above every row: %+v", r)
	}
	if r := predict(x, 90, 10, true); !r.Exact {
		t.Errorf("a delay that is a row: %+v", r)
	}
	between, low, high := predict(x, 85, 10, true), predict(x, 80, 10, true), predict(x, 90, 10, true)
	if between.Exact || between.Low.Share > high.Low.Share || between.High.Share < low.High.Share {
		t.Errorf("between two rows %+v, want at least %+v and %+v", between, high, low)
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
