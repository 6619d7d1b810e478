package hedge

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func waits(values ...int64) []Wait {
	out := make([]Wait, len(values))
	for i, v := range values {
		out[i].Micros = v
	}
	return out
}

func quantileOf(t *testing.T, d interface{ Quantile(float64) Point }, q float64) float64 {
	t.Helper()
	p := d.Quantile(q)
	if !p.Reached {
		t.Fatalf("quantile %v is not reached", q)
	}
	return p.Micros
}

// TestCensoredFixture is hedge.md's fixture 1 2 3* 4 5* 6 7 8 9 10.
func TestCensoredFixture(t *testing.T) {
	rows := waits(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
	rows[2].Censored, rows[4].Censored = true, true
	d := NewDistribution(rows)
	for q, want := range map[float64]float64{0.25: 4.2143, 0.5: 6.9857, 0.75: 8.4929, 0.9: 9.4714} {
		if got := quantileOf(t, d, q); math.Abs(got-want) > 5e-5 {
			t.Errorf("P%v = %.5f, want %.4f", q*100, got, want)
		}
	}
}

// TestHedgedFixture is hedge.md's fixture X = Y = {1..9, 30}, d = 8.1.
func TestHedgedFixture(t *testing.T) {
	x := NewDistribution(waits(10, 20, 30, 40, 50, 60, 70, 80, 90, 300))
	p := Policy{Delay: 81, Q: 1}
	if got := p.Trigger(x); math.Abs(got-0.2) > 1e-12 {
		t.Errorf("trigger %v, want 0.2", got)
	}
	h := Independent(x, x, p)
	if win, ok := h.Win(); !ok || math.Abs(win-0.45) > 1e-12 {
		t.Errorf("win chance %v, want 0.45", win)
	}
	for i, q := range []float64{0.8, 0.9, 0.95, 0.99} {
		before, after := []float64{82, 111, 205.5, 281.1}[i], []float64{82, 90.1, 90.55, 90.91}[i]
		if got := quantileOf(t, x, q); math.Abs(got-before) > 1e-9 {
			t.Errorf("P%v before = %v, want %v", q*100, got, before)
		}
		if got := quantileOf(t, h, q); math.Abs(got-after) > 1e-9 {
			t.Errorf("P%v after = %v, want %v", q*100, got, after)
		}
	}
}

// TestEqualMassesGiveType7 compares with the textbook formula on sorted
// random values with ties.
func TestEqualMassesGiveType7(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		n := 1 + r.IntN(60)
		rows := make([]Wait, n)
		for i := range rows {
			rows[i].Micros = r.Int64N(40)
		}
		d := NewDistribution(rows)
		slices.SortFunc(rows, func(a, b Wait) int { return int(a.Micros - b.Micros) })
		for _, q := range []float64{0, 0.1, 0.5, 0.77, 0.9, 0.99, 1} {
			h := q * float64(n-1)
			lo := int(h)
			hi := min(lo+1, n-1)
			want := float64(rows[lo].Micros) + (h-float64(lo))*float64(rows[hi].Micros-rows[lo].Micros)
			if got := quantileOf(t, d, q); math.Abs(got-want) > 1e-6 {
				t.Fatalf("n %d, q %v: %v, want %v", n, q, got, want)
			}
		}
	}
}

// TestHedgingNeverHurts holds for any law, censored or not, any delay and any
// correlation: no quantile rises, those at or below F(d) stay, and a backup
// that can't win changes nothing.
func TestHedgingNeverHurts(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	draw := func(n int, scale float64) []Wait {
		rows := make([]Wait, n)
		for i := range rows {
			rows[i] = Wait{Micros: int64(scale * r.ExpFloat64()), Censored: r.Float64() < 0.1}
		}
		return rows
	}
	for range 400 {
		x, y := NewDistribution(draw(2+r.IntN(80), 100)), NewDistribution(draw(2+r.IntN(80), 100))
		p := Policy{Delay: int64(200 * r.Float64()), Q: []float64{0, 0.5, 1}[r.IntN(3)]}
		for _, rho := range []float64{0, 0.6, 0.97} {
			h := Correlated(x, y, p, rho)
			win, _ := h.Win()
			for _, q := range []float64{0.1, 0.5, 0.9, 0.95, 0.99} {
				before, after := x.Quantile(q), h.Quantile(q)
				if before.Reached && (!after.Reached || after.Micros > before.Micros+1e-6) {
					t.Fatalf("rho %v, %+v, q %v: %+v became %+v", rho, p, q, before, after)
				}
				unmoved := q <= x.CDF(p.Delay-1)-1/float64(x.N()) || p.Q == 0
				if unmoved && before.Reached && math.Abs(after.Micros-before.Micros) > 1e-6 {
					t.Fatalf("rho %v, %+v, q %v: %+v moved to %+v (win %v)", rho, p, q, before, after, win)
				}
			}
		}
	}
	x := NewDistribution(waits(1, 2, 3, 4, 5, 6, 7, 8, 9, 10))
	never := Independent(x, NewDistribution(waits(50, 60)), Policy{Delay: 5, Q: 1})
	if win, _ := never.Win(); win != 0 {
		t.Fatalf("win %v of a backup that is always slower", win)
	}
	for q := 0.0; q <= 1; q += 0.01 {
		if a, b := quantileOf(t, x, q), quantileOf(t, never, q); math.Abs(a-b) > 1e-9 {
			t.Errorf("q %v moved from %v to %v though no backup wins", q, a, b)
		}
	}
}

