package api

import (
	"headway/query"
	"headway/schema"
)

// Attempt is one stored attempt. Null is "not recorded".
type Attempt struct {
	RequestID       string  `json:"request_id"`
	TraceID         *string `json:"trace_id"`
	Attempt         int     `json:"attempt"`
	Role            string  `json:"role"`
	CreatedAt       string  `json:"created_at" format:"date-time"`
	Source          string  `json:"source"`
	StartPoint      string  `json:"start_point" doc:"Instant the offsets of timing are measured from."`
	Gateway         *string `json:"gateway"`
	Model           string  `json:"model"`
	Route           *string `json:"route"`
	Channel         *string `json:"channel"`
	Provider        *string `json:"provider"`
	Region          *string `json:"region"`
	ClientRegion    *string `json:"client_region"`
	Operation       *string `json:"operation"`
	ReasoningEffort *string `json:"reasoning_effort"`
	Status          *int32  `json:"status"`
	Outcome         *string `json:"outcome"`
	ErrorClass      *string `json:"error_class"`
	Stream          *bool   `json:"stream"`
	HasTools        *bool   `json:"has_tools"`
	Warmup          *bool   `json:"warmup"`
	CacheHit        *bool   `json:"cache_hit"`
	InputBand       *string `json:"input_band"`

	InputTokens     *int64 `json:"input_tokens"`
	OutputTokens    *int64 `json:"output_tokens"`
	CachedTokens    *int64 `json:"cached_tokens"`
	ReasoningTokens *int64 `json:"reasoning_tokens"`
	MaxOutputTokens *int64 `json:"max_output_tokens"`
	StreamEvents    *int64 `json:"stream_events"`
	TextDeltas      *int64 `json:"text_deltas"`
	ChannelInflight *int64 `json:"channel_inflight"`

	Timing    Timing   `json:"timing"`
	AtLeastMs *float64 `json:"at_least_ms" doc:"Only in slow lists, for an attempt that ended without the metric: how long it was waited for; the metric would have been no less."`
	Flags     []string `json:"flags" doc:"Quality flags: what was wrong with the record and removed."`
	Labels    []string `json:"labels"`
	Label     string   `json:"label" doc:"First label in checking order, or healthy, or unknown."`
	Stage     *string  `json:"stage" doc:"Stage with the largest share of the total."`
}

// Timing holds an attempt's times in ms and its rates. upstream_headers_ms
// starts at t1; never subtract it from an offset alone.
type Timing struct {
	UpstreamStartMs   *float64 `json:"upstream_start_ms"`
	AuthMs            *float64 `json:"auth_ms"`
	DistributionMs    *float64 `json:"distribution_ms"`
	BodyReadMs        *float64 `json:"body_read_ms"`
	UpstreamHeadersMs *float64 `json:"upstream_headers_ms"`
	FirstSSEEventMs   *float64 `json:"first_sse_event_ms"`
	FirstResponseMs   *float64 `json:"first_response_ms"`
	FirstTextDeltaMs  *float64 `json:"first_text_delta_ms"`
	UpstreamDoneMs    *float64 `json:"upstream_done_ms"`
	TotalHandlerMs    *float64 `json:"total_handler_ms"`
	MaxGapMs          *float64 `json:"max_gap_ms"`
	HedgeAfterMs      *float64 `json:"hedge_after_ms"`
	DispatchMs        *float64 `json:"dispatch_ms"`
	DispatchEstimated bool     `json:"dispatch_estimated"`
	TPS               *float64 `json:"tps" doc:"Visible output tokens per second."`
	TPSBasis          *string  `json:"tps_basis" doc:"given, visible or output."`
	TPOTMs            *float64 `json:"tpot_ms"`
}

func presentAttempt(a query.Attempt) Attempt {
	r := a.Record
	out := Attempt{
		RequestID: r.RequestID, TraceID: orNull(r.TraceID), Attempt: int(r.Attempt), Role: string(r.Role), CreatedAt: stamp(r.CreatedAt),
		Source: r.Source, StartPoint: string(r.StartPoint), Gateway: orNull(r.Gateway), Model: r.Model, Route: orNull(r.Route),
		Channel: orNull(r.Channel), Provider: orNull(r.Provider), Region: orNull(r.Region), ClientRegion: orNull(r.ClientRegion),
		Operation: orNull(r.Operation), ReasoningEffort: orNull(r.ReasoningEffort), Status: optional(r.Status), Outcome: orNull(string(r.Outcome)),
		ErrorClass: orNull(r.ErrorClass), Stream: optional(r.Stream), HasTools: optional(r.HasTools), Warmup: optional(r.Warmup),
		CacheHit: optional(r.CacheHit), InputBand: orNull(a.InputBand),
		InputTokens: optional(r.InputTokens), OutputTokens: optional(r.OutputTokens), CachedTokens: optional(r.CachedTokens),
		ReasoningTokens: optional(r.ReasoningTokens), MaxOutputTokens: optional(r.MaxOutputTokens), StreamEvents: optional(r.StreamEvents),
		TextDeltas: optional(r.TextDeltas), ChannelInflight: optional(r.ChannelInflight),
		Timing: presentTiming(&r), Flags: list(r.Flags), Labels: list(a.Labels), Label: a.PrimaryLabel, Stage: orNull(a.Stage),
	}
	if a.AtLeast != nil {
		out.AtLeastMs = ptr(millis(*a.AtLeast))
	}
	return out
}

func presentTiming(r *schema.Record) Timing {
	t, d := &r.Timing, &r.Derived
	return Timing{
		UpstreamStartMs: millisOpt(t.UpstreamStart), AuthMs: millisOpt(t.Auth), DistributionMs: millisOpt(t.Distribution),
		BodyReadMs: millisOpt(t.BodyRead), UpstreamHeadersMs: millisOpt(t.UpstreamHeaders), FirstSSEEventMs: millisOpt(t.FirstSSEEvent),
		FirstResponseMs: millisOpt(t.FirstResponse), FirstTextDeltaMs: millisOpt(t.FirstTextDelta), UpstreamDoneMs: millisOpt(t.UpstreamDone),
		TotalHandlerMs: millisOpt(t.TotalHandler), MaxGapMs: millisOpt(r.MaxGap), HedgeAfterMs: millisOpt(r.HedgeAfter),
		DispatchMs: millisOpt(d.Dispatch), DispatchEstimated: d.Dispatch.Valid && !d.DispatchGiven,
		TPS: finite(optional(d.TPS)), TPSBasis: orNull(string(d.TPSBasis)), TPOTMs: millisOpt(d.TPOT),
	}
}
