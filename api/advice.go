package api

import (
	"fmt"
	"maps"
	"math"
	"time"

	"headway/hedge"
	"headway/query"
)

// key is one key's rows with what its route allows.
type key struct {
	query.HedgeRows
	waits  query.Waits
	route  RouteSettings
	hedge  HedgeSettings
	target float64 // asked for; 0 is the route's
	draws  int
	stop   <-chan struct{} // closed when nobody waits for the answer any more
	length time.Duration   // of the window
}

// settings turns a route's settings into hedge's. Simulations of a delay
// that someone chose are not moved by floor and cap.
func (k key) settings(guarded bool) hedge.Settings {
	s := hedge.DefaultSettings()
	s.SideEffects, s.SharedQueue, s.Rho = k.route.SideEffects, k.route.SharedQueue, k.hedge.Rho
	s.Timeout, s.Target = k.route.Timeout.Microseconds(), k.route.Target
	s.Floor, s.Cap = 0, 0
	if guarded {
		s.Floor, s.Cap = k.route.Floor.Microseconds(), k.route.Cap.Microseconds()
	}
	if k.target != 0 {
		s.Target = k.target
	}
	s.Budget = k.route.Budget
	s.Next = int(k.perWeek(float64(len(k.waits.Micros))) + 0.5)
	s.Boot.Draws, s.Boot.Stop = k.draws, k.stop
	return s
}

// perWeek is what a week like the window has of what the window had so much of.
func (k key) perWeek(v float64) float64 {
	if k.length <= 0 {
		return v
	}
	return v * float64(week) / float64(k.length)
}

// rows are the key's rows as hedge takes them.
func (k key) rows() hedge.Rows {
	out := hedge.Rows{Primary: waitsOf(k.waits), History: waitsOf(k.History)}
	for _, p := range k.Pairs.Pairs {
		out.Pairs = append(out.Pairs, hedge.Pair{Primary: hedge.Wait{Micros: p.Primary, Censored: p.PrimaryCensored, At: p.At},
			Backup: hedge.Wait{Micros: p.Backup, Censored: p.BackupCensored, At: p.At}, After: p.After})
	}
	return out
}

func sample(w query.Waits, m query.Meta) Sample {
	out := Sample{Clock: m.Clock, N: int64(len(w.Micros)), LeftOut: maps.Clone(dict(w.LeftOut)), Failures: w.Failed}
	for _, c := range w.Censored {
		if c {
			out.Censored++
		}
	}
	if m.Metric != nil {
		out.Metric = m.Metric.Name
	}
	out.Observed = out.N - out.Censored
	out.FailureShare = share(w.Failed, w.FateKnown)
	return out
}

// view turns hedge's points into milliseconds; strict ones are null below
// their point minimum.
type view struct{ strict bool }

func (v view) ms(p hedge.Point) *float64 {
	if !p.Reached || v.strict && p.BelowMinN {
		return nil
	}
	return ptr(tidy(p.Micros / 1000))
}

// atLeast is the last time seen where a percentile was not reached.
func (v view) atLeast(p hedge.Point) *float64 {
	if p.Reached || p.AtLeast <= 0 || v.strict && p.BelowMinN {
		return nil
	}
	return ptr(tidy(float64(p.AtLeast) / 1000))
}

func (v view) percentiles(s hedge.Summary) Percentiles {
	out := Percentiles{P50Ms: v.ms(s.P50), P75Ms: v.ms(s.P75), P90Ms: v.ms(s.P90), P95Ms: v.ms(s.P95), P99Ms: v.ms(s.P99),
		AtLeastMs: map[string]float64{}, BelowMinN: []string{}}
	for _, p := range []struct {
		name string
		at   hedge.Point
	}{{"p50", s.P50}, {"p75", s.P75}, {"p90", s.P90}, {"p95", s.P95}, {"p99", s.P99}} {
		if p.at.BelowMinN {
			out.BelowMinN = append(out.BelowMinN, p.name)
		}
		if least := v.atLeast(p.at); least != nil {
			out.AtLeastMs[p.name] = *least
		}
	}
	return out
}

func boundMs(b hedge.Bound) *float64 {
	if !b.Valid || math.IsNaN(b.Micros) || math.IsInf(b.Micros, 0) {
		return nil
	}
	return ptr(tidy(b.Micros / 1000))
}

func intervalMs(i hedge.Interval) Interval {
	return Interval{LowMs: boundMs(i.Low), HighMs: boundMs(i.High)}
}

