package hedge

import "math"

// ErlangC is the chance that a request has to queue before c servers that are
// offered a load of a (arrivals × mean service time): 1 from a = c on (Erlang,
// 1917; by his B formula's recursion, which nothing overflows).
func ErlangC(c int, a float64) float64 {
	if a >= float64(c) {
		return 1
	}
	if a <= 0 {
		return 0
	}
	b := 1.0
	for k := 1; k <= c; k++ {
		b = a * b / (float64(k) + a*b)
	}
	return b / (1 - a/float64(c)*(1-b))
}

// queue is M/M/c with waiting in order of arrival: the queueing time is 0, or
// with chance the Erlang C exponential with rate (c − a)/service (Kleinrock,
// Queueing Systems I, 3.5).
type queue struct{ chance, rate float64 }

func newQueue(c int, a, service float64) queue {
	return queue{ErlangC(c, a), (float64(c) - a) / service}
}

// mean queueing time, microseconds.
func (q queue) mean() float64 { return q.chance / q.rate }

// growth is the law of what a busier queue adds to a calmer one's times: the
// busier's transform over the calmer's. With transforms
// ((1 − C)s + θ)/(s + θ) the quotient is an atom at 0 and two exponentials.
type growth struct{ slow, slowRate, fast, fastRate float64 }

// to is the growth from q to a busier queue.
func (q queue) to(busier queue) growth {
	p, z := q.rate/(1-q.chance), busier.rate/(1-busier.chance)
	k := (1 - busier.chance) / (1 - q.chance)
	return growth{
		slow: k * (q.rate - busier.rate) * (z - busier.rate) / (p - busier.rate), slowRate: busier.rate,
		fast: k * (q.rate - p) * (z - p) / (busier.rate - p), fastRate: p,
	}
}

// exceeds is the chance that more than t microseconds are added.
func (g growth) exceeds(t float64) float64 {
	if t < 0 {
		return 1
	}
	s := g.slow/g.slowRate*math.Exp(-g.slowRate*t) + g.fast/g.fastRate*math.Exp(-g.fastRate*t)
	return math.Min(1, math.Max(0, s))
}
