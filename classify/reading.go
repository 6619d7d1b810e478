package classify

import (
	"time"

	"headway/schema"
)

// reading is a record seen the way the rules ask about it.
type reading struct {
	*schema.Record
	dispatch    time.Duration // t0 → t1
	dispatchEst bool          // dispatch is a lower bound
	end         time.Duration // end of this attempt, when ended
	endEst      bool          // the handler's end stands in for the upstream's
	ended       bool
	failed      bool // ended in an error of whichever kind
	unfinished  bool // failed, superseded, or the client left
}

func read(r *schema.Record) reading {
	v := reading{Record: r}
	v.dispatch, v.dispatchEst = dispatch(r)
	switch {
	case r.Timing.UpstreamDone.Valid:
		v.end, v.ended = r.Timing.UpstreamDone.Value, true
	// The handler of a superseded attempt went on with the winner: its end
	// says nothing about this attempt.
	case r.Timing.TotalHandler.Valid && r.Outcome != schema.OutcomeSuperseded:
		v.end, v.ended, v.endEst = r.Timing.TotalHandler.Value, true, true
	}
	switch r.Outcome {
	case schema.OutcomeError, schema.OutcomeTimeout, schema.OutcomeRateLimited, schema.OutcomeUpstreamClosed:
		v.failed, v.unfinished = true, true
	case schema.OutcomeClientCancelled, schema.OutcomeSuperseded:
		v.unfinished = true
	case "":
		v.failed = r.Status.Valid && r.Status.Value >= 400
		v.unfinished = v.failed
	}
	return v
}

// dispatch returns t0 → t1 as derived; 0, a lower bound, where no time before
// the dispatch was recorded.
func dispatch(r *schema.Record) (at time.Duration, estimated bool) {
	if r.StartPoint == schema.StartAttempt {
		return 0, false
	}
	return r.Derived.Dispatch.Value, !r.Derived.DispatchGiven
}

// elapsed returns how long the attempt lasted after its dispatch.
func (v *reading) elapsed() (d time.Duration, ok bool) {
	return v.end - v.dispatch, v.ended && v.end >= v.dispatch
}

// headersNeverCame tells an upstream that sent nothing from headers that
// were not recorded: the attempt ended unfinished, and nothing that follows
// headers was seen. A rate limit is an answer, so its headers came; a client's
// own log records no upstream headers, so their absence says nothing.
func (v *reading) headersNeverCame() bool {
	return !v.Timing.UpstreamHeaders.Valid && v.unfinished && v.Outcome != schema.OutcomeRateLimited &&
		v.StartPoint != schema.StartClient && !v.Timing.FirstSSEEvent.Valid && v.StreamEvents.Value == 0 && v.responseNeverCame()
}

// responseNeverCame tells an attempt without effective output from one whose
// first response was not recorded: the attempt ended unfinished, or said that
// it produced no token, and nothing speaks of output.
func (v *reading) responseNeverCame() bool {
	if v.Timing.FirstResponse.Valid || v.Timing.FirstTextDelta.Valid || v.TextDeltas.Value > 0 || v.OutputTokens.Value > 0 {
		return false
	}
	return v.unfinished || v.Outcome == schema.OutcomeCompleted && v.OutputTokens.Valid
}

// failedFast tells a refusal from a wait: an error soon after dispatch. A
// time-out is a wait, however short.
func (v *reading) failedFast(fast time.Duration) bool {
	lasted, ok := v.elapsed()
	return ok && v.failed && v.Outcome != schema.OutcomeTimeout && lasted <= fast
}

// served says whether this attempt's bytes went to the client.
func (v *reading) served() bool {
	switch {
	case v.Outcome == schema.OutcomeSuperseded:
		return false
	case v.Timing.FirstResponse.Valid || v.Timing.FirstTextDelta.Valid:
		return true
	}
	return !v.unfinished
}

func (v *reading) streams() bool   { return v.Stream.Valid && v.Stream.Value }
func (v *reading) wholeBody() bool { return v.Stream.Valid && !v.Stream.Value }

func (v *reading) laterCall() bool {
	return v.Attempt > 0 || v.Role == schema.RoleBackup || v.Role == schema.RoleRetry
}

// toolOnly says whether the answer had no visible text to wait for: it
// completed with effective output, no text came, and either no text delta was
// counted or, where they are not counted, the request offered tools.
func (v *reading) toolOnly() bool {
	if v.unfinished || !v.Timing.FirstResponse.Valid || v.Timing.FirstTextDelta.Valid {
		return false
	}
	if v.TextDeltas.Valid {
		return v.TextDeltas.Value == 0
	}
	return v.HasTools.Valid && v.HasTools.Value
}

// window returns the visible generation time: first text to the upstream's
// end, the handler's end standing in.
func (v *reading) window() (d time.Duration, est, ok bool) {
	if !v.Timing.FirstTextDelta.Valid || !v.ended {
		return 0, false, false
	}
	return v.end - v.Timing.FirstTextDelta.Value, v.endEst, true
}

// visibleTokens returns the tokens of the window: as derived, else rate ×
// window, an estimate. Tokens of which an unknown part is reasoning are one.
func (v *reading) visibleTokens(window time.Duration) (n float64, est bool) {
	if v.Derived.VisibleTokens.Valid {
		return float64(v.Derived.VisibleTokens.Value), !v.ReasoningTokens.Valid
	}
	return v.Derived.TPS.Value * window.Seconds(), true
}
