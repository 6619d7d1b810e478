package api

import (
	"time"

	"headway/classify"
	"headway/schema"
)

// spans places an attempt's measured stages on its own time axis, in time
// order. A stage is missing unless both of its ends exist; local stages have
// clocks of their own, so their place before the dispatch is an estimate.
func spans(r *schema.Record) []Span {
	var out []Span
	add := func(stage classify.Stage, from, to schema.Opt[time.Duration], estimated bool) {
		if from.Valid && to.Valid && to.Value >= from.Value {
			out = append(out, Span{Stage: string(stage), StartMs: millis(from.Value), EndMs: millis(to.Value), Estimated: estimated})
		}
	}
	t := &r.Timing
	dispatch, estimated := r.Derived.Dispatch, !r.Derived.DispatchGiven
	if !dispatch.Valid && r.StartPoint == schema.StartAttempt {
		dispatch, estimated = schema.Some(time.Duration(0)), false
	}
	if t.Auth.Valid || t.Distribution.Valid || t.BodyRead.Valid {
		add(classify.StageLocal, schema.Some(time.Duration(0)), schema.Some(t.Auth.Value+t.Distribution.Value+t.BodyRead.Value), true)
	}
	var headers schema.Opt[time.Duration]
	if dispatch.Valid && t.UpstreamHeaders.Valid {
		headers = schema.Some(dispatch.Value + t.UpstreamHeaders.Value)
	}
	add(classify.StageHeaders, dispatch, headers, estimated)
	add(classify.StageEventWait, headers, t.FirstSSEEvent, estimated)
	add(classify.StageEffectiveWait, t.FirstSSEEvent, t.FirstResponse, false)
	add(classify.StageTextWait, t.FirstResponse, t.FirstTextDelta, false)
	begin := t.FirstTextDelta
	if !begin.Valid {
		begin = t.FirstResponse
	}
	add(classify.StageGeneration, begin, t.UpstreamDone, false)
	add(classify.StageTail, t.UpstreamDone, t.TotalHandler, false)
	return out
}
