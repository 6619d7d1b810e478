package hedge

import (
	"math"
	"slices"
)

// MinPairs is how many usable pairs the measured case needs: the point
// minimum of P90.
const MinPairs = 29

// usable are the pairs that tell what a delay of d would have done: sent at d
// or before, with a primary known to exceed d.
func usable(pairs []Pair, d int64) []Pair {
	var out []Pair
	for _, p := range pairs {
		if p.After <= d && (p.Primary.Micros > d || p.Primary.Censored && p.Primary.Micros == d) {
			out = append(out, p)
		}
	}
	return out
}

// race is min(X, d + Y) of one usable pair. A primary or backup that ended
// without a token is taken never to answer, which can only lengthen the wait;
// where neither answered, it is censored at the later end. won tells whether
// the backup is known to have answered first.
func race(p Pair, d int64) (q Wait, won bool) {
	x, y := p.Primary, Wait{Micros: d + p.Backup.Micros, Censored: p.Backup.Censored, At: p.Primary.At}
	switch {
	case x.Censored && y.Censored:
		x.Micros = max(x.Micros, y.Micros)
		return x, false
	case x.Censored:
		// Its own wait is longer than it was watched: the backup is first
		// where it answered by then.
		return y, y.Micros <= x.Micros
	case y.Censored || x.Micros <= y.Micros:
		return x, false
	}
	return y, true
}

// Measured is the hedged law from pairs of primary and backup: what is below
// d keeps X's law, the rest follows what the pairs with X > d would have
// waited, P(Q ≤ t) = F_X(d) + q·S(d)·P(min(X, d + Y) ≤ t | X > d) and the
// share 1 − q of the unhedged. It never falls below F_X. n is the number of
// usable pairs behind it and win P(d + Y < X | X > d) among them; without any
// the law is X's own.
func Measured(x Distribution, pairs []Pair, p Policy) (law Distribution, win float64, n int) {
	usable := usable(pairs, p.Delay)
	if len(usable) == 0 {
		return x, 0, 0
	}
	races, won := make([]Wait, len(usable)), 0
	for i, pair := range usable {
		q, first := race(pair, p.Delay)
		races[i] = q
		won += b2i(first)
	}
	return splice(x, NewDistribution(races), p), float64(won) / float64(len(usable)), len(usable)
}

// splice writes the law of X up to d and that of the races beyond it.
func splice(x, races Distribution, p Policy) Distribution {
	i := x.after(p.Delay)
	j := races.after(p.Delay)
	out := Distribution{at: slices.Clone(x.at[:i]), upto: slices.Clone(x.upto[:i]), n: x.n, last: max(x.last, races.last)}
	start := x.cum(i)
	for i < len(x.at) || j < len(races.at) {
		t := int64(math.MaxInt64)
		if i < len(x.at) {
			t = x.at[i]
		}
		if j < len(races.at) {
			t = min(t, races.at[j])
		}
		i += b2i(i < len(x.at) && x.at[i] == t)
		j += b2i(j < len(races.at) && races.at[j] == t)
		alone := x.cum(i)
		f := max(alone, (1-p.Q)*alone+p.Q*(start+(1-start)*races.cum(j)))
		if f > out.cum(len(out.upto))+rounding { // a value without mass must not bend the rule
			out.at, out.upto = append(out.at, t), append(out.upto, f)
		}
	}
	return out
}
