package hedge

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSavedAgainstBruteForce adds up every pair of primary and backup.
func TestSavedAgainstBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(111, 111))
	for range 200 {
		xs, ys := make([]Wait, 1+r.IntN(40)), make([]Wait, 1+r.IntN(40))
		for i := range xs {
			xs[i].Micros = r.Int64N(60)
		}
		for i := range ys {
			ys[i].Micros = r.Int64N(60)
		}
		p := Policy{Delay: r.Int64N(60), Q: []float64{0.3, 1}[r.IntN(2)]}
		want := 0.0
		for _, x := range xs {
			for _, y := range ys {
				if x.Micros > p.Delay {
					want += p.Q * float64(max(0, x.Micros-p.Delay-y.Micros)) / float64(len(xs)*len(ys))
				}
			}
		}
		x, y := NewDistribution(xs), NewDistribution(ys)
		if got := Independent(x, y, p).Saved(); math.Abs(got-want) > 1e-9 {
			t.Fatalf("%+v: saved %v, want %v", p, got, want)
		}
	}
}

// TestSavedClosedForm: hedged at d, Exp(1) saves e^(−d)·E[(X − Y)⁺] = e^(−d)/2
// on average; a lognormal is held against numbers drawn with its copula.
func TestSavedClosedForm(t *testing.T) {
	x := grid(exponential)
	for _, d := range []float64{0.1, 1, 2.302585} {
		h := Independent(x, x, Policy{Delay: int64(d * second), Q: 1})
		near(t, "saved", h.Saved()/second, math.Exp(-d)/2, 1e-3)
	}
	y := gridOf(logNormal(1, 1), 20_001) // coarser, and still thinned
	d := y.Quantile(0.9).Micros
	for _, rho := range []float64{0, 0.6} {
		r := rand.New(rand.NewPCG(112, 112))
		const draws = 2_000_000
		sum := 0.0
		for range draws {
			a := r.NormFloat64()
			b := rho*a + math.Sqrt(1-rho*rho)*r.NormFloat64()
			if x := math.Exp(1+a) * second; x > d {
				sum += math.Max(0, x-d-math.Exp(1+b)*second)
			}
		}
		near(t, "saved by draws", Correlated(y, y, Policy{Delay: int64(d), Q: 1}, rho).Saved(), sum/draws, 0.02)
	}
}

// TestSavedThinned compares the choice of times with all of them.
func TestSavedThinned(t *testing.T) {
	r := rand.New(rand.NewPCG(113, 113))
	rows := make([]Wait, 300_000)
	for i := range rows {
		rows[i] = Wait{Micros: int64(2e6 * math.Pow(r.Float64(), -1/1.1)), Censored: i%40 == 0}
	}
	x := NewDistribution(rows)
	sums := make([]float64, len(x.at)+1)
	for i, v := range x.at {
		sums[i+1] = sums[i] + float64(v)*(x.upto[i]-x.cum(i))
	}
	for _, q := range []float64{0.3, 0.9, 0.99} {
		h := Independent(x, x, Policy{Delay: micros(x.Quantile(q).Micros), Q: 1})
		want := 0.0
		for i := x.after(h.policy.Delay); i < len(x.at); i++ {
			want += (x.upto[i] - x.cum(i)) * late(x, sums, x.at[i]-h.policy.Delay)
		}
		want += (1 - x.Mass()) * late(x, sums, x.last-h.policy.Delay)
		near(t, "saved from "+nameOf(q), h.Saved(), want, 1e-3)
	}
}

// late is E[(s − Y)⁺] = s·F(s) − Σ y·p up to s, of which sums are the partial
// ones.
func late(y Distribution, sums []float64, s int64) float64 {
	i := y.after(s)
	return float64(s)*y.cum(i) - sums[i]
}

// TestSecondsSavedOfAdvice: pairs decide where there are enough, and no delay
// saves nothing.
func TestSecondsSavedOfAdvice(t *testing.T) {
	rows := drawn(800, 40, 45)
	pairs := make([]Pair, len(rows))
	sum := 0.0
	for i, w := range rows {
		pairs[i] = Pair{Primary: w, Backup: Wait{Micros: 1e6}}
		sum += math.Max(0, float64(w.Micros)-3e6)
	}
	a := Advise(Rows{Primary: rows, Pairs: pairs}, Rule{Fixed: 2e6}, quick())
	got, from, ok := a.SecondsSaved(8000)
	if want := 10 * sum / 1e6; !ok || from != "measured" || math.Abs(got-want) > 1e-6*want {
		t.Errorf("%v s (%s), want %v of the pairs", got, from, want)
	}
	b := Advise(Rows{Primary: rows}, Rule{Fixed: 2e6}, quick())
	less, from, _ := b.SecondsSaved(8000)
	if from != "pessimistic" || less <= 0 || less > b.Independent.Saved*8000/1e6 {
		t.Errorf("%v s (%s), independent %v", less, from, b.Independent.Saved*8000/1e6)
	}
	if _, _, ok := Advise(Rows{}, P90(), quick()).SecondsSaved(10); ok {
		t.Error("no rows save something")
	}
}
