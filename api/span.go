package api

import (
	"time"

	"headway/classify"
	"headway/schema"
)

// spans places an attempt's measured stages on its own time axis, in time
// order. A stage is missing unless both of its ends exist. Estimates stand in
// as the classifier's do: local stages have clocks of their own, so their
// place is one; a dispatch that was not recorded lies after them at the
// earliest; the handler's end stands in for the upstream's.
func spans(r *schema.Record) []Span {
	var out []Span
	add := func(stage classify.Stage, from, to schema.Opt[time.Duration], estimated bool) {
		if from.Valid && to.Valid && to.Value >= from.Value {
			out = append(out, Span{Stage: string(stage), StartMs: millis(from.Value), EndMs: millis(to.Value), Estimated: estimated})
		}
	}
	t := &r.Timing
	local := t.Auth.Value + t.Distribution.Value + t.BodyRead.Value
	dispatch, estimated := r.Derived.Dispatch, !r.Derived.DispatchGiven
	if !dispatch.Valid {
		dispatch, estimated = schema.Some(local), r.StartPoint != schema.StartAttempt
	}
	if t.Auth.Valid || t.Distribution.Valid || t.BodyRead.Valid {
		add(classify.StageLocal, schema.Some(time.Duration(0)), schema.Some(local), true)
	}
	var headers schema.Opt[time.Duration]
	if t.UpstreamHeaders.Valid {
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
	end := t.UpstreamDone
	if !end.Valid && r.Outcome != schema.OutcomeSuperseded {
		end = t.TotalHandler
	}
	add(classify.StageGeneration, begin, end, !t.UpstreamDone.Valid)
	add(classify.StageTail, t.UpstreamDone, t.TotalHandler, false)
	return out
}
