package classify

import (
	"time"

	"headway/schema"
)

// stageCount is the number of stages.
const stageCount = 7

// stages are the times of one attempt in time order, in the order of
// stageNames; missing where an end was not measured.
type stages [stageCount]schema.Opt[time.Duration]

// stageNames is the immutable order of stages.
var stageNames = [stageCount]Stage{StageLocal, StageHeaders, StageEventWait, StageEffectiveWait, StageTextWait, StageGeneration, StageTail}

func between(from, to schema.Opt[time.Duration]) schema.Opt[time.Duration] {
	if !from.Valid || !to.Valid || to.Value < from.Value {
		return schema.Opt[time.Duration]{}
	}
	return schema.Some(to.Value - from.Value)
}

// stages computes each stage. A wait that the attempt ended in belongs to the
// stage it was in, up to the end: else a time-out's stage would be whatever
// else was measured.
func (v *reading) stages() stages {
	t := &v.Timing
	end := schema.Opt[time.Duration]{Value: v.end, Valid: v.ended}
	dispatched, gotHeaders := schema.Some(v.dispatch), schema.Opt[time.Duration]{}
	if t.UpstreamHeaders.Valid {
		gotHeaders = schema.Some(v.dispatch + t.UpstreamHeaders.Value)
	}
	out := stages{
		1: t.UpstreamHeaders,
		2: between(gotHeaders, t.FirstSSEEvent),
		3: between(t.FirstSSEEvent, t.FirstResponse),
		4: between(t.FirstResponse, t.FirstTextDelta),
		5: between(t.FirstTextDelta, end),
	}
	if !t.FirstTextDelta.Valid && v.noTextToWaitFor() {
		out[5] = between(t.FirstResponse, end)
	}
	if t.Auth.Valid || t.Distribution.Valid || t.BodyRead.Valid {
		out[0] = schema.Some(t.Auth.Value + t.Distribution.Value + t.BodyRead.Value)
	}
	if v.served() {
		out[6] = between(t.UpstreamDone, t.TotalHandler)
	}
	switch {
	case v.headersNeverCame():
		out[1] = between(dispatched, end)
	case !v.responseNeverCame():
	case t.FirstSSEEvent.Valid:
		out[3] = between(t.FirstSSEEvent, end)
	default:
		out[2] = between(gotHeaders, end)
	}
	return out
}

// largestStage returns the stage with the largest share of the attempt's time,
// the earlier of two equal ones; none where more of that time is unmeasured.
func (v *reading) largestStage() Stage {
	best, sum := Stage(""), time.Duration(0)
	largest := time.Duration(0)
	for i, s := range v.stages() {
		sum += s.Value
		if s.Valid && s.Value > largest {
			best, largest = stageNames[i], s.Value
		}
	}
	if v.span()-sum > largest {
		return ""
	}
	return best
}

// span returns the time that the stages should add up to. What passed before
// a later call's dispatch belongs to the calls before it.
func (v *reading) span() time.Duration {
	end := v.end
	if v.Timing.TotalHandler.Valid && v.served() {
		end = v.Timing.TotalHandler.Value
	}
	if v.laterCall() {
		end -= v.dispatch
	}
	return end
}
