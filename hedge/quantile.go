package hedge

import "sort"

// Quantile is the q-quantile, 0 ≤ q ≤ 1. A value with mass F(v−) below it and
// F(v) up to it holds the plateau from F(v−)·n/(n−1) to
// max(F(v−), F(v) − 1/n)·n/(n−1); between plateaus it is linear. Equal masses
// give type 7 (Hyndman and Fan, 1996), ClickHouse's quantileExactInclusive.
func (d Distribution) Quantile(q float64) Point { return quantile(d, q, d.n) }

// law is what the quantile rule needs: values in order with the mass below
// and up to each.
type law interface {
	// size is the number of values.
	size() int
	// value is the i-th value, from 0.
	value(i int) int64
	// masses are F(v−) and F(v) of the i-th value v; low is asked for apart
	// because most of a search needs only the other.
	low(i int, v int64) float64
	high(i int, v int64) float64
	// end is the last time seen.
	end() int64
	// near narrows the search for the first plateau that ends at q or later to
	// the values from lo up to, not including, hi; it is hi where none of them
	// is.
	near(r rule, q float64) (lo, hi int)
}

func (d Distribution) size() int                   { return len(d.at) }
func (d Distribution) value(i int) int64           { return d.at[i] }
func (d Distribution) low(i int, _ int64) float64  { return d.cum(i) }
func (d Distribution) high(i int, _ int64) float64 { return d.upto[i] }
func (d Distribution) end() int64                  { return d.last }

func (d Distribution) near(rule, float64) (lo, hi int) { return 0, len(d.at) }

// slack absorbs rounding at the end of the mass.
const slack = 1e-9

// rule is the one quantile rule for a law with n requests behind it.
type rule struct {
	law   law
	step  float64 // 1/n; 0 for a single row
	scale float64 // n/(n−1)
}

func quantile(l law, q float64, n int) Point {
	p := Point{AtLeast: l.end(), BelowMinN: n < MinPoint(q)}
	r := rule{law: l, scale: 1}
	if n > 1 {
		r.step, r.scale = 1/float64(n), float64(n)/float64(n-1)
	}
	lo, hi := l.near(r, q-slack)
	for lo < hi {
		if mid := (lo + hi) / 2; r.reaches(mid, q-slack) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	if lo == l.size() {
		return p
	}
	lo, last := r.massive(lo)
	if lo == l.size() {
		return p
	}
	v := l.value(lo)
	p.Reached, p.Micros, p.AtLeast = true, float64(v), 0
	start := l.low(lo, v) * r.scale
	if q >= start || last < 0 || n <= 1 {
		return p
	}
	before := l.value(last)
	from := r.top(last, before)
	p.Micros = float64(before) + (q-from)/(start-from)*float64(v-before)
	return p
}

// rounding is more than sums of masses lose and less than any row's mass.
const rounding = 1e-12

// massive skips values without mass, which must not bend the rule: it is the
// first value from i on that has some, and the last before it, −1 for none.
func (r rule) massive(i int) (at, before int) {
	v := r.law.value(i)
	low := r.law.low(i, v)
	if r.law.high(i, v) <= low+rounding {
		i = r.first(low+rounding, i)
	}
	if i == 0 || low <= rounding {
		return i, -1
	}
	if w := r.law.value(i - 1); r.law.high(i-1, w) > r.law.low(i-1, w)+rounding {
		return i, i - 1
	}
	return i, r.first(low-rounding, 0)
}

// first is the first value from i on with F(v) above level.
func (r rule) first(level float64, i int) int {
	return i + sort.Search(r.law.size()-i, func(k int) bool { return r.law.high(i+k, r.law.value(i+k)) > level })
}

// top is the end of the plateau of the i-th value v.
func (r rule) top(i int, v int64) float64 {
	high := r.law.high(i, v) - r.step
	if r.step == 0 {
		return high
	}
	return max(r.law.low(i, v), high) * r.scale
}

// reaches tells whether the i-th plateau ends at q or later.
func (r rule) reaches(i int, q float64) bool {
	v := r.law.value(i)
	return r.ends(r.law.high(i, v), q, func() float64 { return r.law.low(i, v) })
}

// ends tells whether the plateau of a value with mass high up to it ends at q
// or later; low is asked for only where high does not tell.
func (r rule) ends(high, q float64, low func() float64) bool {
	switch {
	case (high-r.step)*r.scale >= q:
		return true
	case r.step == 0 || high*r.scale < q:
		return false
	}
	return low()*r.scale >= q
}