// hedged shows one case. Where the target quantile is not reached without
// hedging, its gain has a lower bound only.
func (v view) hedged(c *hedge.Case, before hedge.Point) *Hedged {
	if c == nil {
		return nil
	}
	out := &Hedged{Percentiles: v.percentiles(c.After), P95Interval: intervalMs(c.P95), P99Interval: intervalMs(c.P99),
		GainLowMs: boundMs(c.Gain.Low), GainHighMs: boundMs(c.Gain.High)}
	if c.WinOK {
		out.WinChance = ptr(ratio(c.Win))
	}
	switch {
	case !c.Known:
	case before.Reached:
		out.GainMs = ptr(tidy(c.GainMid / 1000))
	default:
		out.GainAtLeast, out.GainHighMs = ptr(tidy(c.GainMid/1000)), nil
	}
	return out
}

const noDelay = "no delay can be given from these rows"

// after shows the three cases of one key.
func (k key) after(v view, a hedge.Advice) After {
	before := a.Before.P99
	if a.Target == 0.95 {
		before = a.Before.P95
	}
	out := After{Independent: k.hedged(v, a.Independent, before), Measured: k.hedged(v, a.Measured, before), Pessimistic: k.hedged(v, a.Pessimistic, before),
		Unavailable: map[string]string{}}
	switch {
	case a.Independent == nil:
		out.Unavailable = map[string]string{"independent": noDelay, "pessimistic": noDelay, "measured": noDelay}
		return out
	case a.Measured == nil:
		out.Unavailable["measured"] = k.noPairs()
	default:
		out.Measured.Pairs, out.Measured.PairKind = ptr(int64(a.Measured.Pairs)), orNull(string(k.Pairs.Kind))
		if k.Pairs.Kind == query.PairsSameMinute {
			out.Measured.PairedWith = k.Pairs.Channels[:]
		}
	}
	out.Pessimistic.Rho = ptr(a.Pessimistic.Rho)
	return out
}

// noPairs says why there is no measured case.
func (k key) noPairs() string {
	if k.Pairs.Reason != "" {
		return k.Pairs.Reason
	}
	kind := "really hedged requests"
	if k.Pairs.Kind == query.PairsSameMinute {
		kind = "requests of one minute on " + k.Pairs.Channels[0] + " and " + k.Pairs.Channels[1]
	}
	return fmt.Sprintf("of %d pairs (%s) fewer than %d tell what happens beyond this delay", len(k.Pairs.Pairs), kind, hedge.MinPairs)
}

// hedged shows one case with what it saves.
func (k key) hedged(v view, c *hedge.Case, before hedge.Point) *Hedged {
	out := v.hedged(c, before)
	if out != nil {
		out.Enough = ptr(ratio(c.Enough))
		out.SavedS = ptr(tidy(k.perWeek(c.Saved * float64(len(k.waits.Micros)) / 1e6)))
	}
	return out
}

func winChance(c *hedge.Case) *float64 {
	if c == nil || !c.WinOK {
		return nil
	}
	return ptr(ratio(c.Win))
}

func triggerInterval(a hedge.Advice) TriggerInterval {
	r := a.TriggerNext
	out := TriggerInterval{NextN: int64(r.Next), Method: "beta-binomial, approximate: rows are censored or the delay lies between two rows"}
	if r.Exact {
		out.Method = "beta-binomial, exact for independent rows"
	}
	if out.Widened = r.Widened; r.Widened {
		out.Method = "the wider of beta-binomial and block bootstrap"
	}
	if !r.Low.Valid && !r.High.Valid {
		out.Method = "none: too few rows"
	}
	if r.Low.Valid {
		out.Low = ptr(ratio(r.Low.Share))
	}
	if r.High.Valid {
		out.High = ptr(ratio(r.High.Share))
	}
	return out
}

func (v view) halves(r *hedge.Regimes) *Halves {
	if r == nil {
		return nil
	}
	return &Halves{FirstN: int64(r.FirstN), SecondN: int64(r.SecondN), FirstP90Ms: v.ms(r.FirstP90), SecondP90Ms: v.ms(r.SecondP90),
		FirstAtLeast: v.atLeast(r.FirstP90), SecondAtLeast: v.atLeast(r.SecondP90),
		FirstShare: ratio(r.FirstShare), SecondShare: ratio(r.SecondShare), P: r.P}
}

