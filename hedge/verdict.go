package hedge

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"
)

// Verdict is the answer to "should this key be hedged?".
type Verdict string

// The verdicts; the first that applies is given.
const (
	Unsafe           Verdict = "unsafe"            // side effects, or one upstream queue for both
	InsufficientData Verdict = "insufficient_data" // fewer rows than P95 needs
	Censored         Verdict = "censored"          // S never falls to 10 %
	Unstable         Verdict = "unstable"          // two regimes in the window
	Hedge            Verdict = "hedge"
	DoNotHedge       Verdict = "do_not_hedge"
)

// What a hedge must bring (hedge.md, Recommendation).
const (
	minWin       = 0.15
	minGain      = 50_000.0 // microseconds
	minGainShare = 0.05
)

// Regimes compares the two halves of a window, in order of time.
type Regimes struct {
	FirstN, SecondN     int
	FirstP90, SecondP90 Point
	// FirstShare is the share of the first half above the second's P90,
	// SecondShare that of the second above the first's: 10 % where both
	// halves follow one law.
	FirstShare, SecondShare float64
	// P is the two-sided chance of shares so far from 10 % under one law.
	P float64
	// Two is true where P < 0.01 and a share is over 20 % or under 5 %: with
	// many rows a harmless drift is significant too.
	Two bool
}

const (
	regimeP    = 0.01
	regimeHigh = 0.20
	regimeLow  = 0.05
)

// regimes splits the rows at the middle of their order in time and lets each
// half's P90 predict the other half (beta-binomial). It returns nil where
// rows have no time, a half is too small for its P90, or its P90 is not
// reached.
func regimes(waits []Wait) *Regimes {
	if len(waits) < 2*MinPoint(0.9) || slices.ContainsFunc(waits, func(w Wait) bool { return w.At.IsZero() }) {
		return nil
	}
	ordered := slices.Clone(waits)
	slices.SortStableFunc(ordered, func(a, b Wait) int { return a.At.Compare(b.At) })
	half := len(ordered) / 2
	first, second := NewDistribution(ordered[:half]), NewDistribution(ordered[half:])
	r := Regimes{FirstN: first.N(), SecondN: second.N(), FirstP90: first.Quantile(0.9), SecondP90: second.Quantile(0.9)}
	if !r.FirstP90.Reached || !r.SecondP90.Reached {
		return nil
	}
	var p1, p2 float64
	r.SecondShare, p1 = crossed(first, second, r.FirstP90)
	r.FirstShare, p2 = crossed(second, first, r.SecondP90)
	r.P = math.Min(1, 2*math.Min(p1, p2)) // two looks at the same question
	out := func(share float64) bool { return share > regimeHigh || share < regimeLow }
	r.Two = r.P < regimeP && (out(r.FirstShare) || out(r.SecondShare))
	return &r
}

// crossed is the share of next above the P90 of train, with the two-sided
// beta-binomial chance of one so extreme.
func crossed(train, next Distribution, p90 Point) (share, p float64) {
	d := micros(p90.Micros)
	share = next.Exceed(d)
	exceed := int(math.Round(train.Exceed(d) * float64(train.N())))
	k := int(math.Round(share * float64(next.N())))
	cdf := betaBinomialCDF(next.N(), float64(exceed)+1, float64(train.N()-exceed))
	above := 1.0
	if k > 0 {
		above = 1 - cdf[k-1]
	}
	return share, math.Min(1, 2*math.Min(cdf[k], above))
}

