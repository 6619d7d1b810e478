package hedge

import (
	"math"
	"math/rand/v2"
	"testing"
)

func counted(s Scale, rows []Wait) []Bucket {
	at := map[int]*Bucket{}
	for _, w := range rows {
		i := s.Bucket(w.Micros)
		if at[i] == nil {
			at[i] = &Bucket{Index: i}
		}
		at[i].Observed += int64(b2i(!w.Censored))
		at[i].Censored += int64(b2i(w.Censored))
	}
	var out []Bucket
	for _, b := range at { // in random order
		out = append(out, *b)
	}
	return out
}

func TestScaleKeepsItsError(t *testing.T) {
	for _, e := range []float64{0, 1, -0.1, math.NaN(), math.Inf(1)} {
		if _, err := NewScale(e); err == nil {
			t.Errorf("relative error %v was taken", e)
		}
	}
	r := rand.New(rand.NewPCG(121, 121))
	for _, e := range []float64{0.001, 0.01, 0.05} {
		s, err := NewScale(e)
		if err != nil {
			t.Fatal(err)
		}
		last := 0
		for v := int64(1); v < 1e12; v += 1 + v*int64(r.IntN(1000))/50_000 {
			i := s.Bucket(v)
			if off := math.Abs(float64(s.Value(i) - v)); off > e*float64(v)+0.5+1e-6*float64(v) || i < last {
				t.Fatalf("ε %v: %d stands at %d in bucket %d after %d", e, v, s.Value(i), i, last)
			}
			last = i
		}
	}
}

// TestBucketedWithinItsError draws rows and asks for quantiles and trigger
// ratios both ways.
func TestBucketedWithinItsError(t *testing.T) {
	r := rand.New(rand.NewPCG(122, 122))
	for _, tc := range []struct {
		name     string
		censored int // one in so many; 0 none
	}{{"observed", 0}, {"censored", 7}} {
		t.Run(tc.name, func(t *testing.T) {
			for range 300 {
				s, err := NewScale([]float64{0.001, 0.01, 0.05}[r.IntN(3)])
				if err != nil {
					t.Fatal(err)
				}
				rows := make([]Wait, 1+r.IntN(400))
				for i := range rows {
					rows[i] = Wait{Micros: int64(math.Exp(13 + 0.3*r.NormFloat64())), Censored: tc.censored > 0 && r.IntN(tc.censored) == 0}
				}
				exact := NewDistribution(rows)
				b, err := FromBuckets(s, counted(s, rows))
				if err != nil || b.N() != exact.N() {
					t.Fatalf("n %d of %d, error %v", b.N(), exact.N(), err)
				}
				for _, q := range []float64{0.05, 0.5, 0.75, 0.9, 0.95, 0.99, 1} {
					inside(t, b, exact, q, tc.censored == 0)
				}
				for range 20 {
					at := int64(math.Exp(13 + 0.4*r.NormFloat64()))
					if got, want := b.Exceeds(at), exact.Exceed(at); want < got.Low-1e-12 || want > got.High+1e-12 {
						t.Fatalf("S(%d) = %v outside %+v", at, want, got)
					}
				}
			}
		})
	}
}

func inside(t *testing.T, b Bucketed, exact Distribution, q float64, uncensored bool) {
	t.Helper()
	want, got, around := exact.Quantile(q), b.Quantile(q), b.Around(q)
	if around.Low.Valid && want.Reached && want.Micros < around.Low.Micros || around.High.Valid && (!want.Reached || want.Micros > around.High.Micros) ||
		!around.Low.Valid && want.Reached {
		t.Fatalf("q %v: exactly %+v, around %+v", q, want, around)
	}
	if uncensored && math.Abs(got.Micros-want.Micros) > b.scale.relative*want.Micros+0.5 {
		t.Fatalf("q %v: %v, exactly %v, ε %v", q, got.Micros, want.Micros, b.scale.relative)
	}
}

// TestBucketedMerges: the counts of parts are those of the whole, and a
// simulation on them is within ε too.
func TestBucketedMerges(t *testing.T) {
	s, err := NewScale(0.01)
	if err != nil {
		t.Fatal(err)
	}
	rows := drawn(4000, 300, 123)
	parts := append(counted(s, rows[:1500]), counted(s, rows[1500:])...)
	b, err := FromBuckets(s, parts)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := FromBuckets(s, counted(s, rows))
	if err != nil || b.Quantile(0.97) != whole.Quantile(0.97) || b.Mass() != whole.Mass() {
		t.Errorf("parts give %+v, the whole %+v (error %v)", b.Quantile(0.97), whole.Quantile(0.97), err)
	}
	x := NewDistribution(rows)
	p := Policy{Delay: 2e6, Q: 1}
	exact, rolled := Independent(x, x, p), Independent(b.Distribution, b.Distribution, p)
	for _, q := range []float64{0.9, 0.95, 0.99} {
		near(t, "hedged "+nameOf(q), quantileOf(t, rolled, q), quantileOf(t, exact, q), 0.0101)
	}
}

func TestBadBuckets(t *testing.T) {
	s, err := NewScale(0.01)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []Bucket{{Index: -1, Observed: 1}, {Index: 3, Observed: -1}, {Index: 3, Censored: -2}} {
		if _, err := FromBuckets(s, []Bucket{b}); err == nil {
			t.Errorf("%+v was taken", b)
		}
	}
	if b, err := FromBuckets(s, nil); err != nil || b.N() != 0 || b.Quantile(0.5).Reached || b.Exceeds(7) != (Span{1, 1}) {
		t.Errorf("no buckets: %+v, %v", b, err)
	}
}
