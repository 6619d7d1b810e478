package api

import "headway/classify"

// Requests answers GET requests: a page of attempts.
type Requests struct {
	Meta     Meta      `json:"meta"`
	Attempts []Attempt `json:"attempts"`
	NextPage *string   `json:"next_page" doc:"Pass as page= for the next page; null on the last."`
}

// Request answers GET requests/{id}: one request's attempts in order.
type Request struct {
	Meta       Meta       `json:"meta"`
	RequestID  string     `json:"request_id"`
	Attempts   []Timeline `json:"attempts"`
	Percentile *float64   `json:"percentile" doc:"Share of its cohort (same model, route, input band, day) at or below the primary's metric, 0 to 1."`
	CohortN    int64      `json:"cohort_n"`
}

// Timeline is one attempt with its stages on the request's time axis.
type Timeline struct {
	Attempt
	OffsetMs float64          `json:"offset_ms" doc:"Start of this attempt's axis after the first attempt's, ms."`
	Spans    []Span           `json:"spans" doc:"Measured stages in time order."`
	Verdict  classify.Verdict `json:"verdict"`
}

// Span is one stage of an attempt, in ms from the attempt's own start.
type Span struct {
	Stage     string  `json:"stage"`
	StartMs   float64 `json:"start_ms"`
	EndMs     float64 `json:"end_ms"`
	Estimated bool    `json:"estimated" doc:"An estimate of the dispatch was part of it."`
}

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

	Timing Timing   `json:"timing"`
	Flags  []string `json:"flags" doc:"Quality flags: what was wrong with the record and removed."`
	Labels []string `json:"labels"`
	Label  string   `json:"label" doc:"First label in checking order, or healthy, or unknown."`
	Stage  *string  `json:"stage" doc:"Stage with the largest share of the total."`
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
