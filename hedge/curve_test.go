package hedge

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestCurveAgreesWithSingleSimulations(t *testing.T) {
	x := NewDistribution(drawn(300, 25, 12))
	for _, p := range Curve(x, x, LogSpaced(x.at[0], x.last, 40), 0.6) {
		policy := Policy{Delay: p.Delay, Q: 1}
		h, c := Independent(x, x, policy), Correlated(x, x, policy, 0.6)
		win, ok := h.Win()
		if p.Independent.P95 != h.Quantile(0.95) || p.Independent.P99 != h.Quantile(0.99) || p.Pessimistic.P95 != c.Quantile(0.95) ||
			p.Pessimistic.P99 != c.Quantile(0.99) || p.Trigger != x.Exceed(p.Delay) || p.Win != win || p.WinOK != ok {
			t.Errorf("d %d: %+v", p.Delay, p)
		}
	}
}

// TestQuickWinKeepsItsBound compares with the exact sum over all rows, also
// where single values are heavy.
func TestQuickWinKeepsItsBound(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 21))
	for _, tc := range []struct {
		name string
		next func() int64
		most float64
	}{
		{"smooth", func() int64 { return int64(1e6 * math.Exp(r.NormFloat64())) }, 1e-5},
		{"rounded to 10 ms", func() int64 { return int64(1e2*math.Exp(r.NormFloat64())) * 10_000 }, 2e-3},
		{"half at two values", func() int64 {
			if r.IntN(2) == 0 {
				return 3e6 + int64(r.IntN(2))*1e6
			}
			return int64(1e6 * math.Exp(r.NormFloat64()))
		}, 2e-3},
	} {
		t.Run(tc.name, func(t *testing.T) {
			waits := make([]Wait, 100_000)
			for i := range waits {
				waits[i] = Wait{Micros: tc.next(), Censored: i%50 == 0}
			}
			x := NewDistribution(waits)
			for _, d := range LogSpaced(10_000, x.last, 30) {
				h := Independent(x, x, Policy{Delay: d, Q: 1})
				exact, ok := h.Win()
				quick, same := h.quickWin()
				h.marks = marks(x)
				if marked, _ := h.quickWin(); marked != quick {
					t.Errorf("d %d: %v with marks, %v without", d, marked, quick)
				}
				if ok != same || math.Abs(exact-quick) > tc.most {
					t.Errorf("d %d: %v, exactly %v", d, quick, exact)
				}
			}
		})
	}
}

func TestLogSpaced(t *testing.T) {
	for _, tc := range []struct {
		name      string
		low, high int64
		n, count  int
	}{{"decades", 1000, 1_000_000, 4, 4}, {"more points than times", 1, 5, 100, 5}, {"one", 7, 900, 1, 1}, {"same ends", 7, 7, 10, 1},
		{"from nothing", 0, 10, 2, 2}, {"reversed", 9, 3, 5, 0}, {"none asked", 1, 9, 0, 0}} {
		got := LogSpaced(tc.low, tc.high, tc.n)
		if len(got) != tc.count {
			t.Errorf("%s: %v, want %d times", tc.name, got, tc.count)
		}
		for i := range got {
			if i > 0 && got[i] <= got[i-1] || got[i] < tc.low || got[i] > tc.high {
				t.Errorf("%s: %v is not ascending within %d..%d", tc.name, got, tc.low, tc.high)
			}
		}
	}
	if got := LogSpaced(1000, 1_000_000, 4); got[1] != 10_000 || got[2] != 100_000 || got[3] != 1_000_000 {
		t.Errorf("decades: %v", got)
	}
}

func TestExceedances(t *testing.T) {
	rows := drawn(500, 20, 13)
	rows[3] = Wait{Micros: 30e6, Censored: true}
	x := NewDistribution(rows)
	curve := x.Exceedances(400)
	if len(curve) > 400 || curve[len(curve)-1].Micros != 30e6 {
		t.Fatalf("%d points, the last %+v", len(curve), curve[len(curve)-1])
	}
	mass := 0.0
	for i, p := range curve {
		mass += p.Mass
		if p.Share != x.Exceed(p.Micros) || math.Abs(1-mass-p.Share) > 1e-12 || i > 0 && p.Share > curve[i-1].Share {
			t.Errorf("%+v does not fit what is before", p)
		}
	}
	if rest := curve[len(curve)-1].Share; rest <= 0 || math.Abs(rest-(1-x.Mass())) > 1e-12 {
		t.Errorf("S ends at %v, want the mass never observed", rest)
	}
	if got := NewDistribution(nil).Exceedances(10); got != nil {
		t.Errorf("no rows give %v", got)
	}
}
