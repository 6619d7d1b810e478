package hedge

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// assume notes what every simulation takes for granted.
func (a *Advice) assume(rule Rule) {
	if a.Independent == nil {
		return
	}
	if rule.Fixed == 0 {
		a.Notes = append(a.Notes, fmt.Sprintf("Hedging changes no percentile up to %s: the backup is only sent after it.", nameOf(1-a.Trigger)))
	}
	a.Notes = append(a.Notes, "The rows show the load without these hedges: what their extra load does to the upstream is not in these numbers.")
	if a.Censored > 0 {
		a.Notes = append(a.Notes, fmt.Sprintf("%d of %d attempts ended without a first token; Kaplan–Meier counts them as longer than they were watched, which is right where the end had nothing to do with the wait to come.", a.Censored, a.N))
	}
}

// nameOf names a quantile, as P99.9.
func nameOf(q float64) string { return "P" + strconv.FormatFloat(math.Round(q*1e4)/100, 'f', -1, 64) }

func guardNote(from, to float64) string {
	which := "raised to the floor"
	if to < from {
		which = "lowered to the cap"
	}
	return fmt.Sprintf("The quantile's delay of %s was %s of %s.", span(from), which, span(to))
}

func outsideNote(d, allowed float64) string {
	which := "below the floor"
	if allowed < d {
		which = "above the cap"
	}
	return fmt.Sprintf("The chosen delay of %s lies %s of %s.", span(d), which, span(allowed))
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
