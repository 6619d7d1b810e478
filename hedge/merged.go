package hedge

import (
	"slices"
	"sort"
)

// merged is the hedged law's support: the values of X and those of d + Y,
// merged by order without being written down. A value in both has two places
// with its whole mass each, which the rule tolerates.
type merged struct{ h Hedged }

func (m merged) size() int                   { return len(m.h.x.at) + len(m.backups()) }
func (m merged) low(_ int, v int64) float64  { return m.h.below(v) }
func (m merged) high(_ int, v int64) float64 { return m.h.CDF(v) }
func (m merged) end() int64                  { return m.h.x.last }

// backups are the values of Y that carry mass in the merge: none where no
// backup is ever sent, since a value without mass must not bend the rule.
func (m merged) backups() []int64 {
	if m.h.policy.Q == 0 {
		return nil
	}
	return m.h.y.at
}

// value selects the i-th smallest of both sorted lists in O(log n).
func (m merged) value(i int) int64 {
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

// near bisects the values of X alone, of which each costs one search in Y: the
// merged place lies between two of them.
func (m merged) near(r rule, q float64) (lo, hi int) {
	x, d := m.h.x, m.h.policy.Delay
	i := sort.Search(len(x.at), func(i int) bool {
		t := x.at[i]
		high := x.upto[i]
		if t >= d {
			high = m.h.cdf(t, high, m.h.y.CDF(t-d))
		}
		return r.ends(high, q, func() float64 { return m.h.below(t) })
	})
	if i > 0 {
		lo = m.place(i-1) + 1
	}
	if i == len(x.at) {
		return lo, m.size()
	}
	return lo, m.place(i)
}

// place is where the i-th value of X stands in the merge.
func (m merged) place(i int) int {
	ys := m.backups()
	j, _ := slices.BinarySearch(ys, m.h.x.at[i]-m.h.policy.Delay)
	return i + j
}
