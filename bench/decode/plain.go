package main

import (
	"math"
	"time"

	"headway/schema"
)

// plain is the canonical JSON for decoders that fill structs. Its pointers
// lead into numbers that are reset before each message, so that no decoder
// need allocate one: null sets a pointer to nil, and a key that is not there
// leaves the mark of a missing value.
type plain struct {
	V               *int64     `json:"v"`
	RequestID       string     `json:"request_id"`
	Attempt         *int64     `json:"attempt"`
	Role            string     `json:"role"`
	CreatedAt       string     `json:"created_at"`
	Gateway         string     `json:"gateway"`
	Model           string     `json:"model"`
	Route           string     `json:"route"`
	Group           string     `json:"group"`
	Channel         string     `json:"channel"`
	Provider        string     `json:"provider"`
	Region          string     `json:"region"`
	ClientRegion    string     `json:"client_region"`
	Operation       string     `json:"operation"`
	ReasoningEffort string     `json:"reasoning_effort"`
	ErrorClass      string     `json:"error_class"`
	TraceID         string     `json:"trace_id"`
	Outcome         string     `json:"outcome"`
	Stream          *bool      `json:"stream"`
	HasTools        *bool      `json:"has_tools"`
	Warmup          *bool      `json:"warmup"`
	CacheHit        *bool      `json:"cache_hit"`
	Status          *int64     `json:"status"`
	MaxOutputTokens *int64     `json:"max_output_tokens"`
	InputTokens     *int64     `json:"input_tokens"`
	OutputTokens    *int64     `json:"output_tokens"`
	CachedTokens    *int64     `json:"cached_tokens"`
	ReasoningTokens *int64     `json:"reasoning_tokens"`
	StreamEvents    *int64     `json:"stream_events"`
	TextDeltas      *int64     `json:"text_deltas"`
	ChannelInflight *int64     `json:"channel_inflight"`
	Temperature     *float64   `json:"temperature"`
	TopP            *float64   `json:"top_p"`
	MaxGap          *float64   `json:"max_gap_ms"`
	HedgeAfter      *float64   `json:"hedge_after_ms"`
	Other           plainOther `json:"other"`

	whole [11]int64
	real  [15]float64
}

type plainOther struct {
	Timing struct {
		UpstreamStart   *float64 `json:"upstream_start_ms"`
		Auth            *float64 `json:"auth_ms"`
		Distribution    *float64 `json:"distribution_ms"`
		BodyRead        *float64 `json:"body_read_ms"`
		UpstreamHeaders *float64 `json:"upstream_headers_ms"`
		FirstSSEEvent   *float64 `json:"first_sse_event_ms"`
		FirstResponse   *float64 `json:"first_response_ms"`
		FirstTextDelta  *float64 `json:"first_text_delta_ms"`
		UpstreamDone    *float64 `json:"upstream_done_ms"`
		TotalHandler    *float64 `json:"total_handler_ms"`
		TPS             *float64 `json:"visible_output_tps"`
	} `json:"timing"`
}

// Marks of missing numbers: no JSON number decodes to the one, and no count
// of a record is the other.
const missingWhole = math.MinInt64

var missingReal = math.NaN()

// reset makes p hold nothing.
func (p *plain) reset() {
	*p = plain{}
	for i := range p.whole {
		p.whole[i] = missingWhole
	}
	for i := range p.real {
		p.real[i] = missingReal
	}
	for i, at := range p.wholes() {
		*at = &p.whole[i]
	}
	for i, at := range p.reals() {
		*at = &p.real[i]
	}
}

func (p *plain) wholes() [11]**int64 {
	return [...]**int64{&p.V, &p.Attempt, &p.Status, &p.MaxOutputTokens, &p.InputTokens, &p.OutputTokens, &p.CachedTokens,
		&p.ReasoningTokens, &p.StreamEvents, &p.TextDeltas, &p.ChannelInflight}
}

func (p *plain) reals() [15]**float64 {
	t := &p.Other.Timing
	return [...]**float64{&p.Temperature, &p.TopP, &p.MaxGap, &p.HedgeAfter, &t.UpstreamStart, &t.Auth, &t.Distribution,
		&t.BodyRead, &t.UpstreamHeaders, &t.FirstSSEEvent, &t.FirstResponse, &t.FirstTextDelta, &t.UpstreamDone, &t.TotalHandler, &t.TPS}
}

// fill turns p into a record; false where anything in it is unusual.
func (p *plain) fill(rec *schema.Record, arrival time.Time) bool {
	c := check{ok: true}
	*rec = fresh(rec)
	if v := c.whole(p.V, math.MaxInt64); v.Valid && v.Value != 1 {
		return false
	}
	rec.RequestID, rec.TraceID = c.id(p.RequestID), c.text(p.TraceID)
	rec.Attempt = uint16(c.whole(p.Attempt, math.MaxUint16).Value)
	rec.Role, rec.Outcome = c.role(p.Role), c.outcome(p.Outcome)
	rec.CreatedAt = c.time(p.CreatedAt, arrival)
	rec.Gateway, rec.Model, rec.Route = c.text(p.Gateway), c.text(p.Model), c.text(p.Route)
	if group := c.text(p.Group); rec.Route == "" {
		rec.Route = group
	}
	rec.Channel, rec.Provider, rec.Region = c.text(p.Channel), c.text(p.Provider), c.text(p.Region)
	rec.ClientRegion, rec.Operation = c.text(p.ClientRegion), c.text(p.Operation)
	rec.ReasoningEffort, rec.ErrorClass = c.text(p.ReasoningEffort), c.text(p.ErrorClass)
	rec.Stream, rec.HasTools, rec.Warmup, rec.CacheHit = yesNo(p.Stream), yesNo(p.HasTools), yesNo(p.Warmup), yesNo(p.CacheHit)
	rec.Status = c.status(c.whole(p.Status, schema.MaxCount))
	rec.MaxOutputTokens, rec.InputTokens = c.whole(p.MaxOutputTokens, schema.MaxCount), c.whole(p.InputTokens, schema.MaxCount)
	rec.OutputTokens, rec.CachedTokens = c.whole(p.OutputTokens, schema.MaxCount), c.whole(p.CachedTokens, schema.MaxCount)
	rec.ReasoningTokens, rec.StreamEvents = c.whole(p.ReasoningTokens, schema.MaxCount), c.whole(p.StreamEvents, schema.MaxCount)
	rec.TextDeltas, rec.ChannelInflight = c.whole(p.TextDeltas, schema.MaxCount), c.whole(p.ChannelInflight, schema.MaxCount)
	rec.Temperature, rec.TopP = c.real(p.Temperature), c.real(p.TopP)
	rec.MaxGap, rec.HedgeAfter = c.span(p.MaxGap), c.span(p.HedgeAfter)
	t := &p.Other.Timing
	rec.GivenTPS = c.real(t.TPS)
	rec.Timing = schema.Timing{UpstreamStart: c.span(t.UpstreamStart), Auth: c.span(t.Auth), Distribution: c.span(t.Distribution),
		BodyRead: c.span(t.BodyRead), UpstreamHeaders: c.span(t.UpstreamHeaders), FirstSSEEvent: c.span(t.FirstSSEEvent),
		FirstResponse: c.span(t.FirstResponse), FirstTextDelta: c.span(t.FirstTextDelta), UpstreamDone: c.span(t.UpstreamDone),
		TotalHandler: c.span(t.TotalHandler)}
	return c.ok && finish(rec)
}

func yesNo(p *bool) schema.Opt[bool] {
	if p == nil {
		return schema.Opt[bool]{}
	}
	return schema.Some(*p)
}
