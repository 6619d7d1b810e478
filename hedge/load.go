package hedge

import (
	"fmt"
	"math"
)

// Load is what the upstream that serves the backups carries without hedging.
type Load struct {
	// Servers is how many requests it works on at once.
	Servers int
	// Busy is how many it works on in the mean: its measured concurrency
	// without those that queue, or arrivals × mean service time (Little).
	Busy float64
	// Service is the mean time that a request holds a server, microseconds.
	Service float64
	// Extra is the share of a whole service that one backup adds, both
	// attempts together: 1 where the loser runs on, which 0 stands for too.
	Extra float64
	// Budget is the share of requests that may be hedged; 0 is no budget.
	Budget float64
}

// fullLoad is up to which utilisation a queue is called safe.
const fullLoad = 0.9

// LoadCheck is what hedging's own load does, if primaries and backups share
// servers and queue in order of arrival (M/M/c, Erlang C).
type LoadCheck struct {
	Utilisation      float64 // without hedges, of 1
	UtilisationAfter float64
	Queue            float64 // mean queueing time without hedges, microseconds
	QueueAfter       float64 // valid where not Collapse
	Ratio            float64 // sent ratio in which the loop settles; valid where not Collapse
	// Collapse is true where it settles nowhere below the servers' capacity:
	// each hedge makes others slow enough to be hedged.
	Collapse bool
	// Fragile is true where it settles, but hedging everyone would exceed 90 %
	// of the capacity: a burst can tip it over, and it need not come back
	// (Bronson et al., Metastable Failures, HotOS 2021).
	Fragile bool
	// Ceiling is the budget that keeps the servers at or below 90 %: the
	// largest share of requests that may be hedged, 0 to 1.
	Ceiling float64
	Warning string // empty where neither applies
}

// CheckLoad asks where the sent ratio settles once the hedges' own load makes
// the queue longer, and with it more requests late. x is the law of waits at
// the present load: queueing, which the load changes, and the rest, which it
// does not. The law at a higher load is then X + Δ, and Δ follows from M/M/c
// (see growth), so that the ratio is the fixed point of
// r = q·P(X + Δ(r) > d), found from below. It takes backups to come evenly;
// they come in bunches, which makes the ratio a tenth higher with ten servers
// at 40 % and twice as high with one, so that it is a lower bound. It errs where
// the inputs can't be.
func CheckLoad(x Distribution, p Policy, l Load) (LoadCheck, error) {
	if l.Servers < 1 || !(l.Busy >= 0) || !(l.Service > 0) || l.Extra < 0 || l.Extra > 1 || l.Budget < 0 || l.Budget > 1 {
		return LoadCheck{}, fmt.Errorf("load of %d servers, %v of them busy for %v µs a request, extra %v, budget %v: give at least one server, a positive service time, and shares from 0 to 1", l.Servers, l.Busy, l.Service, l.Extra, l.Budget)
	}
	if l.Extra == 0 {
		l.Extra = 1
	}
	most := p.Q
	if l.Budget > 0 {
		most = min(most, l.Budget)
	}
	c := LoadCheck{Utilisation: l.Busy / float64(l.Servers), Ceiling: 1}
	if l.Busy > 0 {
		c.Ceiling = math.Min(1, math.Max(0, (fullLoad/c.Utilisation-1)/l.Extra))
	}
	c.settle(x, p, l, most)
	c.Fragile = !c.Collapse && c.Ratio > 0 && c.Utilisation*(1+l.Extra*most) > fullLoad
	c.warn()
	return c, nil
}

// rounds bounds the search for the fixed point; one that needs more is a
// tangent, and no safe place.
const rounds = 2000

// settle iterates from the present ratio; each round's is at least the last.
func (c *LoadCheck) settle(x Distribution, p Policy, l Load, most float64) {
	c.Collapse = true
	if c.Utilisation >= 1 {
		return
	}
	calm := newQueue(l.Servers, l.Busy, l.Service)
	c.Queue = calm.mean()
	wait := lumps(x, p.Delay)
	ratio := min(most, p.Sent(x))
	for range rounds {
		load := l.Busy * (1 + l.Extra*ratio)
		c.UtilisationAfter = load / float64(l.Servers)
		if c.UtilisationAfter >= 1 {
			return
		}
		busy := newQueue(l.Servers, load, l.Service)
		late := p.Trigger(x)
		if load > l.Busy {
			late += wait.later(calm.to(busy))
		}
		next := min(most, p.Q*late)
		if next-ratio < 1e-7 {
			c.Collapse, c.Ratio, c.QueueAfter = false, next, busy.mean()
			return
		}
		ratio = next
	}
}

// lump is the mass of X between two of its values below d, by how far they
// are from d.
type lump struct{ mass, near, far float64 }

type lumpy []lump

// lumps cut what lies below d into at most strata parts.
func lumps(x Distribution, d int64) lumpy {
	n := x.after(d)
	step := max(1, n/strata)
	var out lumpy
	for i := 0; i < n; i += step {
		to := min(n, i+step) - 1
		out = append(out, lump{x.upto[to] - x.cum(i), float64(d - x.at[to]), float64(d - x.at[i])})
	}
	return out
}

// later is the mass that the growth carries beyond d.
func (l lumpy) later(g growth) float64 {
	sum := 0.0
	for _, b := range l {
		sum += b.mass * (g.exceeds(b.near) + g.exceeds(b.far)) / 2
	}
	return sum
}

func (c *LoadCheck) warn() {
	switch {
	case c.Utilisation >= 1:
		c.Warning = "The upstream has no free server even without hedging: a backup can only lengthen its queue. Add capacity first."
	case c.Collapse:
		c.Warning = fmt.Sprintf("The backups' own load would push the upstream, %s busy without them, towards collapse: it settles nowhere below its capacity. Set a budget of at most %s instead of a smaller delay, or send backups elsewhere.", percent(c.Utilisation), percent(c.Ceiling))
	case c.Fragile:
		c.Warning = fmt.Sprintf("The ratio settles at %s, but hedging every request would exceed %s of the upstream: a burst can tip it over. Set a budget of at most %s.", percent(c.Ratio), percent(fullLoad), percent(c.Ceiling))
	}
}
