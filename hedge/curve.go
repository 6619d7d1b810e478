package hedge

import "math"

// CurvePoint is what one delay would do.
type CurvePoint struct {
	Delay    int64   // microseconds
	Trigger  float64 // S(d)
	Win      float64
	WinOK    bool // false where nothing exceeds the delay
	P95, P99 Point
}

// Delays are at most n distinct delays, evenly spaced on a log scale from the
// median to the last time seen: the part in which hedging is of interest.
func Delays(x Distribution, n int) []int64 {
	median := x.Quantile(0.5)
	if !median.Reached || n < 1 || x.last < 1 {
		return nil
	}
	lo, hi := math.Log(math.Max(1, median.Micros)), math.Log(float64(x.last))
	var out []int64
	for i := range n {
		step := 0.0
		if n > 1 {
			step = float64(i) / float64(n-1)
		}
		if d := int64(math.Round(math.Exp(lo + step*(hi-lo)))); len(out) == 0 || d > out[len(out)-1] {
			out = append(out, d)
		}
	}
	return out
}

// Curve simulates every delay, with a Gaussian copula of correlation rho
// between primary and backup (0: independent).
func Curve(x, y Distribution, delays []int64, rho float64) []CurvePoint {
	out := make([]CurvePoint, len(delays))
	for i, d := range delays {
		h := Correlated(x, y, Policy{Delay: d, Q: 1}, rho)
		p := CurvePoint{Delay: d, Trigger: x.Exceed(d), P95: h.Quantile(0.95), P99: h.Quantile(0.99)}
		p.Win, p.WinOK = h.Win()
		out[i] = p
	}
	return out
}
