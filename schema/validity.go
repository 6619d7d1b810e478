package schema

import "time"

// orderSlack is by how much a milestone may lie before an earlier one:
// rounding of clocks, not a contradiction.
const orderSlack = time.Millisecond

// minBufferedTokens is from how many output tokens on an answer that comes
// all at once was held back by something upstream.
const minBufferedTokens = 50

// validate removes what can't be and flags it, as record.md's "Validity"
// tells. It is idempotent.
func validate(r *Record) {
	if zeroTiming(r) {
		r.Timing, r.GivenTPS = Timing{}, Opt[float64]{}
		r.AddFlag(FlagZeroTiming)
	}
	if r.Stream == Some(false) && (r.StreamEvents.Value > 0 || r.TextDeltas.Value > 0 || r.Timing.FirstSSEEvent.Valid) {
		r.Stream = Opt[bool]{}
		r.AddFlag(FlagStreamConflict)
	}
	checkOrder(r)
	if buffered(r) {
		r.AddFlag(FlagBufferedUpstream)
	}
}

// zeroTiming reports whether every recorded time is 0 though the request
// succeeded: the gateway wrote its unset counters.
func zeroTiming(r *Record) bool {
	if r.Status != Some[int32](200) || r.InputTokens.Value <= 0 && r.OutputTokens.Value <= 0 {
		return false
	}
	recorded := false
	for _, t := range r.Timing.all() {
		if t.Value != 0 {
			return false
		}
		recorded = recorded || t.Valid
	}
	return recorded
}

// all returns every time in canonical order.
func (t *Timing) all() [10]Opt[time.Duration] {
	return [...]Opt[time.Duration]{t.UpstreamStart, t.Auth, t.Distribution, t.BodyRead, t.UpstreamHeaders,
		t.FirstSSEEvent, t.FirstResponse, t.FirstTextDelta, t.UpstreamDone, t.TotalHandler}
}

// milestone is an offset that must not lie before those listed ahead of it.
type milestone struct {
	at   *Opt[time.Duration]
	flag string
}

func checkOrder(r *Record) {
	t := &r.Timing
	latest := t.FirstSSEEvent.Value
	for _, m := range [...]milestone{
		{&t.FirstResponse, orderPrefix + "first_response_ms"},
		{&t.FirstTextDelta, orderPrefix + "first_text_delta_ms"},
		{&t.UpstreamDone, orderPrefix + "upstream_done_ms"},
		{&t.TotalHandler, orderPrefix + "total_handler_ms"},
	} {
		switch {
		case !m.at.Valid:
		case m.at.Value < latest-orderSlack:
			*m.at = Opt[time.Duration]{}
			r.AddFlag(m.flag)
		default:
			latest = max(latest, m.at.Value)
		}
	}
}

// buffered reports whether first event, response and end lie within 2 % of
// each other although many tokens came.
func buffered(r *Record) bool {
	event, response, done := r.Timing.FirstSSEEvent, r.Timing.FirstResponse, r.Timing.UpstreamDone
	if !event.Valid || !response.Valid || !done.Valid || r.OutputTokens.Value < minBufferedTokens {
		return false
	}
	first := min(event.Value, response.Value, done.Value)
	last := max(event.Value, response.Value, done.Value)
	return (last-first)*50 <= last
}
