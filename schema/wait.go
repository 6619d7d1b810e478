package schema

import "time"

// Metric is a first-token measure that hedging can wait for; its text is the
// field's name in the registry.
type Metric string

// The first-token metrics.
const (
	MetricFirstResponse Metric = "first_response_ms"   // t4, the default of gateways
	MetricFirstText     Metric = "first_text_delta_ms" // t5, the default of probes
)

// WaitState says how one row counts in the distribution of first-token
// waits; its text names the reason in answers.
type WaitState string

// The states. All but the first two are left out and counted by reason.
const (
	WaitObserved       WaitState = "observed"
	WaitCensored       WaitState = "censored"
	WaitDuplicate      WaitState = "duplicate"         // the same attempt came before
	WaitWarmup         WaitState = "warmup"            // not a user's request
	WaitNotPrimary     WaitState = "not_primary"       // a backup or retry
	WaitNotStream      WaitState = "not_stream"        // there is no first token to wait for
	WaitStreamUnknown  WaitState = "stream_unknown"    // not recorded, or contradicted
	WaitFromCache      WaitState = "from_cache"        // no upstream call was waited for
	WaitBuffered       WaitState = "buffered_upstream" // the first token came with the last
	WaitZeroTiming     WaitState = "zero_timing"       // times were unset counters
	WaitMultiAttempt   WaitState = "multi_attempt"     // earlier attempts are inside the time
	WaitBadValue       WaitState = "bad_value"         // the metric was recorded but could not be
	WaitNotApplicable  WaitState = "not_applicable"    // completed without what the metric waits for
	WaitFailed         WaitState = "failed"            // an error before the token: in the failure share
	WaitNoElapsed      WaitState = "no_elapsed"        // unfinished, and how long it was waited is not known
	WaitOutcomeUnknown WaitState = "outcome_unknown"   // no token, and nothing says why
)

// WaitClock says what a wait is measured from.
type WaitClock string

// The clocks.
const (
	ClockDispatch  WaitClock = "dispatch"  // from upstream_start_ms, as recorded
	ClockEstimated WaitClock = "estimated" // from auth + distribution + body read, all recorded
	ClockStart     WaitClock = "start"     // from the metric's own start: local time is inside
)

// Wait is what a hedge timer saw of one row.
type Wait struct {
	State    WaitState
	Duration time.Duration // the wait, or the time waited in vain; 0 where left out
	Clock    WaitClock     // empty where left out
}

// Counts reports whether the row is observed or censored, not left out.
func (w Wait) Counts() bool { return w.State == WaitObserved || w.State == WaitCensored }

// FirstTokenWait classes one row as hedge.md's "Which rows" tells.
// singleAttempt says that the row's request had no other attempt. The first
// rule that applies decides; SQL repeats them in this order:
//
//	 1  flag duplicate                                  duplicate
//	 2  warmup = true                                   warmup
//	 3  role ≠ primary                                  not_primary
//	 4  stream missing                                  stream_unknown
//	 5  stream = false                                  not_stream
//	 6  cache_hit = true                                from_cache
//	 7  flag buffered_upstream                          buffered_upstream
//	 8  flag zero_timing                                zero_timing
//	 9  flag multi_attempt                              multi_attempt
//	10  metric present, metric − start < 0              bad_value
//	11  metric present                                  observed at metric − start
//	12  flag bad_value:<metric> or order:<metric>       bad_value
//	13  outcome completed                               not_applicable
//	14  outcome error, rate_limited, upstream_closed    failed
//	15  outcome missing, status ≥ 400                   failed
//	16  outcome missing                                 outcome_unknown
//	    (left: timeout, client_cancelled, superseded)
//	17  end missing                                     no_elapsed
//	18  end − start < 0                                 bad_value
//	19  else                                            censored at end − start
//
// start is upstream_start_ms (clock dispatch); else auth + distribution +
// body read where all three are present (estimated); else 0 (start). end is
// upstream_done_ms; else total_handler_ms where singleAttempt. A metric that
// is neither of the two applies to nothing.
func FirstTokenWait(rec *Record, metric Metric, singleAttempt bool) Wait {
	if s := setAside(rec); s != "" {
		return Wait{State: s}
	}
	start, clock := waitStart(&rec.Timing)
	state, at := WaitObserved, metricOf(&rec.Timing, metric)
	if !at.Valid {
		if s := unfinished(rec, metric); s != "" {
			return Wait{State: s}
		}
		state, at = WaitCensored, rec.Timing.UpstreamDone
		if !at.Valid && singleAttempt {
			at = rec.Timing.TotalHandler
		}
		if !at.Valid {
			return Wait{State: WaitNoElapsed}
		}
	}
	if at.Value < start {
		return Wait{State: WaitBadValue}
	}
	return Wait{State: state, Duration: at.Value - start, Clock: clock}
}

// setAside is rules 1 to 9.
func setAside(rec *Record) WaitState {
	switch {
	case rec.Flagged(FlagDuplicate):
		return WaitDuplicate
	case rec.Warmup.Value:
		return WaitWarmup
	case rec.Role != RolePrimary:
		return WaitNotPrimary
	case !rec.Stream.Valid:
		return WaitStreamUnknown
	case !rec.Stream.Value:
		return WaitNotStream
	case rec.CacheHit.Value:
		return WaitFromCache
	case rec.Flagged(FlagBufferedUpstream):
		return WaitBuffered
	case rec.Flagged(FlagZeroTiming):
		return WaitZeroTiming
	case rec.Flagged(FlagMultiAttempt):
		return WaitMultiAttempt
	}
	return ""
}

// unfinished is rules 12 to 16: why a row without the metric is left out;
// empty where it is censored.
func unfinished(rec *Record, metric Metric) WaitState {
	if rec.Flagged(badValuePrefix+string(metric)) || rec.Flagged(orderPrefix+string(metric)) {
		return WaitBadValue
	}
	switch rec.Outcome {
	case OutcomeCompleted:
		return WaitNotApplicable
	case OutcomeError, OutcomeRateLimited, OutcomeUpstreamClosed:
		return WaitFailed
	case OutcomeTimeout, OutcomeClientCancelled, OutcomeSuperseded:
		return ""
	}
	if rec.Status.Value >= 400 {
		return WaitFailed
	}
	return WaitOutcomeUnknown
}

func metricOf(t *Timing, m Metric) Opt[time.Duration] {
	switch m {
	case MetricFirstResponse:
		return t.FirstResponse
	case MetricFirstText:
		return t.FirstTextDelta
	}
	return Opt[time.Duration]{}
}

func waitStart(t *Timing) (time.Duration, WaitClock) {
	switch {
	case t.UpstreamStart.Valid:
		return t.UpstreamStart.Value, ClockDispatch
	case t.Auth.Valid && t.Distribution.Valid && t.BodyRead.Valid:
		return t.Auth.Value + t.Distribution.Value + t.BodyRead.Value, ClockEstimated
	}
	return 0, ClockStart
}
