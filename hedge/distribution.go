package hedge

import (
	"math"
	"slices"
)

// Distribution is a law on distinct values, ascending, with the number of
// requests behind it. Its mass may be below 1: the rest was never observed.
// The zero Distribution has no rows.
type Distribution struct {
	at   []int64   // distinct values, microseconds
	upto []float64 // F(v)
	n    int
	last int64 // last time seen, event or censoring
}

// NewDistribution returns the Kaplan–Meier law of the waits, events before
// censorings at ties: S(t) = Π (1 − d_i/n_i) (Kaplan and Meier, 1958). Without
// censored rows each has mass 1/n exactly. The waits may come in any order.
func NewDistribution(waits []Wait) Distribution {
	sorted := slices.Clone(waits)
	slices.SortFunc(sorted, compareWaits)
	return fromSorted(sorted, nil)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// fromSorted builds the law of sorted waits, each counted as often as counts
// says (nil: once).
func fromSorted(sorted []Wait, counts []int) Distribution {
	count := func(i int) int {
		if counts == nil {
			return 1
		}
		return counts[i]
	}
	d := Distribution{}
	for i := range sorted {
		d.n += count(i)
	}
	risk, before, survive := d.n, d.n, 1.0 // before: rows at risk when the last censoring ended
	for i := 0; i < len(sorted); {
		v, events, censored := sorted[i].Micros, 0, 0
		for ; i < len(sorted) && sorted[i].Micros == v; i++ {
			if sorted[i].Censored {
				censored += count(i)
			} else {
				events += count(i)
			}
		}
		if events+censored == 0 {
			continue
		}
		d.last = v
		risk -= events
		if events > 0 {
			// Between censorings the product telescopes, so that masses stay exact.
			d.at = append(d.at, v)
			d.upto = append(d.upto, 1-survive*float64(risk)/float64(before))
		}
		if censored > 0 {
			survive *= float64(risk) / float64(before)
			risk -= censored
			before = risk
		}
	}
	return d
}

// N is the number of requests behind the distribution.
func (d Distribution) N() int { return d.n }

// Mass is the share of the law that was observed, 0 to 1.
func (d Distribution) Mass() float64 {
	if len(d.upto) == 0 {
		return 0
	}
	return d.upto[len(d.upto)-1]
}

// Last is the last time seen, an event or a censoring, in microseconds.
func (d Distribution) Last() int64 { return d.last }

// CDF is F(t) = P(X ≤ t), t in microseconds.
func (d Distribution) CDF(t int64) float64 {
	i, found := slices.BinarySearch(d.at, t)
	if found {
		i++
	}
	return d.cum(i)
}

// below is F(t−) = P(X < t).
func (d Distribution) below(t int64) float64 {
	i, _ := slices.BinarySearch(d.at, t)
	return d.cum(i)
}

// cum is the mass of the first i values.
func (d Distribution) cum(i int) float64 {
	if i == 0 {
		return 0
	}
	return d.upto[i-1]
}

// Exceed is S(t) = P(X > t): the share of requests that a hedge delay of t
// would trigger for.
func (d Distribution) Exceed(t int64) float64 { return 1 - d.CDF(t) }

// Quantile is the q-quantile, 0 ≤ q ≤ 1. A value with mass F(v−) below it and
// F(v) up to it holds the plateau from F(v−)·n/(n−1) to
// max(F(v−), F(v) − 1/n)·n/(n−1); between plateaus it is linear. Equal masses
// give type 7 (Hyndman and Fan, 1996), ClickHouse's quantileExactInclusive.
func (d Distribution) Quantile(q float64) Point {
	return quantile(d, q, d.n)
}

// law is what the quantile rule needs: values in order with the mass below
// and up to each.
type law interface {
	// size is the number of values.
	size() int
	// value is the i-th value with F(v−) and F(v).
	value(i int) (v int64, below, upto float64)
	// end is the last time seen.
	end() int64
}

func (d Distribution) size() int  { return len(d.at) }
func (d Distribution) end() int64 { return d.last }
func (d Distribution) value(i int) (int64, float64, float64) {
	return d.at[i], d.cum(i), d.upto[i]
}

// slack absorbs rounding at the end of the mass.
const slack = 1e-9

func quantile(l law, q float64, n int) Point {
	p := Point{AtLeast: l.end(), BelowMinN: n < MinPoint(q)}
	size := l.size()
	if size == 0 {
		return p
	}
	scale := 1.0
	if n > 1 {
		scale = float64(n) / float64(n-1)
	}
	// top is the end of the i-th value's plateau.
	top := func(i int) float64 {
		_, below, upto := l.value(i)
		if n <= 1 {
			return upto
		}
		return math.Max(below, upto-1/float64(n)) * scale
	}
	lo, hi := 0, size
	for lo < hi {
		if mid := (lo + hi) / 2; top(mid) >= q-slack {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	if lo == size {
		return p
	}
	v, below, _ := l.value(lo)
	p.Reached, p.Micros, p.AtLeast = true, float64(v), 0
	start := below * scale
	if q >= start || lo == 0 || n <= 1 {
		return p
	}
	before, _, _ := l.value(lo - 1)
	from := top(lo - 1)
	p.Micros = float64(before) + (q-from)/(start-from)*float64(v-before)
	return p
}
