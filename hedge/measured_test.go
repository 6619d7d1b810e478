package hedge

import (
	"math"
	"math/rand/v2"
	"testing"
)

// linked makes n pairs with a shared cause, so that slow primaries tend to
// have slow backups.
func linked(r *rand.Rand, n int) []Pair {
	out := make([]Pair, n)
	for i := range out {
		cause := r.ExpFloat64()
		out[i].Primary.Micros = int64(1e5 * (cause + r.ExpFloat64()))
		out[i].Backup.Micros = int64(1e5 * (cause + r.ExpFloat64()))
	}
	return out
}

func primaries(pairs []Pair) []Wait {
	out := make([]Wait, len(pairs))
	for i, p := range pairs {
		out[i] = p.Primary
	}
	return out
}

// TestMeasuredIsTheCountOverPairs: where every request has its pair, the
// hedged law is just the count of min(X, d + Y).
func TestMeasuredIsTheCountOverPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 41))
	for range 60 {
		pairs := linked(r, 20+r.IntN(100))
		d := int64(3e5 * r.Float64())
		x := NewDistribution(primaries(pairs))
		law, win, n := Measured(x, pairs, Policy{Delay: d, Q: 1})
		won, over := 0, 0
		var hedged []Wait
		for _, p := range pairs {
			q := p.Primary.Micros
			if q > d {
				over++
				if d+p.Backup.Micros < q {
					won, q = won+1, d+p.Backup.Micros
				}
			}
			hedged = append(hedged, Wait{Micros: q})
		}
		if n != over || over > 0 && math.Abs(win-float64(won)/float64(over)) > 1e-12 {
			t.Fatalf("win %v of %d, want %d of %d", win, n, won, over)
		}
		want := NewDistribution(hedged)
		for _, q := range []float64{0.1, 0.5, 0.9, 0.95, 0.99, 1} {
			if got := quantileOf(t, law, q); math.Abs(got-quantileOf(t, want, q)) > 1e-3 {
				t.Fatalf("d %d, q %v: %v, want %v", d, q, got, quantileOf(t, want, q))
			}
		}
	}
}

// TestSupersededPairsTellTheSame: a hedged gateway stops the loser, so that
// one of the two waits is censored; the law at that delay is the same.
func TestSupersededPairsTellTheSame(t *testing.T) {
	const d = 150_000
	r := rand.New(rand.NewPCG(42, 42))
	full := linked(r, 3000)
	x := NewDistribution(primaries(full))
	var stopped []Pair
	for _, p := range full {
		if p.Primary.Micros <= d {
			continue // never hedged
		}
		p.After = d
		if d+p.Backup.Micros < p.Primary.Micros {
			p.Primary = Wait{Micros: d + p.Backup.Micros, Censored: true}
		} else {
			p.Backup = Wait{Micros: p.Primary.Micros - d, Censored: true}
		}
		stopped = append(stopped, p)
	}
	want, chance, _ := Measured(x, full, Policy{Delay: d, Q: 1})
	got, win, n := Measured(x, stopped, Policy{Delay: d, Q: 1})
	if n != len(stopped) || math.Abs(win-chance) > 1e-12 {
		t.Errorf("win %v of %d pairs, want %v of %d", win, n, chance, len(stopped))
	}
	for _, q := range []float64{0.5, 0.9, 0.95, 0.99} {
		near(t, nameOf(q), quantileOf(t, got, q), quantileOf(t, want, q), 1e-9)
	}
	if _, _, n := Measured(x, stopped, Policy{Delay: d - 1, Q: 1}); n != 0 {
		t.Errorf("%d pairs sent after 150 ms speak of a shorter delay", n)
	}
	// A longer delay can only be bounded: never better than with full knowledge.
	late, _, _ := Measured(x, stopped, Policy{Delay: 2 * d, Q: 1})
	truth, _, _ := Measured(x, full, Policy{Delay: 2 * d, Q: 1})
	for _, q := range []float64{0.9, 0.95, 0.99} {
		if a, b := quantileOf(t, late, q), quantileOf(t, truth, q); a < b-0.02*b || a > quantileOf(t, x, q)+1e-6 {
			t.Errorf("q %v: %v, want from %v to the unhedged %v", q, a, b, quantileOf(t, x, q))
		}
	}
}

func TestMeasuredNeverHurts(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 43))
	for range 200 {
		x := NewDistribution(primaries(linked(r, 30+r.IntN(200))))
		pairs := linked(r, 1+r.IntN(60))
		for i := range pairs {
			pairs[i].Backup.Censored, pairs[i].Primary.Censored = r.IntN(5) == 0, r.IntN(5) == 0
		}
		p := Policy{Delay: int64(3e5 * r.Float64()), Q: []float64{0, 0.4, 1}[r.IntN(3)]}
		law, win, _ := Measured(x, pairs, p)
		if law.N() != x.N() || win < 0 || win > 1 {
			t.Fatalf("n %d of %d, win %v", law.N(), x.N(), win)
		}
		for _, q := range []float64{0.2, 0.5, 0.9, 0.95, 0.99} {
			before, after := quantileOf(t, x, q), quantileOf(t, law, q)
			if after > before+1e-6 || p.Q == 0 && math.Abs(after-before) > 1e-6 {
				t.Fatalf("%+v, q %v: %v became %v", p, q, before, after)
			}
		}
	}
}

// TestMeasuredDecides: with the same rows, pairs that share their cause
// forbid what independent pairs allow.
func TestMeasuredDecides(t *testing.T) {
	r := rand.New(rand.NewPCG(44, 44))
	rows := drawn(800, 40, 45)
	apart, same := make([]Pair, len(rows)), make([]Pair, len(rows))
	for i, w := range rows {
		apart[i] = Pair{Primary: w, Backup: rows[r.IntN(len(rows))]}
		same[i] = Pair{Primary: w, Backup: w}
	}
	for _, tc := range []struct {
		name  string
		pairs []Pair
		want  Verdict
	}{{"independent", apart, Hedge}, {"one cause", same, DoNotHedge}, {"too few", same[:20], Hedge}} {
		t.Run(tc.name, func(t *testing.T) {
			s := DefaultSettings()
			s.Rho, s.Boot.Draws = 0.2, 500
			a := Advise(Rows{Primary: rows, Pairs: tc.pairs}, Rule{Fixed: 2e6}, s)
			if a.Verdict != tc.want || (a.Measured == nil) != (tc.name == "too few") {
				t.Errorf("%s %q, measured %+v, want %s", a.Verdict, a.Reasons, a.Measured, tc.want)
			}
			if m := a.Measured; m != nil && (!m.P99.High.Valid || m.P99.Low.Micros > m.After.P99.Micros || m.P99.High.Micros < m.After.P99.Micros) {
				t.Errorf("P99 %v outside its interval %+v", m.After.P99, m.P99)
			}
		})
	}
}
