package hedge

import "fmt"

// Rows are what one key's advice is made from.
type Rows struct {
	Primary []Wait // of the window
	// Backup holds the waits of the channel that would serve the backup; nil
	// takes the primary's own law.
	Backup []Wait
	// Pairs show how primary and backup went together; without enough of them
	// there is no measured case.
	Pairs []Pair
	// History holds the primary's waits of the week before the window, from
	// which the walk-forward learns the window's first delays.
	History []Wait
}

// Advice is what the rows of one key say about hedging it.
type Advice struct {
	N, Observed, Censored int
	Before                Summary
	Delay                 Point    // the hedge delay
	DelayInterval         Interval // of the quantile behind it; no ends for a fixed delay
	Trigger               float64  // S(d); valid where Delay is reached
	TriggerNext           RatioInterval
	Target                float64
	Independent           *Case    // nil where no delay can be given
	Measured              *Case    // nil too where usable pairs are fewer than MinPairs
	Pessimistic           *Case    // nil where no delay can be given
	SingleR               *Optimal // best policy of the same budget; nil unless the target is P95
	Regimes               *Regimes // nil without times
	Walk                  *Walk    // nil without times on two days, and for a fixed delay
	Verdict               Verdict
	Reasons               []string
	Notes                 []string // guards that moved the delay, and assumptions

	settings Settings
	before   Point // target quantile without hedging
}

// Recommend is Advise without pairs and history.
func Recommend(primary, backup []Wait, rule Rule, s Settings) Advice {
	return Advise(Rows{Primary: primary, Backup: backup}, rule, s)
}

// Advise advises on one key. It simulates what the rows would have waited
// with a backup after rule's delay, and judges it. To judge several keys of
// one question, hand their advices to JudgeTogether afterwards.
func Advise(rows Rows, rule Rule, s Settings) Advice {
	x := NewDistribution(rows.Primary)
	a := Advice{N: x.N(), Before: summarise(x), settings: s}
	a.Target, a.Notes = target(s.Target, x.N())
	a.before = x.Quantile(a.Target)
	for _, w := range rows.Primary {
		a.Censored += b2i(w.Censored)
	}
	a.Observed = a.N - a.Censored
	a.Delay = rule.delay(x)
	if rule.Fixed == 0 {
		a.DelayInterval = x.Interval(rule.Quantile)
	}
	if a.Delay.Reached {
		a.guard(rule)
		a.simulate(rows, x, rule)
	}
	a.assume(rule)
	a.Regimes = regimes(rows.Primary)
	a.Walk = walk(rows.History, rows.Primary, rule)
	a.judge()
	return a
}

// target picks the quantile that the verdict is about. One that was asked for
// gives way to P95 where only that has enough rows.
func target(asked float64, n int) (q float64, notes []string) {
	switch {
	case asked > 0.95 && n < MinPoint(asked) && n >= MinPoint(0.95):
		return 0.95, []string{fmt.Sprintf("The verdict is about P95: %s needs %d rows, and there are %d.", nameOf(asked), MinPoint(asked), n)}
	case asked > 0:
		return asked, nil
	case n >= MinPoint(0.99):
		return 0.99, nil
	}
	return 0.95, nil
}

// guard keeps the delay within floor and cap. A fixed delay was chosen by
// someone and stays.
func (a *Advice) guard(rule Rule) {
	g := a.settings.guarded(a.Delay.Micros)
	switch {
	case g == a.Delay.Micros:
	case rule.Fixed > 0:
		a.Notes = append(a.Notes, outsideNote(a.Delay.Micros, g))
	default:
		a.Notes = append(a.Notes, guardNote(a.Delay.Micros, g))
		a.Delay.Micros = g
	}
}

// simulate fills in what the delay does.
func (a *Advice) simulate(rows Rows, x Distribution, rule Rule) {
	s := a.settings
	t := trial{x: x, y: x, rows: rows, policy: Policy{Delay: micros(a.Delay.Micros), Q: 1}, rule: rule, target: a.Target, s: s}
	if rows.Backup != nil {
		t.y = NewDistribution(rows.Backup)
	}
	a.Trigger = t.policy.Trigger(x)
	o := t.run()
	a.Independent, a.Measured, a.Pessimistic = &o.independent, o.measured, &o.pessimistic
	ranked := rule.Fixed == 0 && a.Delay.Micros == x.Quantile(rule.Quantile).Micros
	a.TriggerNext = predict(x, t.policy.Delay, s.next(x), ranked && a.Censored == 0)
	if !a.TriggerNext.Exact || o.blocks {
		a.TriggerNext.widen(o.ratios)
	}
	a.widenDelay(o.delays)
	if a.Target == 0.95 {
		budget := s.Budget
		if budget == 0 {
			budget = a.Trigger
		}
		if best, ok := SingleR(t.x, t.y, budget, a.Target, s.Floor); ok && budget > 0 {
			a.SingleR = &best
		}
	}
}

// together is how many times wider than the order statistics' the drawn
// interval must be before slow rows count as coming together.
const together = 1.1

// widenDelay takes the wider ends of the delay's interval and of delays drawn
// in blocks, where slow rows come together: order statistics take them to be
// independent.
func (a *Advice) widenDelay(drawn []float64) {
	i := &a.DelayInterval
	if len(drawn) == 0 || !i.Low.Valid || !i.High.Valid {
		return
	}
	b := spread(drawn, confidence)
	if !b.Low.Valid || !b.High.Valid || b.High.Micros-b.Low.Micros < together*(i.High.Micros-i.Low.Micros) {
		return
	}
	i.Low.Micros, i.High.Micros = min(i.Low.Micros, b.Low.Micros), max(i.High.Micros, b.High.Micros)
	a.Notes = append(a.Notes, "Slow requests come together in time: the delay's interval was widened by redrawing whole hours.")
}
