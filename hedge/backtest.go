package hedge

import (
	"fmt"
	"slices"
	"time"
)

// Trace is one key's past.
type Trace struct {
	Name     string
	Requests []Request // with times
	// Backup holds the waits of the channel that would serve the backup, with
	// times; nil takes the requests' own.
	Backup []Wait
}

// BacktestSettings say what a back-test assumes.
type BacktestSettings struct {
	From     time.Time // first UTC day to apply to; zero takes every day that has something to learn from
	Rho      float64   // correlation of the pessimistic case
	MinTrain int       // least rows to learn from; 0 takes what advice needs
	Billing  Billing
}

// BacktestDay is one day with the policy that the seven days before gave.
type BacktestDay struct {
	Day       time.Time // UTC midnight
	TrainN, N int
	Policy    Policy
	// Predicted and Realised are trigger ratios, P(X > d); q·ratio are sent.
	Predicted, Realised float64
	Next                RatioInterval // of this day alone
	Cost, RealisedCost  Cost          // predicted for N requests, and of the day's own
}

// Outcome is what a policy did to, or predicted for, all days together.
type Outcome struct {
	Trigger, Sent float64
	Before        Tail
	Independent   Tail // after, with an independent backup
	Pessimistic   Tail // after, with a Gaussian copula
	Win           float64
	WinOK         bool // false where nothing exceeds the delays
	Cost          Cost
}

// Backtest is a walk-forward of one key, or of several pooled: each day's
// policy comes from the seven days before it and is held against what the day
// did. Realised percentiles apply the policy to the day's own rows; nobody was
// hedged.
type Backtest struct {
	Name                string
	Days                []BacktestDay
	N                   int // requests on the days applied to
	Skipped             int // days with too few rows, or none finished, before them
	Predicted, Realised Outcome
	// Low and High bound the realised trigger ratio with 95 % where nothing
	// changes from day to day; P is the two-sided chance of one so far from the
	// predicted, Adjusted after Holm's correction for the keys.
	Low, High, P, Adjusted float64
	// Verdict is InsufficientData where no day could be applied to, Unstable
	// where Adjusted < 0.01, else empty.
	Verdict Verdict
	Warning string // in words; empty without a verdict

	sums daySums
}

// Backtests are those of several keys and of all of them pooled.
type Backtests struct {
	Keys                   []Backtest
	Pooled                 Backtest
	Insufficient, Unstable int // keys
}

// BacktestKeys walks forward over every trace with one strategy. It errs where
// a request has no time.
func BacktestKeys(traces []Trace, s Strategy, set BacktestSettings) (Backtests, error) {
	out := Backtests{Pooled: Backtest{Name: "pooled"}}
	var chances []float64
	for _, t := range traces {
		b, err := backtest(t, s, set)
		if err != nil {
			return Backtests{}, err
		}
		out.Keys = append(out.Keys, b)
		if len(b.Days) > 0 {
			chances = append(chances, b.P)
		}
		out.Pooled.merge(b)
	}
	chances = Holm(chances)
	for i := range out.Keys {
		b := &out.Keys[i]
		if len(b.Days) > 0 {
			b.Adjusted, chances = chances[0], chances[1:]
		}
		b.judge()
		out.Insufficient += b2i(b.Verdict == InsufficientData)
		out.Unstable += b2i(b.Verdict == Unstable)
	}
	out.Pooled.settle(set)
	out.Pooled.judge()
	return out, nil
}

// judge gives the verdict.
func (b *Backtest) judge() {
	switch {
	case len(b.Days) == 0:
		b.Verdict = InsufficientData
		b.Warning = fmt.Sprintf("No day has enough rows in the seven days before it (%d days were left out). Widen the window or pool keys.", b.Skipped)
	case b.Adjusted < unstableP:
		b.Verdict = Unstable
		b.Warning = fmt.Sprintf("%s of %d requests exceeded the delays that the days before gave, where %s were predicted (95 %%: %s to %s). These thresholds do not hold from day to day.",
			percent(b.Realised.Trigger), b.N, percent(b.Predicted.Trigger), percent(b.Low), percent(b.High))
	}
}

// timed errs where a wait has no time.
func timed(t Trace) error {
	none := func(w Wait) bool { return w.At.IsZero() }
	if slices.ContainsFunc(t.Requests, func(r Request) bool { return none(r.Wait) }) || slices.ContainsFunc(t.Backup, none) {
		return fmt.Errorf("back-testing %q: a row has no time, and days can't be told; give a time for every row", t.Name)
	}
	return nil
}
