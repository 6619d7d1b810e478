package hedge

import (
	"math"
	"sort"
)

// ShareBound is one end of an interval of a share, 0 to 1.
type ShareBound struct {
	Share float64
	Valid bool
}

// RatioInterval predicts the trigger ratio of the next m requests.
type RatioInterval struct {
	Low, High ShareBound
	Next      int // m, the requests of the next window
	// Exact is true where the beta-binomial law holds exactly: independent,
	// uncensored rows and a delay that is an order statistic.
	Exact bool
	// Widened is true where the bounds are the wider ones of the beta-binomial
	// law and of the block bootstrap.
	Widened bool
}

// PredictRatio is the two-sided 95 % interval of the trigger ratio among the
// next m requests, when exceed of n training rows were above the delay: the
// mass above X(n−exceed) is Beta(exceed + 1, n − exceed), so that the number
// above it is beta-binomial (David and Nagaraja, Order Statistics, 2.5).
// exact says whether the delay is an order statistic of independent,
// uncensored rows.
func PredictRatio(n, exceed, m int, exact bool) RatioInterval {
	r := RatioInterval{Next: m, Exact: exact}
	if n < 1 || m < 1 || exceed < 0 || exceed >= n {
		return r
	}
	cdf := betaBinomialCDF(m, float64(exceed)+1, float64(n-exceed))
	half := (1 - confidence) / 2
	share := func(p float64) ShareBound {
		return ShareBound{float64(min(m, sort.SearchFloat64s(cdf, p))) / float64(m), true}
	}
	r.Low, r.High = share(half), share(1-half)
	return r
}

// predict bounds the next window's trigger ratio at d. ranked says that d is
// a quantile of independent, uncensored rows. A delay that is no row lies
// between two order statistics and takes the wider end of both.
func predict(x Distribution, d int64, next int, ranked bool) RatioInterval {
	exceed := int(math.Round(x.Exceed(d) * float64(x.N())))
	exact := ranked && x.CDF(d) > x.below(d)
	r := PredictRatio(x.N(), exceed, next, exact)
	if exceed == x.N() && next > 0 {
		r.High = ShareBound{1, true}
	}
	if !exact && exceed > 0 {
		r.Low = PredictRatio(x.N(), exceed-1, next, false).Low
	}
	return r
}

// widen takes the wider ends of the interval and of drawn ratios.
func (r *RatioInterval) widen(ratios []float64) {
	if len(ratios) == 0 || !r.Low.Valid || !r.High.Valid {
		return
	}
	drawn := spread(ratios, confidence)
	r.Low.Share = math.Min(r.Low.Share, drawn.Low.Micros)
	r.High.Share = math.Max(r.High.Share, drawn.High.Micros)
	r.Exact, r.Widened = false, true
}

// betaBinomialQuantile is the smallest k with P(K ≤ k) ≥ p for K of m with a
// Beta(a, b) chance.
func betaBinomialQuantile(m int, a, b, p float64) int {
	cdf := betaBinomialCDF(m, a, b)
	return min(m, sort.SearchFloat64s(cdf, p))
}

// betaBinomialCDF lists P(K ≤ k) for k = 0..m, by the ratio of neighbours from
// the mode outward, so that nothing underflows.
func betaBinomialCDF(m int, a, b float64) []float64 {
	pmf := make([]float64, m+1)
	mode := int(math.Min(float64(m), math.Max(0, float64(m)*a/(a+b))))
	pmf[mode] = 1
	for k := mode; k < m; k++ {
		pmf[k+1] = pmf[k] * float64(m-k) / float64(k+1) * (float64(k) + a) / (float64(m-k) - 1 + b)
	}
	for k := mode; k > 0; k-- {
		pmf[k-1] = pmf[k] * float64(k) / float64(m-k+1) * (float64(m-k) + b) / (float64(k) - 1 + a)
	}
	sum := 0.0
	for _, p := range pmf {
		sum += p
	}
	cum := 0.0
	for k, p := range pmf {
		cum += p / sum
		pmf[k] = cum
	}
	return pmf
}

// Alarm is the share of the next m requests above which a trigger ratio is no
// longer chance (97.5 %), when the delay was the P90 of n rows and keys many
// keys are watched (Holm's first step: the miss is shared among them).
func Alarm(n, m, keys int) float64 {
	exceed := n / 10
	p := 1 - (1-confidence)/2/float64(max(1, keys))
	return float64(betaBinomialQuantile(m, float64(exceed)+1, float64(n-exceed), p)) / float64(m)
}
