package hedge

import (
	"math"
	"slices"
)

// Win is P(d + Y < X | X > d): the chance that a backup answers first. ok is
// false where nothing exceeds d. Unobserved mass of X counts as a win only
// where the backup answers before the last time seen. It costs O(n).
func (h Hedged) Win() (win float64, ok bool) {
	first := h.x.after(h.policy.Delay)
	exceed := 1 - h.x.cum(first)
	if exceed <= slack/float64(max(1, h.x.n)) {
		return 0, false
	}
	sum, j := 0.0, 0
	for i := first; i < len(h.x.at); i++ {
		j = h.gallop(j, h.x.at[i])
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

// strata is into how many parts quickWin cuts what exceeds d; none has more
// than twice its share of the mass unless it is a single value.
const strata = 1024

// quickWin is Win for an independent backup, for curves over many rows. It
// sums over strata of X in which F_Y((x − d)−) is taken to rise evenly; a
// value too heavy for a stratum stands alone, exactly. F_Y rises by at most 1
// over all of them, so that the error is below 2/strata, 0.002, and far
// smaller where F_Y is smooth. With few values it is Win itself.
func (h Hedged) quickWin() (win float64, ok bool) {
	from, size := h.x.after(h.policy.Delay), len(h.x.at)
	if size-from <= 4*strata {
		return h.Win()
	}
	exceed := 1 - h.x.cum(from)
	step, limit := (size-from)/strata, 2*exceed/strata
	sum, j := 0.0, h.gallop(0, h.x.at[from])
	for from < size {
		to := min(size, from+step) - 1
		if base := h.x.cum(from); h.x.upto[to] > base+limit {
			to, _ = slices.BinarySearch(h.x.upto[from:to], base+limit)
			to = max(from, from+to-1)
		}
		low := h.y.cum(j)
		j = h.gallop(j, h.x.at[to])
		// The mean of m even steps from low, which is the stratum before, to here.
		m := float64(to - from + 1)
		sum += (h.x.upto[to] - h.x.cum(from)) * (low + (h.y.cum(j)-low)*(m+1)/(2*m))
		from = to + 1
	}
	return h.share(sum, exceed), true
}

// gallop is the number of backups with d + y < x, at least j of which are
// known; it looks near j first.
func (h Hedged) gallop(j int, x int64) int {
	limit := x - h.policy.Delay
	if h.marks == nil {
		return after(h.y.at, j, limit)
	}
	m := after(h.marks, (j+marked-1)/marked, limit) // marks below the limit
	j = max(j, (m-1)*marked+1)
	return after(h.y.at[:min(len(h.y.at), m*marked)], j, limit)
}

// after is the number of sorted values below limit, at least j of which are
// known to be.
func after(values []int64, j int, limit int64) int {
	step := 1
	for j+step <= len(values) && values[j+step-1] < limit {
		j += step
		step *= 2
	}
	more, _ := slices.BinarySearch(values[j:min(len(values), j+step-1)], limit)
	return j + more
}

// marked is how many values of Y lie between two marks.
const marked = 64

// marks are every 64th value of Y, which stay in a processor's cache where a
// million values do not.
func marks(y Distribution) []int64 {
	out := make([]int64, 0, len(y.at)/marked+1)
	for i := 0; i < len(y.at); i += marked {
		out = append(out, y.at[i])
	}
	return out
}