// TestSimulationAgainstBruteForce enumerates every pair of primary and backup.
func TestSimulationAgainstBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 100 {
		n, m := 2+r.IntN(30), 1+r.IntN(30)
		xs, ys := make([]Wait, n), make([]Wait, m)
		for i := range xs {
			xs[i].Micros = r.Int64N(50)
		}
		for i := range ys {
			ys[i].Micros = r.Int64N(50)
		}
		d := r.Int64N(50)
		h := Independent(NewDistribution(xs), NewDistribution(ys), Policy{Delay: d, Q: 1})
		wins, over := 0, 0
		counts := map[int64]int{}
		for _, x := range xs {
			for _, y := range ys {
				q := x.Micros
				if x.Micros > d {
					over++
					if d+y.Micros < x.Micros {
						wins++
						q = d + y.Micros
					}
				}
				counts[q]++
			}
		}
		if win, ok := h.Win(); ok != (over > 0) || ok && math.Abs(win-float64(wins)/float64(over)) > 1e-9 {
			t.Fatalf("win %v, want %d of %d", win, wins, over)
		}
		cum := 0
		for v := int64(0); v <= 110; v++ {
			cum += counts[v]
			if want := float64(cum) / float64(n*m); math.Abs(h.CDF(v)-want) > 1e-9 {
				t.Fatalf("P(Q ≤ %d) = %v, want %v", v, h.CDF(v), want)
			}
		}
	}
}

func TestNotReached(t *testing.T) {
	rows := waits(1, 2, 3, 4, 5, 6, 7, 8, 9, 9)
	rows[8].Censored, rows[9].Censored = true, true
	p := NewDistribution(rows).Quantile(0.95)
	if p.Reached || p.AtLeast != 9 {
		t.Errorf("%+v, want not reached, at least 9", p)
	}
	if p := NewDistribution(nil).Quantile(0.5); p.Reached {
		t.Errorf("no rows give %+v", p)
	}
	if p := NewDistribution(waits(7)).Quantile(0.5); !p.Reached || p.Micros != 7 || !p.BelowMinN {
		t.Errorf("one row gives %+v", p)
	}
}

func TestMinimumN(t *testing.T) {
	for _, tc := range []struct {
		q               float64
		point, interval int
	}{{0.9, 29, 36}, {0.95, 59, 72}, {0.99, 299, 368}, {0.999, 2995, 3688}} {
		if got := MinPoint(tc.q); got != tc.point {
			t.Errorf("MinPoint(%v) = %d, want %d", tc.q, got, tc.point)
		}
		if got := MinInterval(tc.q); got != tc.interval {
			t.Errorf("MinInterval(%v) = %d, want %d", tc.q, got, tc.interval)
		}
		if low, high := Ranks(tc.interval, tc.q); low < 1 || high > tc.interval {
			t.Errorf("n %d, q %v: ranks %d..%d, want both ends", tc.interval, tc.q, low, high)
		}
		if _, high := Ranks(tc.interval-1, tc.q); high <= tc.interval-1 {
			t.Errorf("n %d, q %v: upper rank %d, want no end", tc.interval-1, tc.q, high)
		}
	}
}

