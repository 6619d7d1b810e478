package hedge

import (
	"fmt"
	"slices"
	"time"
)

// Cause is why more requests than predicted exceeded the delay.
type Cause string

// The causes. The first two need no action on the threshold.
const (
	NoData       Cause = "no_data"       // too few rows to tell
	WithinChance Cause = "within_chance" // not beyond the alarm bound
	Drift        Cause = "drift"         // high ratio, normal win rate: the primary became slower than when the delay was learnt
	// LowOrCorrelated is a high ratio with a low win rate: the threshold is too
	// low, so that primaries answer before their backups, or both queues are
	// slow together.
	LowOrCorrelated Cause = "threshold_low_or_correlated"
	LoadFeedback    Cause = "load_feedback" // ratio and waits growing together
)

// Trial is what hedging with one delay did, to be held against its prediction.
type Trial struct {
	TrainN, Exceed int           // rows that the delay was learnt from, and those of them above it
	Served         []Served      // with times where the trend is to be looked at
	Win            float64       // predicted win chance
	Keys           int           // watched together
	Step           time.Duration // width of the blocks for the trend; 0 takes an hour
}

// Diagnosis says whether a ratio is out of line, and why.
type Diagnosis struct {
	Ratio float64 // beyond the delay, of those with one in force
	Alarm float64 // bound, 97.5 % shared among the keys
	Wins  Proportion
	// RatioTrend and WaitTrend are Kendall's τ of the blocks' ratios and
	// median waits with time; the chances are one-sided, for growing.
	RatioTrend, WaitTrend Trend
	Cause                 Cause
	Reason                string
}

// Trend is Kendall's rank correlation with time.
type Trend struct {
	Blocks int
	Tau, P float64
}

// lowWin and growing are the one-sided chances below which a win rate is low
// and a trend is one.
const (
	lowWin  = 0.025
	growing = 0.01
)

// Diagnose says what a high ratio comes from: growing together with the waits
// it is load feedback, with a low win rate a threshold that is too low or
// correlated queues, and otherwise drift.
func Diagnose(t Trial) Diagnosis {
	o := Observe(t.Served)
	d := Diagnosis{Ratio: o.Beyond.Share, Wins: o.Wins}
	if o.Set == 0 || t.TrainN < 1 {
		d.Cause, d.Reason = NoData, "No request had a delay in force, or it was learnt from no rows."
		return d
	}
	p := 1 - (1-confidence)/2/float64(max(1, t.Keys))
	d.Alarm = float64(betaBinomialQuantile(o.Set, float64(t.Exceed)+1, float64(max(1, t.TrainN-t.Exceed)), p)) / float64(o.Set)
	if d.Ratio <= d.Alarm {
		d.Cause = WithinChance
		d.Reason = fmt.Sprintf("%s of %d requests exceeded the delay; up to %s are chance.", percent(d.Ratio), o.Set, percent(d.Alarm))
		return d
	}
	d.RatioTrend, d.WaitTrend = trends(t)
	low := o.Wins.Of > 0 && binomialCDF(o.Wins.Of, o.Wins.Count, t.Win) < lowWin
	high := fmt.Sprintf("%s of %d requests exceeded the delay, above the %s that chance allows", percent(d.Ratio), o.Set, percent(d.Alarm))
	switch {
	case d.RatioTrend.P < growing && d.WaitTrend.P < growing:
		d.Cause = LoadFeedback
		d.Reason = high + ", and the ratio grew together with the median wait: the hedges' own load. Set a budget, not a smaller delay. (A slow drift looks the same; with hedging paused the waits fall if it was the load.)"
	case low:
		d.Cause = LowOrCorrelated
		d.Reason = fmt.Sprintf("%s, and backups won %s of %d hedged requests where %s were predicted: the threshold is too low, or the queues of primary and backup are slow together. Raise the threshold, or send backups elsewhere.", high, percent(o.Wins.Share), o.Wins.Of, percent(t.Win))
	default:
		d.Cause = Drift
		d.Reason = fmt.Sprintf("%s, while backups won as often as predicted (%s of %d): the primary became slower than when the delay was learnt. Learn it again from the time since.", high, percent(o.Wins.Share), o.Wins.Of)
	}
	return d
}

// leastBlocks is how many blocks a trend needs: the fewest of which a perfect
// order is rarer than 1 %.
const leastBlocks = 5

// trends are those of the blocks' ratios and median waits; zero with chance 1
// where requests have no times or there are too few blocks.
func trends(t Trial) (ratio, wait Trend) {
	step := t.Step
	if step <= 0 {
		step = time.Hour
	}
	blocks := map[int64][]Served{}
	for _, s := range t.Served {
		if s.At.IsZero() {
			return Trend{P: 1}, Trend{P: 1}
		}
		k := s.At.UnixNano() / int64(step)
		blocks[k] = append(blocks[k], s)
	}
	order := make([]int64, 0, len(blocks))
	for k := range blocks {
		order = append(order, k)
	}
	slices.Sort(order)
	var ratios, medians []float64
	for _, k := range order {
		o := Observe(blocks[k])
		if o.Set > 0 && o.Unhedged.P50.Reached {
			ratios, medians = append(ratios, o.Beyond.Share), append(medians, o.Unhedged.P50.Micros)
		}
	}
	return kendall(ratios), kendall(medians)
}
