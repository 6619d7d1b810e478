package hedge

import (
	"math"
	"slices"
)

// Regimes compares the two halves of a window, in order of time.
type Regimes struct {
	FirstN, SecondN     int
	FirstP90, SecondP90 Point
	// FirstShare is the share of the first half above the second's P90,
	// SecondShare that of the second above the first's: 10 % where both
	// halves follow one law. Where a P90 is not reached, the last time seen
	// stands for it.
	FirstShare, SecondShare float64
	// P is the two-sided chance of shares so far from 10 % under one law.
	P float64
	// Two is true where P < 0.01 and a share is over 20 % or under 5 %: with
	// many rows a harmless drift is significant too.
	Two bool
}

const (
	regimeHigh = 0.20
	regimeLow  = 0.05
)

// regimes splits the rows at the middle of their order in time and lets each
// half's P90 predict the other half (beta-binomial). It returns nil where
// rows have no time, a half is too small for its P90, or neither P90 is
// reached.
func regimes(waits []Wait) *Regimes {
	if len(waits) < 2*MinPoint(0.9) || slices.ContainsFunc(waits, func(w Wait) bool { return w.At.IsZero() }) {
		return nil
	}
	ordered := slices.Clone(waits)
	slices.SortStableFunc(ordered, func(a, b Wait) int { return a.At.Compare(b.At) })
	half := len(ordered) / 2
	first, second := NewDistribution(ordered[:half]), NewDistribution(ordered[half:])
	r := Regimes{FirstN: first.N(), SecondN: second.N(), FirstP90: first.Quantile(0.9), SecondP90: second.Quantile(0.9)}
	if !r.FirstP90.Reached && !r.SecondP90.Reached {
		return nil
	}
	var p1, p2 float64
	r.SecondShare, p1 = crossed(first, second, r.FirstP90)
	r.FirstShare, p2 = crossed(second, first, r.SecondP90)
	r.P = math.Min(1, 2*math.Min(p1, p2)) // two looks at the same question
	r.settle(r.P)
	return &r
}

// settle decides with the chance p, P after any correction.
func (r *Regimes) settle(p float64) {
	out := func(share float64) bool { return share > regimeHigh || share < regimeLow }
	r.Two = p < unstableP && (out(r.FirstShare) || out(r.SecondShare))
}

// crossed is the share of next above the P90 of train, with the two-sided
// beta-binomial chance of one so extreme; 1 where that P90 is not reached.
func crossed(train, next Distribution, p90 Point) (share, p float64) {
	if !p90.Reached {
		return next.Exceed(p90.AtLeast), 1
	}
	d := micros(p90.Micros)
	share = next.Exceed(d)
	exceed := int(math.Round(train.Exceed(d) * float64(train.N())))
	k := int(math.Round(share * float64(next.N())))
	cdf := betaBinomialCDF(next.N(), float64(exceed)+1, float64(train.N()-exceed))
	above := 1.0
	if k > 0 {
		above = 1 - cdf[k-1]
	}
	return share, math.Min(1, 2*math.Min(cdf[k], above))
}
