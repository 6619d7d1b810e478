package hedge

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mathext"
)

// second is the unit of the closed forms below, in microseconds, fine enough
// that rounding to whole microseconds is far below the tolerance.
const second = 1_000_000_000

// gridN is how many equal masses stand for a continuous law.
const gridN = 200_001

// grid is a continuous law on equal masses at the middles of their shares.
func grid(inverse func(p float64) float64) Distribution { return gridOf(inverse, gridN) }

func gridOf(inverse func(p float64) float64, n int) Distribution {
	waits := make([]Wait, n)
	for i := range waits {
		waits[i].Micros = int64(math.Round(inverse((float64(i)+0.5)/float64(n)) * second))
	}
	return NewDistribution(waits)
}

func exponential(p float64) float64 { return -math.Log1p(-p) }
func pareto(p float64) float64      { return 2 * math.Pow(1-p, -1/1.1) }
func logNormal(mu, sigma float64) func(float64) float64 {
	return func(p float64) float64 { return math.Exp(mu + sigma*mathext.NormalQuantile(p)) }
}

// benchmarkLaw is LogNormal with mean 5 and standard deviation 2, of which
// 5 % are ten times as long; the inverse by Newton's steps from the larger
// part's, kept inside by bisection.
func benchmarkLaw(p float64) float64 {
	sigma := math.Sqrt(math.Log(1 + 4.0/25))
	mu := math.Log(5) - sigma*sigma/2
	cdf := func(t float64) float64 {
		return 0.95*normalCDF((math.Log(t)-mu)/sigma) + 0.05*normalCDF((math.Log(t/10)-mu)/sigma)
	}
	pdf := func(t float64) float64 {
		bell := func(z float64) float64 { return math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) / (t * sigma) }
		return 0.95*bell((math.Log(t)-mu)/sigma) + 0.05*bell((math.Log(t/10)-mu)/sigma)
	}
	lo, hi := 1e-3, 1e4
	t := math.Exp(mu + sigma*mathext.NormalQuantile(p))
	for range 200 {
		f := cdf(t) - p
		if f < 0 {
			lo = t
		} else {
			hi = t
		}
		next := t - f/pdf(t)
		if !(next > lo && next < hi) {
			next = (lo + hi) / 2
		}
		if math.Abs(next-t) < 1e-12*t {
			break
		}
		t = next
	}
	return t
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance*math.Abs(want) {
		t.Errorf("%s = %.6g, want %.6g (off by %.2g, allowed %.2g)", what, got, want, got/want-1, tolerance)
	}
}

// benchmarkGrid is benchmarkLaw's, worked out once.
var benchmarkGrid = sync.OnceValue(func() Distribution { return grid(benchmarkLaw) })

func seconds(p Point) float64 { return p.Micros / second }

// TestReferenceLaws is the first table of hedge.md: independent, identical
// primary and backup, q = 1.
func TestReferenceLaws(t *testing.T) {
	for _, tc := range []struct {
		name                   string
		inverse                func(float64) float64
		p95, p99, d            float64
		h95, h99, win          float64
		at95h95, at95h99, tolD float64
	}{
		{"Exp(1)", exponential, 2.9957, 4.6052, 2.3026, 2.6492, 3.4539, 0.500, 2.9957, 3.8005, 1e-3},
		{"Pareto(1.1, 2)", pareto, 30.464, 131.587, 16.2226, 19.3683, 26.2487, 0.726, 30.464, 37.485, 1e-3},
		{"LogNormal(1, 1)", logNormal(1, 1), 14.0814, 27.8365, 9.7919, 11.5272, 15.3220, 0.595, 14.0814, 18.1216, 1e-3},
		{"LogNormal 5 ± 2, 5 % ten times", benchmarkLaw, 17.458, 64.203, 8.6649, 11.7266, 15.5297, 0.521, 17.458, 24.185, 1e-3},
	} {
		t.Run(tc.name, func(t *testing.T) {
			x := grid(tc.inverse)
			near(t, "P95", seconds(x.Quantile(0.95)), tc.p95, 1e-3)
			near(t, "P99", seconds(x.Quantile(0.99)), tc.p99, 1e-3)
			d := x.Quantile(0.90)
			near(t, "P90", seconds(d), tc.d, tc.tolD)
			h := Independent(x, x, Policy{Delay: int64(d.Micros), Q: 1})
			near(t, "hedged P95", seconds(h.Quantile(0.95)), tc.h95, 1e-3)
			near(t, "hedged P99", seconds(h.Quantile(0.99)), tc.h99, 1e-3)
			win, ok := h.Win()
			if !ok {
				t.Fatal("no win chance")
			}
			near(t, "win chance", win, tc.win, 2e-3)
			near(t, "trigger", h.policy.Trigger(x), 0.1, 1e-3)
			h = Independent(x, x, Policy{Delay: int64(x.Quantile(0.95).Micros), Q: 1})
			near(t, "P95 hedged at P95", seconds(h.Quantile(0.95)), tc.at95h95, 1e-3)
			near(t, "P99 hedged at P95", seconds(h.Quantile(0.99)), tc.at95h99, 1e-3)
		})
	}
}

