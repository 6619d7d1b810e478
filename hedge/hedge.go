// Package hedge is the pure mathematics of first-token hedging: distributions
// with censoring, quantiles with intervals, exact simulation, optimal
// policies, verdicts. It reads nothing, stores nothing and takes its
// randomness from the caller.
//
// Waits are whole microseconds. X is the primary's wait for its first token,
// Y the backup's from its own dispatch, d the hedge delay, S(t) = P(X > t).
// Every distribution follows one quantile rule, Distribution.Quantile.
package hedge

import "time"

// Wait is one attempt's first-token wait. Where Censored is true the attempt
// ended after Micros (0 or more) without a token: its wait is longer.
type Wait struct {
	Micros   int64
	Censored bool
	At       time.Time // when it began; the zero time where that is unknown
}

// Pair is a request that had both attempts, or two requests of one minute on
// both channels.
type Pair struct {
	Primary Wait
	Backup  Wait // from its own dispatch
	// After is how long the primary had waited when the backup was sent, in
	// microseconds; 0 where both were sent regardless. Requests that were
	// faster than After have no pair, so that a pair tells nothing about
	// smaller delays.
	After int64
}

// Point is a quantile of a distribution.
type Point struct {
	Micros float64 // valid where Reached
	// Reached is false where the quantile lies in mass that was never
	// observed; it is then at least AtLeast.
	Reached bool
	AtLeast int64 // last time seen, microseconds; set where not Reached
	// BelowMinN is true where the rows behind it are fewer than MinPoint.
	BelowMinN bool
}

// Bound is one end of an interval; Valid is false where it has no end.
type Bound struct {
	Micros float64
	Valid  bool
}

// Interval is a two-sided 95 % interval.
type Interval struct{ Low, High Bound }
