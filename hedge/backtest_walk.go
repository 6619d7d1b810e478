package hedge

import (
	"slices"
	"time"
)

// daySums are what a back-test gathers over its days.
type daySums struct {
	ratio                     tally
	sent, realisedSent        float64 // requests
	won, over                 float64 // predicted, of the requests beyond their delays
	realisedWon, realisedOver float64
	days                      []applied
}

// applied is one day's laws with its policy.
type applied struct {
	policy     Policy
	x, y       Distribution // learnt from
	next, with Distribution // the day, and the backups of all days applied to
	n          float64
}

// backtest walks over one key.
func backtest(t Trace, s Strategy, set BacktestSettings) (Backtest, error) {
	b := Backtest{Name: t.Name}
	if err := timed(t); err != nil {
		return b, err
	}
	requests := byDayOf(t.Requests)
	days := byDay(waitsOf(t.Requests))
	backups := days
	if t.Backup != nil {
		backups = byDay(t.Backup)
	}
	for i := range days {
		if days[i].day.Before(set.From) {
			continue
		}
		b.apply(days, backups, i, requests, s, set)
	}
	b.sums.close(backups, b.Days)
	b.sums.ratio.spread(days)
	b.settle(set)
	return b, nil
}

// byDayOf are the requests of each UTC day.
func byDayOf(requests []Request) map[time.Time][]Request {
	out := map[time.Time][]Request{}
	for _, r := range requests {
		k := r.At.UTC().Truncate(day)
		out[k] = append(out[k], r)
	}
	return out
}

// before are the days of the week before the i-th.
func before(days []dated, today time.Time) []dated {
	to, _ := slices.BinarySearchFunc(days, today, func(d dated, t time.Time) int { return d.day.Compare(t) })
	from := to
	for from > 0 && today.Sub(days[from-1].day) <= trainDays*day {
		from--
	}
	return days[from:to]
}

// gather is the law of several days.
func gather(days []dated) Distribution {
	var rows []Wait
	for _, d := range days {
		rows = append(rows, d.waits...)
	}
	return NewDistribution(rows)
}

// apply learns from the week before the i-th day and applies to it.
func (b *Backtest) apply(days, backups []dated, i int, requests map[time.Time][]Request, s Strategy, set BacktestSettings) {
	today := days[i].day
	train := before(days, today)
	x, y, next := gather(train), gather(before(backups, today)), NewDistribution(days[i].waits)
	least := set.MinTrain
	if least == 0 {
		least = s.minTrain()
	}
	p, expect, ok := Policy{}, 0.0, false
	if x.N() >= max(1, least) && y.N() > 0 {
		p, expect, ok = s.policy(x, y)
	}
	if !ok {
		b.Skipped++
		return
	}
	d := BacktestDay{Day: today, TrainN: x.N(), N: next.N(), Policy: p, Predicted: expect, Realised: next.Exceed(p.Delay),
		Next: predict(x, p.Delay, next.N(), false)}
	var learnt []Request
	for _, t := range train {
		learnt = append(learnt, requests[t.day]...)
	}
	d.Cost.plus(CostOf(learnt, p, set.Billing), float64(d.N)/float64(d.TrainN))
	d.RealisedCost = CostOf(requests[today], p, set.Billing)
	weigh(train, &days[i], x, next, p.Delay)
	b.Days = append(b.Days, d)
	b.sums.add(d, days[i].n, applied{policy: p, x: x, y: y, next: next, n: float64(d.N)})
}

// add counts one day; n of its rows can tell.
func (u *daySums) add(d BacktestDay, n float64, a applied) {
	u.ratio.count(n, d.Predicted, d.Realised)
	u.sent += a.n * d.Policy.Q * d.Predicted
	u.realisedSent += a.n * d.Policy.Q * d.Realised
	u.days = append(u.days, a)
}

// close knows all days and so the backups that they had.
func (u *daySums) close(backups []dated, days []BacktestDay) {
	var rows []Wait
	for _, d := range backups {
		if slices.ContainsFunc(days, func(a BacktestDay) bool { return a.Day.Equal(d.day) }) {
			rows = append(rows, d.waits...)
		}
	}
	with := NewDistribution(rows)
	for i := range u.days {
		a := &u.days[i]
		a.with = with
		if win, ok := Independent(a.x, a.y, a.policy).quickWin(); ok {
			over := a.n * a.x.Exceed(a.policy.Delay)
			u.won, u.over = u.won+over*win, u.over+over
		}
		if win, ok := Independent(a.next, a.with, a.policy).quickWin(); ok {
			over := a.n * a.next.Exceed(a.policy.Delay)
			u.realisedWon, u.realisedOver = u.realisedWon+over*win, u.realisedOver+over
		}
	}
}
