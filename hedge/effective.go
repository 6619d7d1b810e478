package hedge

import "math"

// Effective is the number of uncensored rows that would tell S(t) as well as
// these do: S·(1 − S) over Greenwood's variance S²·Σ d_i/(n_i·(n_i − d_i))
// (Greenwood, 1926; effective sample size after Cutler and Ederer, 1958). It
// is N where nothing is censored up to t.
func (d Distribution) Effective(t int64) float64 {
	i := d.after(t)
	if len(d.green) == 0 || i == 0 {
		return float64(d.n)
	}
	s := 1 - d.upto[i-1]
	if s <= slack {
		return float64(d.n)
	}
	return math.Min(float64(d.n), (1-s)/(s*d.green[i-1]))
}