// TestPublicBenchmark compares with the exact values of bhope/hedge's
// published setting.
func TestPublicBenchmark(t *testing.T) {
	x := benchmarkGrid()
	for _, tc := range []struct{ d, p95, p99, p999, trigger float64 }{
		{math.Inf(1), 17.46, 64.20, 102.41, 0}, {10, 12.71, 16.84, 45.30, 0.0720}, {50, 17.46, 54.36, 59.64, 0.0212},
	} {
		p := Policy{Delay: math.MaxInt64 / 4, Q: 1}
		if !math.IsInf(tc.d, 1) {
			p.Delay = int64(tc.d * second)
		}
		h := Independent(x, x, p)
		near(t, "P95", seconds(h.Quantile(0.95)), tc.p95, 1e-3)
		near(t, "P99", seconds(h.Quantile(0.99)), tc.p99, 1e-3)
		near(t, "P99.9", seconds(h.Quantile(0.999)), tc.p999, 2e-3)
		if tc.trigger > 0 {
			near(t, "trigger", p.Trigger(x), tc.trigger, 3e-3)
		}
	}
}

// TestCorrelation is hedge.md's line on the Gaussian copula, ± 2 %.
func TestCorrelation(t *testing.T) {
	x := grid(logNormal(1, 1))
	p := Policy{Delay: int64(x.Quantile(0.9).Micros), Q: 1}
	for _, tc := range []struct{ rho, p99, win float64 }{{0, 15.4, 0.59}, {0.3, 17.9, 0.47}, {0.6, 21.2, 0.31}, {0.9, 26.3, 0.09}} {
		h := Correlated(x, x, p, tc.rho)
		near(t, "P99", seconds(h.Quantile(0.99)), tc.p99, 0.02)
		win, _ := h.Win()
		if math.Abs(win-tc.win) > 0.0075 {
			t.Errorf("rho %v: win %.4f, want %.2f", tc.rho, win, tc.win)
		}
	}
}

// TestCopulaAgainstMonteCarlo draws correlated normals and hedges them one by
// one.
func TestCopulaAgainstMonteCarlo(t *testing.T) {
	const draws = 400_000
	x := grid(logNormal(1, 1))
	d := x.Quantile(0.9).Micros
	for _, rho := range []float64{-0.5, 0.3, 0.6, 0.9, 0.97} {
		r := rand.New(rand.NewPCG(91, uint64(100+100*rho)))
		hedged, over, won := make([]Wait, draws), 0, 0
		for i := range hedged {
			a := r.NormFloat64()
			b := rho*a + math.Sqrt(1-rho*rho)*r.NormFloat64()
			q, y := math.Exp(1+a)*second, math.Exp(1+b)*second
			if q > d {
				over++
				if d+y < q {
					won, q = won+1, d+y
				}
			}
			hedged[i].Micros = int64(q)
		}
		h := Correlated(x, x, Policy{Delay: int64(d), Q: 1}, rho)
		mc := NewDistribution(hedged)
		for _, q := range []float64{0.9, 0.95, 0.99} {
			near(t, nameOf(q), seconds(h.Quantile(q)), seconds(mc.Quantile(q)), 0.01)
		}
		if win, _ := h.Win(); math.Abs(win-float64(won)/float64(over)) > 0.01 {
			t.Errorf("rho %v: win %.4f, Monte Carlo %.4f", rho, win, float64(won)/float64(over))
		}
	}
}

// TestCensoring is hedge.md's line: Exp(1), hedged at 2.3026, time-out 3.5;
// the winner's answer cancels the loser, whose wait is then censored.
func TestCensoring(t *testing.T) {
	const d, limit, m, k = 2.302585, 3.5, 6001, 301
	var rows, dropped, counted []Wait
	for i := range m {
		x := exponential((float64(i) + 0.5) / m)
		for j := range k {
			end := math.Min(limit, d+exponential((float64(j)+0.5)/k))
			if x <= d || x <= end {
				w := Wait{Micros: int64(x * second)}
				rows, dropped, counted = append(rows, w), append(dropped, w), append(counted, w)
				continue
			}
			rows = append(rows, Wait{Micros: int64(end * second), Censored: true})
			counted = append(counted, Wait{Micros: int64(end * second)})
		}
	}
	for _, tc := range []struct {
		name          string
		rows          []Wait
		p90, p95, p99 float64
	}{{"Kaplan–Meier", rows, 2.303, 2.996, 0}, {"dropping the unfinished is wrong", dropped, 1.903, 2.286, 2.941},
		{"counting them at elapsed is wrong", counted, 2.303, 2.649, 3.454}} {
		t.Run(tc.name, func(t *testing.T) {
			l := NewDistribution(tc.rows)
			near(t, "P90", seconds(l.Quantile(0.90)), tc.p90, 3e-3)
			near(t, "P95", seconds(l.Quantile(0.95)), tc.p95, 3e-3)
			p := l.Quantile(0.99)
			if tc.p99 == 0 {
				if p.Reached || math.Abs(float64(p.AtLeast)/second-limit) > 1e-9 {
					t.Errorf("P99 %+v, want not reached, at least %v", p, limit)
				}
				return
			}
			near(t, "P99", seconds(p), tc.p99, 3e-3)
		})
	}
}
