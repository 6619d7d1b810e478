package hedge

import (
	"math"
	"slices"
)

// Policy is a hedge delay d with the chance Q of sending the backup once d
// has passed.
type Policy struct {
	Delay int64   // d, microseconds
	Q     float64 // 0 to 1; SingleD has 1
}

// Trigger is the share of requests that still wait at d, S(d).
func (p Policy) Trigger(x Distribution) float64 { return x.Exceed(p.Delay) }

// Hedged is the law of what the client waits under a policy. It is evaluated
// on demand, exactly, on the values of X and d + Y.
type Hedged struct {
	x, y   Distribution
	policy Policy
	joint  joint
}

// joint gives P(X > t, Y ≤ s) from u = F_X(t) and v = F_Y(s).
type joint func(u, v float64) float64

// Independent is the hedged law with a backup that is independent of the
// primary: P(Q ≤ t) = F_X(t) for t < d, else
// F_X(t) + q·(1 − F_X(t))·F_Y(t − d). Quantiles at or below F_X(d) do not move.
func Independent(x, y Distribution, p Policy) Hedged {
	return Hedged{x, y, p, func(u, v float64) float64 { return (1 - u) * v }}
}

// Correlated is the hedged law with a Gaussian copula of correlation rho,
// −1 to 1, between primary and backup.
func Correlated(x, y Distribution, p Policy, rho float64) Hedged {
	if rho == 0 {
		return Independent(x, y, p)
	}
	return Hedged{x, y, p, func(u, v float64) float64 { return math.Max(0, v-gaussianCopula(u, v, rho)) }}
}

// cdf is P(Q ≤ t) from the values' masses.
func (h Hedged) cdf(t int64, u, v float64) float64 {
	if t < h.policy.Delay {
		return u
	}
	return math.Min(1, u+h.policy.Q*h.joint(u, v))
}

// CDF is P(Q ≤ t), t in microseconds.
func (h Hedged) CDF(t int64) float64 {
	return h.cdf(t, h.x.CDF(t), h.y.CDF(t-h.policy.Delay))
}

// below is P(Q < t).
func (h Hedged) below(t int64) float64 {
	if t <= h.policy.Delay {
		return h.x.below(t)
	}
	return h.cdf(t, h.x.below(t), h.y.below(t-h.policy.Delay))
}

// Quantile is the q-quantile of the hedged law under the one quantile rule,
// with the primaries' n. It costs O(log² n).
func (h Hedged) Quantile(q float64) Point {
	return quantile(merged{h}, q, h.x.n)
}

// merged is the hedged law's support: the values of X and those of d + Y,
// merged by order without being written down. The i-th value of the merge is
// found by bisection.
type merged struct{ h Hedged }

func (m merged) size() int  { return len(m.h.x.at) + len(m.backups()) }
func (m merged) end() int64 { return m.h.x.last }

// backups are the values of Y that carry mass in the merge: none where no
// backup is ever sent, since a value without mass must not bend the rule.
func (m merged) backups() []int64 {
	if m.h.policy.Q == 0 {
		return nil
	}
	return m.h.y.at
}

// value finds the i-th of the merged sequence; a value in both has two
// places, of which both carry its whole mass, which the rule tolerates.
func (m merged) value(i int) (v int64, below, upto float64) {
	v = m.pick(i)
	return v, m.h.below(v), m.h.CDF(v)
}

// pick selects the i-th smallest of two sorted lists in O(log n).
func (m merged) pick(i int) int64 {
	xs, ys, d := m.h.x.at, m.backups(), m.h.policy.Delay
	lo, hi := max(0, i-len(ys)), min(i, len(xs)) // how many of the first i come from xs
	for lo < hi {
		mid := (lo + hi) / 2
		if xs[mid] < ys[i-mid-1]+d {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	j := i - lo
	if j >= len(ys) || lo < len(xs) && xs[lo] <= ys[j]+d {
		return xs[lo]
	}
	return ys[j] + d
}

// Win is P(d + Y < X | X > d): the chance that a backup answers first. ok is
// false where nothing exceeds d. Unobserved mass of X counts as a win only
// where the backup answers before the last time seen.
func (h Hedged) Win() (win float64, ok bool) {
	d := h.policy.Delay
	exceed := h.x.Exceed(d)
	if exceed <= slack/float64(max(1, h.x.n)) {
		return 0, false
	}
	first, found := slices.BinarySearch(h.x.at, d)
	if found {
		first++
	}
	sum, j := 0.0, 0
	for i := first; i < len(h.x.at); i++ {
		for j < len(h.y.at) && h.y.at[j]+d < h.x.at[i] {
			j++
		}
		v := h.y.cum(j)
		sum += h.joint(h.x.cum(i), v) - h.joint(h.x.upto[i], v)
	}
	if rest := 1 - h.x.Mass(); rest > slack {
		sum += h.joint(h.x.Mass(), h.y.CDF(h.x.last-d))
	}
	return math.Min(1, math.Max(0, sum/exceed)), true
}
