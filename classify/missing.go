package classify

import (
	"math/bits"

	"headway/schema"
)

// fields is a set of timing fields, a bit each, in the order of fieldNames.
type fields uint16

const (
	fieldAuth fields = 1 << iota
	fieldDistribution
	fieldBodyRead
	fieldHeaders
	fieldEvent
	fieldResponse
	fieldText
	fieldDone
	fieldTotal
	fieldGap
	fieldTPS
	fieldsEnd
)

// fieldNames is the immutable list of the fields that stages and rules need.
var fieldNames = [...]string{"auth_ms", "distribution_ms", "body_read_ms", "upstream_headers_ms", "first_sse_event_ms",
	"first_response_ms", "first_text_delta_ms", "upstream_done_ms", "total_handler_ms", "max_gap_ms", "tps"}

func (f fields) and(g fields) fields     { return f & g }
func (f fields) without(g fields) fields { return f &^ g }

func (f fields) when(missing bool) fields {
	if missing {
		return f
	}
	return 0
}

// names lists the fields; it is never nil, so that JSON shows [].
func (f fields) names() []string {
	if f == 0 {
		return []string{}
	}
	out := make([]string, 0, bits.OnesCount16(uint16(f)))
	for ; f != 0; f &= f - 1 {
		out = append(out, fieldNames[bits.TrailingZeros16(uint16(f))])
	}
	return out
}

// missing returns the fields that the record lacks, and those that apply to
// a record of its kind.
func (v *reading) missing() (missing, applies fields) {
	t := &v.Timing
	missing = fieldAuth.when(!t.Auth.Valid) | fieldDistribution.when(!t.Distribution.Valid) | fieldBodyRead.when(!t.BodyRead.Valid) |
		fieldHeaders.when(!t.UpstreamHeaders.Valid) | fieldEvent.when(!t.FirstSSEEvent.Valid) | fieldResponse.when(!t.FirstResponse.Valid) |
		fieldText.when(!t.FirstTextDelta.Valid) | fieldDone.when(!t.UpstreamDone.Valid) | fieldTotal.when(!t.TotalHandler.Valid) |
		fieldGap.when(!v.MaxGap.Valid) | fieldTPS.when(!v.Derived.TPS.Valid)
	applies = fieldsEnd - 1
	if missing != 0 {
		applies &^= v.foreign()
	}
	return missing, applies
}

// foreign returns the fields that can't exist for this record. A failed call
// has no answer whose shape could excuse a missing response.
func (v *reading) foreign() fields {
	var out fields
	if v.wholeBody() {
		out |= fieldEvent | fieldText | fieldGap | fieldTPS | fieldResponse.when(!v.unfinished)
	}
	if v.toolOnly() {
		out |= fieldText | fieldTPS
	}
	if v.Flagged(schema.FlagBufferedUpstream) {
		out |= fieldTPS
	}
	// Local stages run once a request; its first call tells them.
	if v.laterCall() {
		out |= fieldAuth | fieldDistribution | fieldBodyRead
	}
	if v.CacheHit.Value {
		out |= fieldHeaders | fieldEvent | fieldDone
	}
	return out
}

func (v *reading) noTextToWaitFor() bool { return v.foreign()&fieldText != 0 }

// measured says whether enough was measured to call the record healthy:
// headers, first response and an end, or that they do not apply.
func (v *reading) measured(unmeasured fields) bool {
	return unmeasured&(fieldHeaders|fieldResponse) == 0 && (v.Timing.UpstreamDone.Valid || v.Timing.TotalHandler.Valid)
}
