package hedge

import "math"

// Rule says how a delay follows from a distribution: a quantile of it, or a
// fixed time where Fixed is above 0.
type Rule struct {
	Quantile float64
	Fixed    int64 // microseconds
}

// P90 is the rule that advice starts from.
func P90() Rule { return Rule{Quantile: 0.9} }

// Settings say what advice may do for one key.
type Settings struct {
	SideEffects bool    // a request must not be sent twice
	SharedQueue bool    // primary and backup share one upstream queue
	Floor       int64   // smallest delay, microseconds
	Cap         int64   // largest delay, 0 for none
	Timeout     int64   // request time-out, 0 for unknown
	Target      float64 // quantile of the verdict; 0 takes the highest of P99, P95 with enough rows
	Rho         float64 // correlation of the pessimistic case
	Next        int     // requests of the next window; 0 takes as many as in this one
	Boot        Bootstrap
}

// DefaultSettings allow hedging from 100 ms on, with correlation 0.6.
func DefaultSettings() Settings {
	return Settings{Floor: 100_000, Rho: 0.6, Boot: DefaultBootstrap()}
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
	Independent           *Case // nil where no delay can be given
	Pessimistic           *Case
	Regimes               *Regimes // nil without times
	Verdict               Verdict
	Reasons               []string
	Notes                 []string // guards that moved the delay, and assumptions
}

// Recommend advises on one key. backup holds the waits of the channel that
// would serve the backup; nil takes the primary's own law. It simulates what
// the rows would have waited with a backup after rule's delay, and judges it.
func Recommend(primary, backup []Wait, rule Rule, s Settings) Advice {
	x := NewDistribution(primary)
	a := Advice{N: x.N(), Before: summarise(x), Target: target(s.Target, x.N())}
	for _, w := range primary {
		a.Censored += b2i(w.Censored)
	}
	a.Observed = a.N - a.Censored
	a.Delay = rule.delay(x)
	if rule.Fixed == 0 {
		a.DelayInterval = x.Interval(rule.Quantile)
	}
	if a.Delay.Reached {
		a.simulate(primary, backup, x, rule, s)
	}
	a.Regimes = regimes(primary)
	a.judge(s)
	return a
}

func (r Rule) delay(x Distribution) Point {
	if r.Fixed > 0 {
		return Point{Micros: float64(r.Fixed), Reached: x.N() > 0}
	}
	return x.Quantile(r.Quantile)
}

// guarded keeps a delay within floor and cap.
func (s Settings) guarded(d float64) float64 {
	d = math.Max(d, float64(s.Floor))
	if s.Cap > 0 {
		d = math.Min(d, float64(s.Cap))
	}
	return d
}

// target picks the quantile that the verdict is about.
func target(asked float64, n int) float64 {
	switch {
	case asked > 0:
		return asked
	case n >= MinPoint(0.99):
		return 0.99
	}
	return 0.95
}

// simulate fills in what the delay does. The delay stays fixed over the
// draws: it is what the gateway would run with.
func (a *Advice) simulate(primary, backup []Wait, x Distribution, rule Rule, s Settings) {
	if g := s.guarded(a.Delay.Micros); rule.Fixed == 0 && g != a.Delay.Micros {
		a.Notes = append(a.Notes, guardNote(a.Delay.Micros, g))
		a.Delay.Micros = g
	}
	d := micros(a.Delay.Micros)
	a.Trigger = x.Exceed(d)
	a.TriggerNext = predict(x, d, s.Next, a.Censored == 0)
	t := trial{x: s.Boot.prepare(primary), delay: d, target: a.Target, boot: s.Boot, own: backup == nil}
	y := x
	if !t.own {
		y, t.y = NewDistribution(backup), s.Boot.prepare(backup)
	}
	independent := t.run(x, y, 0)
	pessimistic := t.run(x, y, s.Rho)
	a.Independent, a.Pessimistic = &independent, &pessimistic
}

// micros is a delay in whole microseconds; rounding down keeps a row that
// lies at the delay on the side on which it is in the data.
func micros(d float64) int64 { return int64(math.Floor(d + 1e-6)) }

// predict bounds the next window's trigger ratio. A delay between two order
// statistics takes the wider end of both.
func predict(x Distribution, d int64, next int, uncensored bool) RatioInterval {
	if next == 0 {
		next = x.N()
	}
	exceed := int(math.Round(x.Exceed(d) * float64(x.N())))
	order := x.CDF(d) > x.below(d)
	r := PredictRatio(x.N(), exceed, next, uncensored && order)
	if !order && exceed > 0 {
		r.Low = PredictRatio(x.N(), exceed-1, next, false).Low
	}
	return r
}