// TestIntervalWithoutEnd: a bound beyond the rows, or in mass never observed,
// is none.
func TestIntervalWithoutEnd(t *testing.T) {
	few := NewDistribution(drawn(71, 4, 17))
	if iv := few.Interval(0.95); iv.High.Valid || !iv.Low.Valid {
		t.Errorf("71 rows: %+v, want no upper end", iv)
	}
	if iv := NewDistribution(drawn(72, 4, 17)).Interval(0.95); !iv.High.Valid || iv.High.Micros < 20e6 {
		t.Errorf("72 rows: %+v, want the largest row as upper end", iv)
	}
	rows := drawn(400, 20, 18)
	for i := range rows {
		rows[i].Censored = rows[i].Micros > 10e6
	}
	if iv := NewDistribution(rows).Interval(0.94); iv.High.Valid || !iv.Low.Valid {
		t.Errorf("the slow never answered: %+v, want no upper end", iv)
	}
	if iv := NewDistribution(nil).Interval(0.9); iv.Low.Valid || iv.High.Valid {
		t.Errorf("no rows: %+v", iv)
	}
}

func TestRanks(t *testing.T) {
	for _, tc := range []struct {
		n         int
		q         float64
		low, high int
	}{{150, 0.9, 127, 143}, {150, 0.95, 137, 148}, {1000, 0.9, 881, 919}, {1000, 0.95, 936, 964}, {1000, 0.99, 983, 997},
		{10000, 0.9, 8941, 9059}, {10000, 0.99, 9880, 9920}} {
		if low, high := Ranks(tc.n, tc.q); low != tc.low || high != tc.high {
			t.Errorf("Ranks(%d, %v) = %d..%d, want %d..%d", tc.n, tc.q, low, high, tc.low, tc.high)
		}
	}
}

// TestCensoredIntervalCovers draws censored weeks from Exp(1) and asks how
// often the interval of P90 holds the true one.
func TestCensoredIntervalCovers(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 61))
	const weeks, n = 2000, 300
	inside, effective := 0, 0.0
	for range weeks {
		rows := make([]Wait, n)
		for i := range rows {
			x, c := r.ExpFloat64(), 4*r.ExpFloat64()
			rows[i] = Wait{Micros: int64(1e6 * math.Min(x, c)), Censored: c < x}
		}
		d := NewDistribution(rows)
		effective += d.Effective(2_302_585) / weeks
		iv := d.Interval(0.9)
		if iv.Low.Valid && iv.Low.Micros <= 2_302_585 && (!iv.High.Valid || iv.High.Micros >= 2_302_585) {
			inside++
		}
	}
	if share := float64(inside) / weeks; share < 0.93 || share > 0.98 {
		t.Errorf("coverage %.4f of %d weeks", share, weeks)
	}
	// Var S(t) = S²·∫ f/(S²·G)/n with G the censoring's survival e^(−t/4).
	want := n * 0.9 / (0.1 * (math.Exp(1.25*2.302585) - 1) / 1.25)
	if math.Abs(effective-want) > 0.05*want {
		t.Errorf("effective n %.1f on average, want %.1f", effective, want)
	}
	if got := NewDistribution(waits(1, 2, 3)).Effective(2); got != 3 {
		t.Errorf("nothing censored: effective n %v, want 3", got)
	}
}

// TestOneCauseGainsNothing: with correlation 1 and equal laws the backup is
// never faster.
func TestOneCauseGainsNothing(t *testing.T) {
	x := NewDistribution(drawn(500, 40, 62))
	for _, d := range []int64{1, 1_100_000, 2_000_000} {
		h := Correlated(x, x, Policy{Delay: d, Q: 1}, 1)
		if win, ok := h.Win(); !ok || win > 1e-9 {
			t.Errorf("d %d: win %v", d, win)
		}
		for _, q := range []float64{0.5, 0.9, 0.95, 0.99} {
			if a, b := quantileOf(t, x, q), quantileOf(t, h, q); math.Abs(a-b) > 1e-3 {
				t.Errorf("d %d, q %v: %v became %v", d, q, a, b)
			}
		}
	}
}

// TestBivariateNormal integrates the density numerically.
func TestBivariateNormal(t *testing.T) {
	for _, r := range []float64{-0.99, -0.95, -0.5, 0, 0.3, 0.6, 0.74, 0.76, 0.9, 0.95, 0.99} {
		for _, h := range []float64{-2.5, -0.3, 0, 1.2, 3} {
			for _, k := range []float64{-2, 0.1, 0.7, 2.6} {
				sum, steps := 0.0, 20_000
				lo := -9.0
				dx := (h - lo) / float64(steps)
				for i := range steps {
					x := lo + (float64(i)+0.5)*dx
					sum += math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) * normalCDF((k-r*x)/math.Sqrt(1-r*r)) * dx
				}
				if got := newCopula(r).normal(h, k, normalCDF(h)*normalCDF(k)); math.Abs(got-sum) > 2e-7 {
					t.Errorf("Φ₂(%v, %v; %v) = %.9f, want %.9f", h, k, r, got, sum)
				}
			}
		}
	}
}
