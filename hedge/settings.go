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
	// Budget is the share of requests that may be hedged, for the SingleR
	// alternative; 0 takes as many as the advised delay would trigger.
	Budget float64
	Boot   Bootstrap
}

// DefaultSettings allow hedging from 100 ms on, with correlation 0.6.
func DefaultSettings() Settings {
	return Settings{Floor: 100_000, Rho: 0.6, Boot: DefaultBootstrap()}
}

func (r Rule) delay(x Distribution) Point {
	if r.Fixed > 0 {
		return Point{Micros: float64(r.Fixed), Reached: x.N() > 0}
	}
	return x.Quantile(r.Quantile)
}

// next is the number of requests of the next window.
func (s Settings) next(x Distribution) int {
	if s.Next > 0 {
		return s.Next
	}
	return x.N()
}

// guarded keeps a delay within floor and cap.
func (s Settings) guarded(d float64) float64 {
	d = math.Max(d, float64(s.Floor))
	if s.Cap > 0 {
		d = math.Min(d, float64(s.Cap))
	}
	return d
}

// micros is a delay in whole microseconds; rounding down keeps a row that
// lies at the delay on the side on which it is in the data.
func micros(d float64) int64 { return int64(math.Floor(d + 1e-6)) }
