package hedge

import (
	"math"
	"slices"
)

// MeanUpTo is E[min(X, t)] = ∫₀ᵗ S(u) du, the restricted mean, in microseconds
// (Irwin, 1949): the mean where everything was seen up to t.
func (d Distribution) MeanUpTo(t int64) float64 {
	sum, from, survive := 0.0, int64(0), 1.0
	for i, v := range d.at {
		if v > t {
			break
		}
		sum += survive * float64(v-from)
		from, survive = v, 1-d.upto[i]
	}
	return sum + survive*float64(max(0, t-from))
}

// Saved is the mean wait that hedging takes off a request, in microseconds:
// E[X − Q] = q·∫ P(X > t, Y ≤ t − d) dt from d to the last time seen. What
// unfinished requests would have waited beyond it is left out, so that it is
// then a lower bound. It is exact for up to some thousand values, else within
// 0.1 %.
func (h Hedged) Saved() float64 {
	times, exact := h.times()
	sum, before := 0.0, 0.0
	for i, t := range times {
		if i > 0 {
			height := before
			if !exact { // the mean of both ends; they are equal where nothing was left out
				height = (before + h.joint(h.x.below(t), h.y.below(t-h.policy.Delay))) / 2
			}
			sum += height * float64(t-times[i-1])
		}
		before = h.joint(h.x.CDF(t), h.y.CDF(t-h.policy.Delay))
	}
	return math.Max(0, h.policy.Q*sum)
}

// times are where the integral of Saved is evaluated, from d to the last time
// seen: everywhere where it steps, or, for many values, at a choice of them
// with all of the slowest.
func (h Hedged) times() (times []int64, exact bool) {
	d, last := h.policy.Delay, h.x.last
	if last <= d {
		return nil, true
	}
	xs := h.x.at[h.x.after(d):]
	ys := h.y.at[:h.y.after(last-d)]
	exact = len(xs)+len(ys) <= 8*strata
	times = append(make([]int64, 0, min(len(xs)+len(ys), 8*strata)+2), d, last)
	for i := 0; i < len(xs); i += stride(i, len(xs), exact) {
		times = append(times, xs[i])
	}
	for i := 0; i < len(ys); i += stride(i, len(ys), exact) {
		times = append(times, d+ys[i])
	}
	slices.Sort(times)
	return slices.Compact(times), exact
}

// stride is how far the next chosen of n sorted values is from the i-th.
func stride(i, n int, exact bool) int {
	if exact || n-i <= 2*strata {
		return 1
	}
	return max(1, min(n/(2*strata), n-2*strata-i))
}

// SecondsSaved is Σ (X − Q) over so many requests like the window's, with the
// case it comes from: the measured one if there is one, else the pessimistic.
// ok is false where no delay can be given.
func (a Advice) SecondsSaved(requests int) (seconds float64, from string, ok bool) {
	c, from := a.Measured, "measured"
	if c == nil {
		c, from = a.Pessimistic, "pessimistic"
	}
	if c == nil {
		return 0, "", false
	}
	return c.Saved * float64(requests) / 1e6, from, true
}
