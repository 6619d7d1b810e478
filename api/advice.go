package api

import (
	"maps"
	"math"
	"time"

	"headway/hedge"
	"headway/query"
)

// key is one key's rows with what its route allows.
type key struct {
	waits  query.Waits
	route  RouteSettings
	rho    float64
	target float64 // asked for; 0 is the route's
	draws  int
	stop   <-chan struct{} // closed when nobody waits for the answer any more
}

// settings turns a route's settings into hedge's. Simulations of a delay
// that someone chose are not moved by floor and cap.
func (k key) settings(guarded bool) hedge.Settings {
	s := hedge.DefaultSettings()
	s.SideEffects, s.SharedQueue, s.Rho = k.route.SideEffects, k.route.SharedQueue, k.rho
	s.Timeout, s.Target = k.route.Timeout.Microseconds(), k.route.Target
	s.Floor, s.Cap = 0, 0
	if guarded {
		s.Floor, s.Cap = k.route.Floor.Microseconds(), k.route.Cap.Microseconds()
	}
	if k.target != 0 {
		s.Target = k.target
	}
	s.Boot.Draws, s.Boot.Stop = k.draws, k.stop
	return s
}

func sample(w query.Waits, m query.Meta) Sample {
	out := Sample{Metric: m.Metric.Name, Clock: m.Clock, N: int64(len(w.Micros)), LeftOut: maps.Clone(dict(w.LeftOut)), Failures: w.Failed}
	for _, c := range w.Censored {
		if c {
			out.Censored++
		}
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

const (
	noDelay = "no delay can be given from these rows"
	noPairs = "needs pairs of primary and backup from really hedged requests, which are not matched yet"
)

func (v view) after(a hedge.Advice) After {
	before := a.Before.P99
	if a.Target == 0.95 {
		before = a.Before.P95
	}
	out := After{Independent: v.hedged(a.Independent, before), Pessimistic: v.hedged(a.Pessimistic, before), Unavailable: map[string]string{"measured": noPairs}}
	if a.Pessimistic != nil {
		out.Pessimistic.Rho = ptr(a.Pessimistic.Rho)
	}
	if a.Independent == nil {
		out.Unavailable = map[string]string{"independent": noDelay, "pessimistic": noDelay, "measured": noDelay}
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

// advise calculates one key's recommendation.
func (k key) advise() hedge.Advice {
	return hedge.Recommend(waitsOf(k.waits), nil, hedge.P90(), k.settings(true))
}

// presentAdvice shows one key's recommendation.
func presentAdvice(k key, a hedge.Advice, m query.Meta) Advice {
	v := view{strict: true}
	out := Advice{
		Key: keyOf(k.waits.Key), Model: orNull(k.waits.Key["model"]), Route: orNull(k.waits.Key["route"]), Sample: sample(k.waits, m),
		HedgeAfterMs: v.ms(a.Delay), Interval: intervalMs(a.DelayInterval), TriggerInterval: triggerInterval(a),
		Before: v.percentiles(a.Before), After: v.after(a), WinChance: winChance(a.Independent),
		Verdict: string(a.Verdict), Reasons: list(a.Reasons), Notes: list(a.Notes), Halves: v.halves(a.Regimes),
	}
	if k.route.Configured > 0 {
		out.ConfiguredMs = ptr(millis(k.route.Configured))
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
	out.Cost = costOf(k.waits, a.Delay.Micros)
	return out
}

// costOf sums what the hedges of the window would have added: the tokens of
// the requests that still waited after the delay.
func costOf(w query.Waits, delayMicros float64) *Cost {
	c := &Cost{}
	var all, in, low, high int64
	var outputs int64
	for i, v := range w.Micros {
		tokens := at(w.InputTokens, i)
		if tokens >= 0 {
			all += tokens
		}
		if float64(v) <= delayMicros {
			continue
		}
		c.Hedges++
		if tokens >= 0 {
			c.KnownTokens++
			in += tokens
		}
		if o := at(w.OutputTokens, i); o >= 0 {
			outputs++
			high += o
		}
	}
	if c.KnownTokens > 0 {
		c.ExtraInputTokens, c.ExtraInputShare = &in, share(in, all)
	}
	if outputs > 0 {
		c.ExtraOutputTokensLow, c.ExtraOutputTokensHigh = &low, &high
	}
	return c
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
