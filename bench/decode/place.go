package main

import (
	"math"
	"time"

	"headway/schema"
)

// value is one scalar of a document that a library has parsed.
type value interface {
	text() (string, bool) // unescaped, null gives ""
	whole() (int64, bool) // null gives missingWhole
	real() (float64, bool)
	yesNo() (schema.Opt[bool], bool)
}

// put stores one member of the record; false where it is unusual. For
// libraries that walk a document instead of filling structs.
func put(key string, v value, rec *schema.Record, arrival time.Time, group *string) bool {
	c := check{ok: true}
	text := func() string {
		s, ok := v.text()
		c.ok = c.ok && ok
		return c.text(s)
	}
	whole := func(limit int64) schema.Opt[int64] {
		n, ok := v.whole()
		c.ok = c.ok && ok
		return c.whole(&n, limit)
	}
	switch key {
	case "v":
		n := whole(math.MaxInt64)
		return c.ok && (!n.Valid || n.Value == 1)
	case "request_id":
		rec.RequestID = c.id(text())
	case "trace_id":
		rec.TraceID = text()
	case "attempt":
		rec.Attempt = uint16(whole(math.MaxUint16).Value)
	case "role":
		rec.Role = c.role(text())
	case "outcome":
		rec.Outcome = c.outcome(text())
	case "created_at":
		rec.CreatedAt = c.time(text(), arrival)
	case "group":
		*group = text()
	case "status":
		rec.Status = c.status(whole(schema.MaxCount))
	default:
		return putPlain(key, v, rec, &c, text, whole) && c.ok
	}
	return c.ok
}

// putPlain stores the members that have no rule of their own; false for a key
// that is none.
func putPlain(key string, v value, rec *schema.Record, c *check, text func() string, whole func(int64) schema.Opt[int64]) bool {
	if to := textOf(key, rec); to != nil {
		*to = text()
		return true
	}
	if to := wholeOf(key, rec); to != nil {
		*to = whole(schema.MaxCount)
		return true
	}
	if to := yesNoOf(key, rec); to != nil {
		ok := false
		*to, ok = v.yesNo()
		return ok
	}
	f, ok := v.real()
	switch key {
	case "temperature":
		rec.Temperature = c.real(&f)
	case "top_p":
		rec.TopP = c.real(&f)
	case "max_gap_ms":
		rec.MaxGap = c.span(&f)
	case "hedge_after_ms":
		rec.HedgeAfter = c.span(&f)
	default:
		return false
	}
	return ok
}

func textOf(key string, rec *schema.Record) *string {
	switch key {
	case "gateway":
		return &rec.Gateway
	case "model":
		return &rec.Model
	case "route":
		return &rec.Route
	case "channel":
		return &rec.Channel
	case "provider":
		return &rec.Provider
	case "region":
		return &rec.Region
	case "client_region":
		return &rec.ClientRegion
	case "operation":
		return &rec.Operation
	case "reasoning_effort":
		return &rec.ReasoningEffort
	case "error_class":
		return &rec.ErrorClass
	}
	return nil
}

func wholeOf(key string, rec *schema.Record) *schema.Opt[int64] {
	switch key {
	case "max_output_tokens":
		return &rec.MaxOutputTokens
	case "input_tokens":
		return &rec.InputTokens
	case "output_tokens":
		return &rec.OutputTokens
	case "cached_tokens":
		return &rec.CachedTokens
	case "reasoning_tokens":
		return &rec.ReasoningTokens
	case "stream_events":
		return &rec.StreamEvents
	case "text_deltas":
		return &rec.TextDeltas
	case "channel_inflight":
		return &rec.ChannelInflight
	}
	return nil
}

func yesNoOf(key string, rec *schema.Record) *schema.Opt[bool] {
	switch key {
	case "stream":
		return &rec.Stream
	case "has_tools":
		return &rec.HasTools
	case "warmup":
		return &rec.Warmup
	case "cache_hit":
		return &rec.CacheHit
	}
	return nil
}

// putTime stores one member of other.timing.
func putTime(key string, v value, rec *schema.Record) bool {
	f, ok := v.real()
	c := check{ok: ok}
	if key == "visible_output_tps" {
		rec.GivenTPS = c.real(&f)
		return c.ok
	}
	t := &rec.Timing
	var to *schema.Opt[time.Duration]
	switch key {
	case "upstream_start_ms":
		to = &t.UpstreamStart
	case "auth_ms":
		to = &t.Auth
	case "distribution_ms":
		to = &t.Distribution
	case "body_read_ms":
		to = &t.BodyRead
	case "upstream_headers_ms":
		to = &t.UpstreamHeaders
	case "first_sse_event_ms":
		to = &t.FirstSSEEvent
	case "first_response_ms":
		to = &t.FirstResponse
	case "first_text_delta_ms":
		to = &t.FirstTextDelta
	case "upstream_done_ms":
		to = &t.UpstreamDone
	case "total_handler_ms":
		to = &t.TotalHandler
	default:
		return false
	}
	*to = c.span(&f)
	return c.ok
}