// advised calculates one key's recommendation.
func (k key) advised() advised {
	rows := k.rows()
	a := advised{advice: hedge.Advise(rows, hedge.P90(), k.settings(true))}
	if a.advice.Delay.Reached && !a.advice.Delay.BelowMinN {
		a.shown.Cost = k.cost(a.advice.Delay.Micros)
		a.shown.Bands = k.bands(hedge.P90())
	}
	a.shown.Before = view{strict: true}.percentiles(a.advice.Before)
	a.shown.Sample = sample(k.waits, query.Meta{})
	a.shown.After = k.after(view{strict: true}, a.advice)
	a.print = k.fingerprint()
	k.waits.Micros, k.waits.Censored, k.waits.At, k.waits.InputTokens, k.waits.OutputTokens = nil, nil, nil, nil, nil
	k.HedgeRows = query.HedgeRows{Channels: k.Channels}
	a.key = k
	return a
}

// presentAdvice shows one key's recommendation.
func presentAdvice(of advised, m query.Meta) Advice {
	v, k, a := view{strict: true}, of.key, of.advice
	out := of.shown
	out.Metric, out.Clock = m.Metric.Name, m.Clock
	out.Key, out.Model, out.Route = keyOf(k.waits.Key), orNull(k.waits.Key["model"]), orNull(k.waits.Key["route"])
	out.HedgeAfterMs, out.Interval, out.TriggerInterval = v.ms(a.Delay), intervalMs(a.DelayInterval), triggerInterval(a)
	out.WinChance = winChance(a.Independent)
	out.Verdict, out.Reasons, out.Notes = string(a.Verdict), list(a.Reasons), list(a.Notes)
	out.Halves, out.Walk = v.halves(a.Regimes), v.walk(a.Walk)
	out.Tier, out.Channels = string(k.route.Tier), k.channels()
	if k.route.Configured > 0 {
		out.ConfiguredMs = ptr(millis(k.route.Configured))
	}
	if k.route.Budget > 0 {
		out.Budget = ptr(k.route.Budget)
	}
	if a.Target > 0 {
		out.TargetQ = ptr(a.Target)
	}
	if out.HedgeAfterMs == nil { // nothing may follow from a delay that is not advised
		out.Interval, out.TriggerInterval, out.WinChance = Interval{}, TriggerInterval{Method: "none: no delay is advised"}, nil
		out.After = After{Unavailable: map[string]string{"independent": noDelay, "pessimistic": noDelay, "measured": noDelay}}
		return out
	}
	out.TriggerRatio = ptr(ratio(a.Trigger))
	out.SingleR = v.singleR(a.SingleR)
	if seconds, from, ok := a.SecondsSaved(a.N); ok {
		out.SecondsSaved, out.SavedCase = ptr(tidy(k.perWeek(seconds))), ptr(from)
	}
	return out
}

func (k key) channels() []Channel {
	out := []Channel{}
	for _, c := range k.Channels {
		out = append(out, Channel{Channel: c.Value, N: c.N, Queue: orNull(k.hedge.Queues[c.Value])})
	}
	return out
}

func (v view) singleR(o *hedge.Optimal) *SingleR {
	if o == nil {
		return nil
	}
	return &SingleR{HedgeAfterMs: float64(o.Delay) / 1000, Q: ratio(o.Q), SentRatio: ratio(o.Sent), TargetMs: v.ms(o.Reaches)}
}

func (v view) walk(w *hedge.Walk) *Walk {
	if w == nil {
		return nil
	}
	out := &Walk{Expected: ratio(w.Expected), Realised: ratio(w.Realised), Low: ratio(w.Low), High: ratio(w.High), P: w.P, Adjusted: w.Adjusted, Days: []WalkDay{}}
	for _, d := range w.Days {
		day := WalkDay{Day: d.Day.UTC().Format(time.DateOnly), TrainN: int64(d.TrainN), N: int64(d.N), HedgeAfterMs: v.ms(d.Delay),
			Expected: ratio(d.Expected), Realised: ratio(d.Realised)}
		if d.Next.Low.Valid {
			day.Low = ptr(ratio(d.Next.Low.Share))
		}
		if d.Next.High.Valid {
			day.High = ptr(ratio(d.Next.High.Share))
		}
		out.Days = append(out.Days, day)
	}
	return out
}

// at is the i-th of a column that may be shorter; −1 is unknown.
func at(column []int64, i int) int64 {
	if i >= len(column) {
		return -1
	}
	return column[i]
}

// perMinute is a share of n rows, per minute of the window.
func perMinute(share float64, n int64, w time.Duration) *float64 {
	if w <= 0 {
		return nil
	}
	return ptr(tidy(share * float64(n) / w.Minutes()))
}