// judge gives the first verdict that applies, with its reasons in words.
func (a *Advice) judge(s Settings) {
	say := func(v Verdict, format string, args ...any) {
		a.Verdict, a.Reasons = v, append(a.Reasons, fmt.Sprintf(format, args...))
	}
	switch {
	case s.SideEffects:
		say(Unsafe, "The route has side effects: a request must not be sent twice.")
	case s.SharedQueue:
		say(Unsafe, "Primary and backup share one upstream queue: a backup would wait behind the primary and lengthen the queue.")
	case a.N < MinPoint(0.95):
		say(InsufficientData, "n %d is below %d, the least with which P95 can be told. Widen the window or pool keys.", a.N, MinPoint(0.95))
	case !a.Before.P90.Reached:
		say(Censored, "Over 10 %% of the attempts never got a first token in the time they were watched (longest %s): P90 is not known. Look at the primary first.", span(float64(a.Before.P90.AtLeast)))
	case a.Regimes != nil && a.Regimes.Two:
		r := a.Regimes
		say(Unstable, "The window holds two regimes: the first half's P90 is %s (n %d), the second's %s (n %d); %s of the first lie above the second's P90, %s of the second above the first's, where 10 %% are expected. Look for a deploy or an incident, and advise on the part that holds now.",
			show(r.FirstP90), r.FirstN, show(r.SecondP90), r.SecondN, percent(r.FirstShare), percent(r.SecondShare))
	case s.Timeout > 0 && a.Delay.Micros >= float64(s.Timeout):
		say(DoNotHedge, "The delay of %s is not below the request time-out of %s: the backup would never be sent.", span(a.Delay.Micros), span(float64(s.Timeout)))
	default:
		a.judgeGain()
	}
}

// judgeGain decides between hedge and do_not_hedge by the pessimistic case.
func (a *Advice) judgeGain() {
	name := "P" + strconv.FormatFloat(a.Target*100, 'f', -1, 64)
	before := quantileOfSummary(a.Before, a.Target)
	need := math.Max(minGain, minGainShare*before)
	ind, pes := a.Independent, a.Pessimistic
	passes := func(c *Case) bool { return c.Gain.Low.Valid && c.Gain.Low.Micros >= need }
	a.Verdict = DoNotHedge
	say := func(format string, args ...any) { a.Reasons = append(a.Reasons, fmt.Sprintf(format, args...)) }
	switch {
	case !ind.WinOK:
		say("No request waits longer than %s: a backup would never be sent.", span(a.Delay.Micros))
	case ind.Win < minWin:
		say("Win chance %s is below %s even if the backup's wait is independent: slow requests here end soon after the delay, before a backup could answer.", percent(ind.Win), percent(minWin))
	case passes(pes):
		a.Verdict = Hedge
		say("A backup after %s wins %s of its races if independent, %s if correlated (ρ %.2g), and %s falls by at least %s in the pessimistic case (needed: %s).",
			span(a.Delay.Micros), percent(ind.Win), percent(pes.Win), pes.Rho, name, span(pes.Gain.Low.Micros), span(need))
	case passes(ind):
		say("%s falls by enough only if the backup is independent of the primary (at least %s; needed: %s); with correlation ρ %.2g the gain may be as low as %s. Measure pairs on both channels first.",
			name, span(ind.Gain.Low.Micros), span(need), pes.Rho, bound(pes.Gain.Low))
	case ind.Known && ind.GainMid < need:
		say("%s would fall by %s even with an independent backup; %s is needed to be worth the load.", name, span(ind.GainMid), span(need))
	default:
		say("Inconclusive: the gain at %s lies between %s and %s with an independent backup. More rows would tell.", name, bound(ind.Gain.Low), bound(ind.Gain.High))
	}
	if a.Verdict == DoNotHedge {
		say("What helps instead: a separate lane or cache for long prompts, the slow stage by its label, or another channel.")
	}
}

func quantileOfSummary(s Summary, q float64) float64 {
	p := s.P95
	if q == 0.99 {
		p = s.P99
	}
	if !p.Reached {
		return float64(p.AtLeast)
	}
	return p.Micros
}

func guardNote(from, to float64) string {
	which := "raised to the floor"
	if to < from {
		which = "lowered to the cap"
	}
	return fmt.Sprintf("The quantile's delay of %s was %s of %s.", span(from), which, span(to))
}

// span writes microseconds for people.
func span(micros float64) string {
	d := time.Duration(micros * float64(time.Microsecond))
	switch {
	case d.Abs() >= 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d.Abs() >= time.Second:
		return fmt.Sprintf("%.2f s", d.Seconds())
	}
	return fmt.Sprintf("%.0f ms", float64(d)/float64(time.Millisecond))
}

func show(p Point) string {
	if !p.Reached {
		return "not reached (≥ " + span(float64(p.AtLeast)) + ")"
	}
	return span(p.Micros)
}

func bound(b Bound) string {
	if !b.Valid {
		return "no bound"
	}
	return span(b.Micros)
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", share*100) }
