package hedge

import "fmt"

// Verdict is the answer to "should this key be hedged?".
type Verdict string

// The verdicts; the first that applies is given.
const (
	Unsafe           Verdict = "unsafe"            // side effects, or one upstream queue for both
	InsufficientData Verdict = "insufficient_data" // fewer rows than P95 needs
	Censored         Verdict = "censored"          // S never falls to 10 %, or to the delay's share
	Unstable         Verdict = "unstable"          // walk-forward off its interval, or two regimes in the window
	Hedge            Verdict = "hedge"
	DoNotHedge       Verdict = "do_not_hedge"
)

// What a hedge must bring, and when a window is unstable (hedge.md,
// Recommendation).
const (
	minWin       = 0.15
	minGain      = 50_000.0 // microseconds
	minGainShare = 0.05
	mostWeeks    = 0.75 // of the bootstrap's weeks gain what is needed (ADR 3)
	unstableP    = 0.01
)

// say gives a verdict with a reason.
func (a *Advice) say(v Verdict, format string, args ...any) {
	a.Verdict, a.Reasons = v, append(a.Reasons, fmt.Sprintf(format, args...))
}

// judge gives the first verdict that applies, with its reasons in words.
func (a *Advice) judge() {
	a.Reasons = nil
	s := a.settings
	switch {
	case s.SideEffects:
		a.say(Unsafe, "The route has side effects: a request must not be sent twice.")
	case s.SharedQueue:
		a.say(Unsafe, "Primary and backup share one upstream queue: a backup would wait behind the primary and lengthen the queue.")
	case a.N < MinPoint(0.95):
		a.say(InsufficientData, "n %d is below %d, the least with which P95 can be told. Widen the window or pool keys.", a.N, MinPoint(0.95))
	case !a.Before.P90.Reached:
		a.say(Censored, "Over 10 %% of the attempts never got a first token in the time they were watched (longest %s): P90 is not known. Look at the primary first.", span(float64(a.Before.P90.AtLeast)))
	case !a.Delay.Reached:
		a.say(Censored, "The delay's quantile lies in the part of the attempts that never got a first token in the time they were watched (longest %s). Take a smaller quantile, or look at the primary first.", span(float64(a.Delay.AtLeast)))
	case a.unstable():
	case s.Timeout > 0 && a.Delay.Micros >= float64(s.Timeout):
		a.say(DoNotHedge, "The delay of %s is not below the request time-out of %s: the backup would never be sent.", span(a.Delay.Micros), span(float64(s.Timeout)))
	default:
		a.judgeGain()
	}
}

// unstable says so where the window is; both reasons are given.
func (a *Advice) unstable() bool {
	if w := a.Walk; w != nil && w.Adjusted < unstableP {
		a.say(Unstable, "Walking forward over %d days, %s of the requests exceeded the delay that the days before gave, where %s were expected (95 %%: %s to %s). A threshold from this window would not hold.",
			len(w.Days), percent(w.Realised), percent(w.Expected), percent(w.Low), percent(w.High))
	}
	if r := a.Regimes; r != nil && r.Two {
		a.say(Unstable, "The window holds two regimes: the first half's P90 is %s (n %d), the second's %s (n %d); %s of the first lie above the second's P90, %s of the second above the first's, where 10 %% are expected. Look for a deploy or an incident, and advise on the part that holds now.",
			show(r.FirstP90), r.FirstN, show(r.SecondP90), r.SecondN, percent(r.FirstShare), percent(r.SecondShare))
	}
	return len(a.Reasons) > 0
}

// judgeGain decides between hedge and do_not_hedge: by the measured case
// where there is one, else by the pessimistic.
func (a *Advice) judgeGain() {
	name := nameOf(a.Target)
	need := needed(a.before)
	ind, decides, which := a.Independent, a.Pessimistic, fmt.Sprintf("pessimistic case (correlation ρ %.2g)", a.Pessimistic.Rho)
	if a.Measured != nil {
		decides, which = a.Measured, fmt.Sprintf("measured case (%d pairs)", a.Measured.Pairs)
	}
	gains := func(c *Case) bool { return c.Win >= minWin && c.Gain.Low.Valid && c.Gain.Low.Micros >= need }
	enough := func(c *Case) bool { return gains(c) && c.Enough >= mostWeeks }
	switch {
	case !ind.WinOK:
		a.say(DoNotHedge, "No request waits longer than %s: a backup would never be sent.", span(a.Delay.Micros))
	case enough(decides):
		a.say(Hedge, "A backup after %s wins %s of its races in the %s, %s if independent, and %s falls by at least %s (needed: %s).",
			span(a.Delay.Micros), percent(decides.Win), which, percent(ind.Win), name, span(decides.Gain.Low.Micros), span(need))
		if decides.Enough < confidence {
			a.say(Hedge, "The slow requests are few: %s of the weeks redrawn from these rows would gain less than needed. Look again with more rows.", percent(1-decides.Enough))
		}
		return
	case ind.Win < minWin && decides.Win < minWin:
		a.say(DoNotHedge, "Win chance %s is below %s even if the backup's wait is independent: slow requests here end soon after the delay, before a backup could answer.", percent(ind.Win), percent(minWin))
	case gains(decides):
		a.say(DoNotHedge, "Inconclusive: this window's %s would have fallen by at least %s (needed: %s) in the %s, but only %s of the weeks redrawn from its rows gain that much, and %s should. More rows would tell.",
			name, span(decides.Gain.Low.Micros), span(need), which, percent(decides.Enough), percent(mostWeeks))
	case enough(ind):
		a.say(DoNotHedge, "%s falls by enough only if the backup is independent of the primary (at least %s; needed: %s). In the %s a backup wins %s of its races and the gain may be as low as %s.%s",
			name, span(ind.Gain.Low.Micros), span(need), which, percent(decides.Win), bound(decides.Gain.Low), a.askForPairs())
	case ind.Known && ind.GainMid < need:
		a.say(DoNotHedge, "%s would fall by %s even with an independent backup; %s is needed to be worth the load.", name, span(ind.GainMid), span(need))
	default:
		a.say(DoNotHedge, "Inconclusive: the gain at %s lies between %s and %s in the %s, and between %s and %s with an independent backup; needed: %s. More rows would tell.",
			name, bound(decides.Gain.Low), bound(decides.Gain.High), which, bound(ind.Gain.Low), bound(ind.Gain.High), span(need))
	}
	a.say(DoNotHedge, "What helps instead: a separate lane or cache for long prompts, the slow stage by its label, or another channel.")
}

func (a *Advice) askForPairs() string {
	if a.Measured != nil {
		return ""
	}
	return " Measure pairs on both channels first."
}
