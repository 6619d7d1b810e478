package hedge

// merge adds a key's days to the pooled back-test.
func (b *Backtest) merge(key Backtest) {
	b.Days = append(b.Days, key.Days...)
	b.Skipped += key.Skipped
	u, o := &b.sums, key.sums
	u.ratio.plus(o.ratio)
	u.sent, u.realisedSent = u.sent+o.sent, u.realisedSent+o.realisedSent
	u.won, u.over = u.won+o.won, u.over+o.over
	u.realisedWon, u.realisedOver = u.realisedWon+o.realisedWon, u.realisedOver+o.realisedOver
	u.days = append(u.days, o.days...)
}

// settle turns the sums into the outcomes.
func (b *Backtest) settle(set BacktestSettings) {
	if len(b.Days) == 0 {
		return
	}
	u := b.sums
	for _, d := range b.Days {
		b.N += d.N
		b.Predicted.Cost.plus(d.Cost, 1)
		b.Realised.Cost.plus(d.RealisedCost, 1)
	}
	b.Predicted.Trigger, b.Realised.Trigger, b.Low, b.High, b.P = u.ratio.judge()
	b.Adjusted = b.P
	b.Predicted.Sent, b.Realised.Sent = u.sent/float64(b.N), u.realisedSent/float64(b.N)
	b.Predicted.Win, b.Predicted.WinOK = part(u.won, u.over), u.over > 0
	b.Realised.Win, b.Realised.WinOK = part(u.realisedWon, u.realisedOver), u.realisedOver > 0
	b.Predicted.tails(u.days, b.N, set.Rho, func(a applied) (x, y Distribution) { return a.x, a.y })
	b.Realised.tails(u.days, b.N, set.Rho, func(a applied) (x, y Distribution) { return a.next, a.with })
}

// tails mixes the days' laws by their number of requests: percentiles are
// those of all requests together, never a mean of percentiles.
func (o *Outcome) tails(days []applied, n int, rho float64, laws func(applied) (x, y Distribution)) {
	var alone, independent, pessimistic mixture
	for _, m := range []*mixture{&alone, &independent, &pessimistic} {
		m.n = n
		for _, a := range days {
			x, y := laws(a)
			m.seen = max(m.seen, x.last)
			m.last = max(m.last, x.last, a.policy.Delay+y.last)
		}
	}
	for _, a := range days {
		x, y := laws(a)
		share := a.n / float64(n)
		alone.add(share, x)
		independent.add(share, Independent(x, y, a.policy))
		pessimistic.add(share, Correlated(x, y, a.policy, rho))
	}
	o.Before, o.Independent, o.Pessimistic = tail(alone), tail(independent), tail(pessimistic)
}
