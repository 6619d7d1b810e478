package hedge

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// pearson3 is the shifted gamma law with three given cumulants: mean, variance
// and third (Pearson, 1895). Without skew it is the normal law.
type pearson3 struct{ mean, variance, third float64 }

// shape is the gamma's shape 4/γ², its standard deviation over √shape with
// the skew's sign; flat where the skew is too small to matter.
func (l pearson3) shape() (shape, scale float64, flat bool) {
	sd := math.Sqrt(l.variance)
	skew := l.third / (sd * sd * sd)
	if math.Abs(skew) < 1e-4 {
		return 0, 0, true
	}
	return 4 / (skew * skew), sd * skew / 2, false
}

// cdf is P(K ≤ k).
func (l pearson3) cdf(k float64) float64 {
	if !(l.variance > 0) {
		return float64(b2i(k >= l.mean))
	}
	shape, scale, flat := l.shape()
	if flat {
		return normalCDF((k - l.mean) / math.Sqrt(l.variance))
	}
	g := (k-l.mean)/scale + shape
	if g <= 0 {
		return float64(b2i(scale < 0))
	}
	if scale < 0 {
		return mathext.GammaIncRegComp(shape, g)
	}
	return mathext.GammaIncReg(shape, g)
}

// quantile is the k with P(K ≤ k) = p.
func (l pearson3) quantile(p float64) float64 {
	if !(l.variance > 0) {
		return l.mean
	}
	shape, scale, flat := l.shape()
	if flat {
		return l.mean + math.Sqrt(l.variance)*normalQuantile(p)
	}
	if scale < 0 {
		p = 1 - p
	}
	return l.mean + scale*(mathext.GammaIncRegInv(shape, p)-shape)
}
