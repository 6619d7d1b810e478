package synth

import (
	"math"
	"time"

	"headway/schema"
)

type span = schema.Opt[time.Duration]

func micros(ms float64) time.Duration {
	return time.Duration(math.Round(ms*1000)) * time.Microsecond
}

// write fills the record of call i of the held request. Each stage is rounded
// to a microsecond first and added up then, so that stages add up exactly.
func (f *fleet) write(r *schema.Record, i int) {
	q, c := &f.req, &f.calls[i]
	*r = schema.Record{Source: "headway", StartPoint: schema.StartHandler, Precision: time.Microsecond,
		RequestID: q.id, TraceID: q.trace, Attempt: c.attempt, Role: c.role, CreatedAt: q.at,
		Gateway: q.gateway.name, Model: q.model.name, Route: q.route.name, Channel: c.channel.name, Provider: c.channel.provider,
		Region: c.channel.region, ClientRegion: q.client.region, Operation: "chat", ErrorClass: c.errorClass, Outcome: c.outcome,
		Stream: schema.Some(q.stream), HasTools: schema.Some(q.tools), Warmup: schema.Some(false),
		Status:          schema.Opt[int32]{Value: c.status, Valid: c.status != 0},
		MaxOutputTokens: schema.Opt[int64]{Value: q.limit, Valid: q.limit != 0},
		ChannelInflight: schema.Some(c.inflight)}
	if q.effort >= 0 {
		r.ReasoningEffort = efforts[q.effort]
	}
	if q.temperature >= 0 {
		r.Temperature = schema.Some(q.temperature)
	}
	if q.route.hedgeAfter > 0 && q.stream {
		r.HedgeAfter = schema.Some(micros(q.route.hedgeAfter))
	}
	f.writeTimes(r, c)
	writeTokens(r, q, c)
	r.Derived = schema.Derive(r)
}

func (f *fleet) writeTimes(r *schema.Record, c *call) {
	q, t := &f.req, &r.Timing
	t.Auth, t.Distribution, t.BodyRead = schema.Some(micros(q.auth)), schema.Some(micros(q.distribution)), schema.Some(micros(q.body))
	dispatch := t.Auth.Value + t.Distribution.Value + t.BodyRead.Value + micros(c.dispatch-q.auth-q.distribution-q.body)
	if q.gateway.tellsDispatch || c.attempt > 0 {
		t.UpstreamStart = schema.Some(dispatch)
	}
	if c.attempt > 0 {
		t.Auth, t.Distribution, t.BodyRead = span{}, span{}, span{}
	}
	cut := dispatch + micros(min(c.cut, never))
	seen := func(at time.Duration, exists bool) span { return only(at, exists && at <= cut) }
	headers := micros(c.headers)
	event := dispatch + headers + micros(c.event)
	response := event + micros(c.effective)
	text := response + micros(c.text)
	done := text + micros(c.window)
	if q.toolOnly {
		text, done = response, response+micros(c.text)+micros(c.window)
	}
	t.UpstreamHeaders = only(headers, dispatch+headers <= cut)
	t.FirstSSEEvent, t.FirstResponse = seen(event, q.stream), seen(response, q.stream)
	t.FirstTextDelta = seen(text, q.stream && !q.toolOnly)
	end := min(done, cut)
	t.UpstreamDone = schema.Some(end)
	t.TotalHandler = schema.Some(max(end, micros(f.handlerEnd())+micros(q.tail)))
	if q.stream && t.FirstSSEEvent.Valid {
		r.MaxGap = schema.Some(largestGap(c, q, event, response, text, end))
		countEvents(r, q, text, done, end)
	} else if q.stream {
		r.StreamEvents, r.TextDeltas = schema.Some(int64(0)), schema.Some(int64(0))
	}
}

// only returns v, missing unless ok.
func only(v time.Duration, ok bool) span {
	if !ok {
		return span{}
	}
	return schema.Some(v)
}

// largestGap returns the longest silence after the first event, up to the end.
func largestGap(c *call, q *request, event, response, text, end time.Duration) time.Duration {
	gap := min(response, end) - event
	if end > response && q.model.reasoning != shownReasoning {
		gap = max(gap, min(text, end)-response)
	}
	if end > text {
		gap = max(gap, min(micros(c.gap), end-text))
	}
	return gap
}

// countEvents counts what had come by the end: a text delta for each visible
// token, as most providers send them, and a few events around.
func countEvents(r *schema.Record, q *request, text, done, end time.Duration) {
	share := 0.0
	if end >= text {
		share = 1
		if done > text {
			share = float64(end-text) / float64(done-text)
		}
	}
	pieces := int64(math.Ceil(float64(q.visible) * share))
	events := pieces + 2
	if q.model.reasoning == shownReasoning && r.Timing.FirstResponse.Valid {
		events += q.reasoning / 4
	}
	if q.toolOnly || !r.Timing.FirstTextDelta.Valid {
		pieces = 0
	}
	r.StreamEvents, r.TextDeltas = schema.Some(events), schema.Some(pieces)
}

// writeTokens gives what the provider tells at the end of a complete answer,
// and the gateway's own count of the prompt.
func writeTokens(r *schema.Record, q *request, c *call) {
	complete := c.outcome == schema.OutcomeCompleted
	if complete || q.gateway.countsFailures {
		r.InputTokens = schema.Some(q.input)
	}
	if !complete {
		return
	}
	r.OutputTokens = schema.Some(q.visible + q.reasoning)
	if q.model.tellsReasoning {
		r.ReasoningTokens = schema.Some(q.reasoning)
	}
	if q.model.tellsCachedInput {
		r.CachedTokens = schema.Some(q.cached)
	}
	t := &r.Timing
	window := (t.UpstreamDone.Value - t.FirstTextDelta.Value).Seconds()
	if q.gateway.tellsRate && t.FirstTextDelta.Valid && window > 0 {
		r.GivenTPS = schema.Some(math.Round(float64(q.visible)/window*100) / 100)
	}
	if t.FirstSSEEvent.Valid && (t.UpstreamDone.Value-t.FirstSSEEvent.Value)*50 <= t.UpstreamDone.Value && r.OutputTokens.Value >= 50 {
		r.AddFlag(schema.FlagBufferedUpstream)
	}
}
