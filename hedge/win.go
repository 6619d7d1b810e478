package hedge

import (
	"math"
	"slices"
)

// Win is P(d + Y < X | X > d): the chance that a backup answers first. ok is
// false where nothing exceeds d. Unobserved mass of X counts as a win only
// where the backup answers before the last time seen. It costs O(n).
func (h Hedged) Win() (win float64, ok bool) {
	d, first := h.policy.Delay, h.x.after(h.policy.Delay)
	exceed := 1 - h.x.cum(first)
	if exceed <= slack/float64(max(1, h.x.n)) {
		return 0, false
	}
	sum, j := 0.0, 0
	for i := first; i < len(h.x.at); i++ {
		for j < len(h.y.at) && h.y.at[j]+d < h.x.at[i] {
			j++
		}
		v := h.y.cum(j)
		sum += h.joint(h.x.cum(i), v) - h.joint(h.x.upto[i], v)
	}
	return h.share(sum, exceed), true
}

// share turns the mass of won races into a chance, with the unobserved mass
// of X added.
func (h Hedged) share(won, exceed float64) float64 {
	if rest := 1 - h.x.Mass(); rest > slack {
		won += h.joint(h.x.Mass(), h.y.CDF(h.x.last-h.policy.Delay))
	}
	return math.Min(1, math.Max(0, won/exceed))
}

// strata is into how many parts of equal mass quickWin cuts what exceeds d.
const strata = 1024

// quickWin is Win for an independent backup, for curves over many rows. It
// sums over strata of X in which F_Y((x − d)−) is taken to rise evenly; a
// value too heavy for a stratum stands alone, exactly. F_Y rises by at most 1
// over all of them, so that the error is below 1/strata, 0.001, and far
// smaller where F_Y is smooth. With few values it is Win itself.
func (h Hedged) quickWin() (win float64, ok bool) {
	from, size := h.x.after(h.policy.Delay), len(h.x.at)
	if size-from <= 4*strata {
		return h.Win()
	}
	exceed := 1 - h.x.cum(from)
	sum, low := 0.0, h.beats(h.x.at[from])
	for from < size {
		limit := h.x.cum(from) + exceed/strata
		to, found := slices.BinarySearch(h.x.upto[from:], limit)
		to = max(from, from+to-1+b2i(found))
		high := h.beats(h.x.at[to])
		// The mean of m even steps from low, which is the stratum before, to high.
		m := float64(to - from + 1)
		sum += (h.x.upto[to] - h.x.cum(from)) * (low + (high-low)*(m+1)/(2*m))
		from, low = to+1, high
	}
	return h.share(sum, exceed), true
}

// beats is P(d + Y < x).
func (h Hedged) beats(x int64) float64 { return h.y.below(x - h.policy.Delay) }
