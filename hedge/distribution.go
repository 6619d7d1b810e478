package hedge

import "slices"

// Distribution is a law on distinct values, ascending, with the number of
// requests behind it. Its mass may be below 1: the rest was never observed.
// The zero Distribution has no rows.
type Distribution struct {
	at   []int64   // distinct values, microseconds
	upto []float64 // F(v)
	// green is Greenwood's sum Σ d_i/(n_i·(n_i − d_i)) up to each value; nil
	// where nothing is censored.
	green []float64
	n     int
	last  int64 // last time seen, event or censoring
}

// NewDistribution returns the Kaplan–Meier law of the waits, events before
// censorings at ties: S(t) = Π (1 − d_i/n_i) (Kaplan and Meier, 1958). Without
// censored rows each has mass 1/n exactly. The waits may come in any order.
func NewDistribution(waits []Wait) Distribution {
	keys := make([]int64, len(waits))
	for i, w := range waits {
		keys[i] = sortKey(w)
	}
	slices.Sort(keys)
	var d Distribution
	d.build(keys, nil)
	return d
}

// sortKey orders waits by time, events before censorings at ties.
func sortKey(w Wait) int64 { return w.Micros<<1 | int64(b2i(w.Censored)) }

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// build makes d the law of sorted keys, each counted as often as counts says
// (nil: once). It reuses d's memory.
func (d *Distribution) build(keys []int64, counts []int32) {
	d.at, d.upto, d.green = d.at[:0], d.upto[:0], d.green[:0]
	d.n, d.last = len(keys), 0
	if counts != nil {
		d.n = 0
		for _, c := range counts {
			d.n += int(c)
		}
	}
	km := product{risk: d.n, before: d.n, survive: 1}
	for i := 0; i < len(keys); {
		v, tally := keys[i]>>1, [2]int{}
		for ; i < len(keys) && keys[i]>>1 == v; i++ {
			if counts == nil {
				tally[keys[i]&1]++
			} else {
				tally[keys[i]&1] += int(counts[i])
			}
		}
		km.add(d, v, tally[0], tally[1])
	}
	km.end(d)
}

// product is Kaplan and Meier's on its way through the times.
type product struct {
	risk, before int // rows at risk now, and when the last censoring ended
	survive      float64
	green        float64
}

// add takes the next time's events, then its censorings.
func (p *product) add(d *Distribution, v int64, events, censored int) {
	if events+censored == 0 {
		return
	}
	d.last = v
	if events > 0 {
		// Between censorings the product telescopes, so that masses stay exact.
		p.green += float64(events) / (float64(p.risk) * float64(max(1, p.risk-events)))
		p.risk -= events
		d.at = append(d.at, v)
		d.upto = append(d.upto, 1-p.survive*float64(p.risk)/float64(p.before))
		d.green = append(d.green, p.green)
	}
	if censored > 0 {
		p.survive *= float64(p.risk) / float64(p.before)
		p.risk -= censored
		p.before = p.risk
	}
}

// end drops Greenwood's sums where nothing was censored.
func (p *product) end(d *Distribution) {
	if p.before == d.n {
		d.green = d.green[:0]
	}
}

// N is the number of requests behind the distribution.
func (d Distribution) N() int { return d.n }

// Mass is the share of the law that was observed, 0 to 1.
func (d Distribution) Mass() float64 { return d.cum(len(d.upto)) }

// Last is the last time seen, an event or a censoring, in microseconds.
func (d Distribution) Last() int64 { return d.last }

// CDF is F(t) = P(X ≤ t), t in microseconds.
func (d Distribution) CDF(t int64) float64 { return d.cum(d.after(t)) }

// after is the number of values up to t.
func (d Distribution) after(t int64) int {
	i, found := slices.BinarySearch(d.at, t)
	return i + b2i(found)
}

// below is F(t−) = P(X < t).
func (d Distribution) below(t int64) float64 {
	i, _ := slices.BinarySearch(d.at, t)
	return d.cum(i)
}

// cum is the mass of the first i values.
func (d Distribution) cum(i int) float64 {
	if i == 0 {
		return 0
	}
	return d.upto[i-1]
}

// Exceed is S(t) = P(X > t): the share of requests that a hedge delay of t
// would trigger for.
func (d Distribution) Exceed(t int64) float64 { return 1 - d.CDF(t) }
