package hedge

import "math"

// Policy is a hedge delay d with the chance Q of sending the backup once d
// has passed.
type Policy struct {
	Delay int64   // d, microseconds
	Q     float64 // 0 to 1; SingleD has 1
}

// Trigger is the share of requests that still wait at d, S(d).
func (p Policy) Trigger(x Distribution) float64 { return x.Exceed(p.Delay) }

// Sent is the share of requests for which a backup is sent, q·S(d).
func (p Policy) Sent(x Distribution) float64 { return p.Q * x.Exceed(p.Delay) }

// Hedged is the law of what the client waits under a policy. It is evaluated
// on demand, exactly, on the values of X and d + Y.
type Hedged struct {
	x, y   Distribution
	policy Policy
	joint  joint
	marks  []int64 // into y, for many wins of the same law; nil does without
}

// joint gives P(X > t, Y ≤ s) from u = F_X(t) and v = F_Y(s).
type joint func(u, v float64) float64

// Independent is the hedged law with a backup that is independent of the
// primary: P(Q ≤ t) = F_X(t) for t < d, else
// F_X(t) + q·(1 − F_X(t))·F_Y(t − d). Quantiles at or below F_X(d) do not move.
func Independent(x, y Distribution, p Policy) Hedged {
	return Hedged{x: x, y: y, policy: p, joint: func(u, v float64) float64 { return (1 - u) * v }}
}

// Correlated is the hedged law with a Gaussian copula of correlation rho,
// −1 to 1, between primary and backup.
func Correlated(x, y Distribution, p Policy, rho float64) Hedged {
	if rho == 0 {
		return Independent(x, y, p)
	}
	c := newCopula(rho)
	return Hedged{x: x, y: y, policy: p, joint: func(u, v float64) float64 { return math.Max(0, v-c.at(u, v)) }}
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
	if t < h.policy.Delay {
		return h.x.CDF(t)
	}
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
func (h Hedged) Quantile(q float64) Point { return quantile(merged{h}, q, h.x.n) }
