package hedge

import (
	"math"
	"slices"
)

// Optimal is the policy that does best at one quantile within a budget.
type Optimal struct {
	Policy
	Sent    float64 // share of requests for which a backup is sent, q·S(d)
	Reaches Point   // the quantile under the policy
}

// SingleD is the best policy that sends the backup to everyone who waits d:
// the smallest d, not below floor, that at most budget of the requests
// exceed. ok is false where no seen value is exceeded by so few.
func SingleD(x, y Distribution, budget, k float64, floor int64) (best Optimal, ok bool) {
	i, _ := slices.BinarySearchFunc(x.upto, 1-budget, func(f, target float64) int {
		if f < target-slack {
			return -1
		}
		return 1
	})
	if i == len(x.at) {
		return Optimal{}, false
	}
	return optimal(x, y, Policy{Delay: max(floor, x.at[i]), Q: 1}, k), true
}

// SingleR is the best policy that sends the backup with chance q after d
// (Kaler, He and Elnikety, Optimal Reissue Policies, SPAA 2017): of all d, not
// below floor, each with q = min(1, budget/S(d)), the one whose hedged
// k-quantile is smallest, for an independent backup. ok is false where no
// policy reaches the quantile. It takes O(n log t) for waits up to t.
func SingleR(x, y Distribution, budget, k float64, floor int64) (best Optimal, ok bool) {
	c := candidates(x, budget, floor)
	if len(c) == 0 || len(y.at) == 0 {
		return Optimal{}, false
	}
	last := max(x.last, y.at[len(y.at)-1]+c[len(c)-1].Delay)
	if success, _ := reach(x, y, c, last); success < k-slack {
		return Optimal{}, false
	}
	lo, hi := c[0].Delay, last // the smallest t that some policy reaches k at
	if unhedged := x.Quantile(k); unhedged.Reached {
		hi = min(hi, int64(math.Ceil(unhedged.Micros)))
		if success, _ := reach(x, y, c, hi); success < k-slack {
			hi = last
		}
	}
	for lo < hi {
		mid := lo + (hi-lo)/2
		if success, _ := reach(x, y, c, mid); success >= k-slack {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	_, p := reach(x, y, c, lo)
	return optimal(x, y, p, k), true
}

func optimal(x, y Distribution, p Policy, k float64) Optimal {
	return Optimal{Policy: p, Sent: p.Sent(x), Reaches: Independent(x, y, p).Quantile(k)}
}

// candidates are the policies among which one is best: q changes only at
// values of X, and between two of them the smaller d is better. Once q is 1,
// later ones are worse.
func candidates(x Distribution, budget float64, floor int64) []Policy {
	first := x.after(floor)
	out := make([]Policy, 0, 1+len(x.at)-first)
	add := func(d int64, exceed float64) (done bool) {
		p := Policy{Delay: d, Q: 1}
		if exceed > budget+slack {
			p.Q = budget / exceed
		}
		out = append(out, p)
		return p.Q == 1
	}
	if add(floor, 1-x.cum(first)) {
		return out
	}
	for i := first; i < len(x.at); i++ {
		if add(x.at[i], 1-x.upto[i]) {
			break
		}
	}
	return out
}

// reach is the largest P(Q ≤ t) that a candidate gives, and that candidate.
func reach(x, y Distribution, candidates []Policy, t int64) (success float64, best Policy) {
	u := x.CDF(t)
	best, most := candidates[0], 0.0
	j := len(y.at) // values of Y up to t − d, from the smallest d on
	for _, p := range candidates {
		if p.Delay > t {
			break
		}
		for j > 0 && y.at[j-1] > t-p.Delay {
			j--
		}
		if v := p.Q * y.cum(j); v > most {
			best, most = p, v
		}
		if j == 0 {
			break
		}
	}
	return u + (1-u)*most, best
}
