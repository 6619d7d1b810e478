package hedge

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// confidence is that of every interval, two-sided.
const confidence = 0.95

// MinPoint is the smallest n with which the q-quantile may be shown as a
// point: the largest of n rows exceeds it with 95 % (P90 29, P95 59, P99 299,
// P99.9 2,995); for q below one half the smallest row does the same.
func MinPoint(q float64) int { return minN(q, 1-confidence) }

// MinInterval is the smallest n with which the q-quantile has a two-sided
// interval from order statistics (P90 36, P95 72, P99 368, P99.9 3,688).
func MinInterval(q float64) int { return minN(q, (1-confidence)/2) }

func minN(q, miss float64) int {
	far := math.Max(q, 1-q)
	if far >= 1 {
		return math.MaxInt
	}
	return int(math.Ceil(math.Log(miss)/math.Log(far) - 1e-9))
}

// Ranks are the order statistics X(low) and X(high), from 1, that enclose the
// q-quantile of n independent rows with at least 95 % (binomial; David and
// Nagaraja, Order Statistics, 7.1). low is 0 and high n + 1 where that side
// has no end.
func Ranks(n int, q float64) (low, high int) {
	half := (1 - confidence) / 2
	low = binomialQuantile(n, q, half)
	high = binomialQuantile(n, q, 1-half) + 1
	return low, high
}

// binomialQuantile is the smallest k with P(B ≤ k) ≥ p.
func binomialQuantile(n int, q, p float64) int {
	lo, hi := 0, n
	for lo < hi {
		if mid := (lo + hi) / 2; binomialCDF(n, mid, q) >= p {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// binomialCDF is P(B ≤ k) for n trials of chance q: I(1−q; n−k, k+1)
// (Abramowitz and Stegun 26.5.24).
func binomialCDF(n, k int, q float64) float64 {
	if k >= n {
		return 1
	}
	return mathext.RegIncBeta(float64(n-k), float64(k+1), 1-q)
}

// Interval is the q-quantile's two-sided 95 % interval from order statistics.
// Under censoring the ranks are those of the effective number of rows at the
// quantile, and the bounds are read off the Kaplan–Meier law.
func (d Distribution) Interval(q float64) Interval {
	at := d.last
	if p := d.Quantile(q); p.Reached {
		at = micros(p.Micros)
	}
	n := int(d.Effective(at))
	low, high := Ranks(n, q)
	return Interval{Low: d.rank(low, n), High: d.rank(high, n)}
}

// rank is the r-th smallest of n rows, from 1, as a bound.
func (d Distribution) rank(r, n int) Bound {
	if r < 1 || r > n {
		return Bound{}
	}
	q := 0.0
	if n > 1 {
		q = float64(r-1) / float64(n-1)
	}
	p := d.Quantile(q)
	return Bound{Micros: p.Micros, Valid: p.Reached}
}

// clopperPearson is the exact two-sided 95 % interval of a chance that came
// true k of n times (Clopper and Pearson, 1934): quantiles of Beta(k, n−k+1)
// and Beta(k+1, n−k).
func clopperPearson(k, n int) (low, high float64) {
	half := (1 - confidence) / 2
	low, high = 0, 1
	if k > 0 {
		low = mathext.InvRegIncBeta(float64(k), float64(n-k+1), half)
	}
	if k < n {
		high = mathext.InvRegIncBeta(float64(k+1), float64(n-k), 1-half)
	}
	return low, high
}
