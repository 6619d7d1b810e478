package hedge

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// Replay is what a policy with a budget would have done to requests in their
// real order.
type Replay struct {
	Requests  int
	Triggered int // still waited at d, and chosen with chance q
	Sent      int // of them, with a backup
	Refused   int // of them, without: the budget was exhausted
	// Ratio is the realised share of requests with a backup, Unlimited what it
	// would be without a budget, RefusedShare the share of the triggered that
	// were refused.
	Ratio, Unlimited, RefusedShare float64
	Cost                           Cost // of the backups sent
	Before, After                  Summary
	// Dry is for how long no backup could be paid for, measured from each
	// refused backup to the next that was sent; DryDays on how many UTC days
	// one was refused.
	Dry     time.Duration
	DryDays int

	sent, rest []Wait // of the triggered, with and without a backup
}

// ReplayBudget sends the requests through p and the budget in the order of
// their arrival: each comes at its own time, and asks for a backup d later.
// Backups wait as y says, independently, so that the percentiles after are
// exact for the requests that got one: P(Q > t) = S(d)·(a·S₁(t)·P(Y > t − d)
// + (1 − a)·S₂(t)) beyond d, with a the share sent of those beyond d, and S₁ and
// S₂ the laws of those with and without one. rnd decides for q below 1 and may
// be nil otherwise. It errs where a request has no time.
func ReplayBudget(requests []Request, y Distribution, p Policy, b TokenBucket, bill Billing, rnd *rand.Rand) (Replay, error) {
	if err := b.check(); err != nil {
		return Replay{}, err
	}
	if slices.ContainsFunc(requests, func(r Request) bool { return r.At.IsZero() }) {
		return Replay{}, fmt.Errorf("replaying a budget over %d requests: one has no time of arrival; a budget can't be replayed without", len(requests))
	}
	if p.Q < 1 && rnd == nil {
		return Replay{}, fmt.Errorf("replaying a policy with q %v: give a source of randomness", p.Q)
	}
	ordered := slices.Clone(requests)
	slices.SortStableFunc(ordered, func(a, b Request) int { return a.At.Compare(b.At) })
	out := Replay{Requests: len(ordered)}
	bought := out.run(ordered, p, b, rnd)
	if out.Requests == 0 {
		return out, nil
	}
	out.Ratio = part(float64(out.Sent), float64(out.Requests))
	out.Unlimited = part(float64(out.Triggered), float64(out.Requests))
	out.RefusedShare = part(float64(out.Refused), float64(out.Triggered))
	out.Cost = CostOf(ordered, Policy{Delay: p.Delay}, bill)
	out.Cost.pay(bought, bill)
	x := NewDistribution(waitsOf(ordered))
	out.Before, out.After = summarise(x), summarise(out.law(x, y, p.Delay))
	return out, nil
}

// run spends the budget, and returns the requests that got a backup.
func (o *Replay) run(ordered []Request, p Policy, b TokenBucket, rnd *rand.Rand) (bought []Request) {
	l := level{bucket: b, units: b.Burst}
	wait := time.Duration(p.Delay) * time.Microsecond
	var dry time.Time
	days := map[time.Time]bool{}
	arrived := 0
	for _, r := range ordered {
		due := r.At.Add(wait)
		for arrived < len(ordered) && !ordered[arrived].At.After(due) {
			l.fill(ordered[arrived].At)
			l.request()
			arrived++
		}
		if !r.hedgedAt(p.Delay) {
			continue
		}
		if p.Q < 1 && rnd.Float64() >= p.Q {
			o.rest = append(o.rest, r.Wait)
			continue
		}
		o.Triggered++
		l.fill(due)
		if !l.take(b.price(r)) {
			o.Refused++
			o.rest = append(o.rest, r.Wait)
			days[due.UTC().Truncate(day)] = true
			if dry.IsZero() {
				dry = due
			}
			continue
		}
		if !dry.IsZero() {
			o.Dry, dry = o.Dry+due.Sub(dry), time.Time{}
		}
		o.Sent++
		o.sent = append(o.sent, r.Wait)
		bought = append(bought, r)
	}
	if !dry.IsZero() { // until the last request's own decision
		o.Dry += ordered[len(ordered)-1].At.Add(wait).Sub(dry)
	}
	o.DryDays = len(days)
	return bought
}

// pay replaces the expected backups by those that were bought.
func (c *Cost) pay(bought []Request, bill Billing) {
	*c = Cost{Requests: c.Requests, AllInput: c.AllInput, AllOutput: c.AllOutput, AllMoney: c.AllMoney}
	for _, r := range bought {
		c.add(r, 1, bill)
	}
	c.share()
}

// law is what the client waits: up to d as without hedging.
func (o *Replay) law(x, y Distribution, d int64) mixture {
	m := mixture{n: x.n, seen: x.last, last: max(x.last, d+y.last)}
	head := x.CDF(d)
	m.add(1, upTo{x, d})
	beyond := float64(len(o.sent) + len(o.rest))
	if beyond == 0 {
		return m
	}
	sent, rest := NewDistribution(o.sent), NewDistribution(o.rest)
	m.add((1-head)*float64(sent.n)/beyond, Independent(sent, y, Policy{Delay: d, Q: 1}))
	m.add((1-head)*float64(rest.n)/beyond, rest)
	return m
}

// upTo is a law's part up to d, without the rest of its mass.
type upTo struct {
	law Distribution
	d   int64
}

func (u upTo) CDF(t int64) float64 { return u.law.CDF(min(t, u.d)) }
