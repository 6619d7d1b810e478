package store

import (
	"time"

	"headway/classify"
	"headway/schema"
)

// requestColumns are the columns of the requests table in the order in which
// rows are sent, each with the buffer that collects it.
func requestColumns() []column {
	cols := identityColumns()
	cols = append(cols, dimensionColumns()...)
	cols = append(cols, timeColumns()...)
	cols = append(cols, numberColumns()...)
	cols = append(cols, verdictColumns()...)
	return append(cols, originColumns()...)
}

func identityColumns() []column {
	return []column{
		instant("created_at", func(r *classify.Row) time.Time { return r.Record.CreatedAt }),
		text("request_id", func(r *classify.Row) string { return r.Record.RequestID }),
		text("trace_id", func(r *classify.Row) string { return r.Record.TraceID }),
		number("attempt", func(r *classify.Row) uint16 { return r.Record.Attempt }),
	}
}

func dimensionColumns() []column {
	return []column{
		text("model", func(r *classify.Row) string { return r.Record.Model }),
		text("route", func(r *classify.Row) string { return r.Record.Route }),
		text("channel", func(r *classify.Row) string { return r.Record.Channel }),
		text("provider", func(r *classify.Row) string { return r.Record.Provider }),
		text("region", func(r *classify.Row) string { return r.Record.Region }),
		text("client_region", func(r *classify.Row) string { return r.Record.ClientRegion }),
		text("gateway", func(r *classify.Row) string { return r.Record.Gateway }),
		text("operation", func(r *classify.Row) string { return r.Record.Operation }),
		text("reasoning_effort", func(r *classify.Row) string { return r.Record.ReasoningEffort }),
		text("error_class", func(r *classify.Row) string { return r.Record.ErrorClass }),
		text("role", func(r *classify.Row) string { return string(r.Record.Role) }),
		text("outcome", func(r *classify.Row) string { return string(r.Record.Outcome) }),
		optional("status", func(r *classify.Row) (uint16, bool) { return uint16(r.Record.Status.Value), r.Record.Status.Valid }),
		yesNo("stream", func(r *classify.Row) schema.Opt[bool] { return r.Record.Stream }),
		yesNo("has_tools", func(r *classify.Row) schema.Opt[bool] { return r.Record.HasTools }),
		yesNo("warmup", func(r *classify.Row) schema.Opt[bool] { return r.Record.Warmup }),
		yesNo("cache_hit", func(r *classify.Row) schema.Opt[bool] { return r.Record.CacheHit }),
		text("input_band", func(r *classify.Row) string { return classify.InputBand(r.Record.InputTokens) }),
		text("source", func(r *classify.Row) string { return r.Record.Source }),
		text("start_point", func(r *classify.Row) string { return string(r.Record.StartPoint) }),
		text("tps_basis", func(r *classify.Row) string { return string(r.Record.Derived.TPSBasis) }),
		text("primary_label", func(r *classify.Row) string { return string(r.Verdict.Primary) }),
		text("stage", func(r *classify.Row) string { return string(r.Verdict.Stage) }),
		list("labels", func(r *classify.Row, to []string) []string {
			for _, l := range r.Verdict.Labels {
				to = append(to, string(l))
			}
			return to
		}),
		list("flags", func(r *classify.Row, to []string) []string { return append(to, r.Record.Flags...) }),
	}
}

func timeColumns() []column {
	return []column{
		span("first_response_us", func(r *schema.Record) schema.Opt[time.Duration] { return r.Timing.FirstResponse }),
		span("first_text_delta_us", func(r *schema.Record) schema.Opt[time.Duration] { return r.Timing.FirstTextDelta }),
		span("upstream_headers_us", func(r *schema.Record) schema.Opt[time.Duration] { return r.Timing.UpstreamHeaders }),
		span("first_sse_event_us", func(r *schema.Record) schema.Opt[time.Duration] { return r.Timing.FirstSSEEvent }),
		span("total_handler_us", func(r *schema.Record) schema.Opt[time.Duration] { return r.Timing.TotalHandler }),
		span("upstream_done_us", func(r *schema.Record) schema.Opt[time.Duration] { return r.Timing.UpstreamDone }),
		span("upstream_start_us", func(r *schema.Record) schema.Opt[time.Duration] { return r.Timing.UpstreamStart }),
		span("dispatch_us", func(r *schema.Record) schema.Opt[time.Duration] { return r.Derived.Dispatch }),
		span("auth_us", func(r *schema.Record) schema.Opt[time.Duration] { return r.Timing.Auth }),
		span("distribution_us", func(r *schema.Record) schema.Opt[time.Duration] { return r.Timing.Distribution }),
		span("body_read_us", func(r *schema.Record) schema.Opt[time.Duration] { return r.Timing.BodyRead }),
		span("tpot_us", func(r *schema.Record) schema.Opt[time.Duration] { return r.Derived.TPOT }),
		span("max_gap_us", func(r *schema.Record) schema.Opt[time.Duration] { return r.MaxGap }),
		span("hedge_after_us", func(r *schema.Record) schema.Opt[time.Duration] { return r.HedgeAfter }),
	}
}

func numberColumns() []column {
	return []column{
		count("input_tokens", func(r *schema.Record) schema.Opt[int64] { return r.InputTokens }),
		count("output_tokens", func(r *schema.Record) schema.Opt[int64] { return r.OutputTokens }),
		count("cached_tokens", func(r *schema.Record) schema.Opt[int64] { return r.CachedTokens }),
		count("reasoning_tokens", func(r *schema.Record) schema.Opt[int64] { return r.ReasoningTokens }),
		count("max_output_tokens", func(r *schema.Record) schema.Opt[int64] { return r.MaxOutputTokens }),
		count("stream_events", func(r *schema.Record) schema.Opt[int64] { return r.StreamEvents }),
		count("text_deltas", func(r *schema.Record) schema.Opt[int64] { return r.TextDeltas }),
		count("channel_inflight", func(r *schema.Record) schema.Opt[int64] { return r.ChannelInflight }),
		rate("tps", func(r *schema.Record) schema.Opt[float64] { return r.Derived.TPS }),
		rate("given_tps", givenApart),
		rate("temperature", func(r *schema.Record) schema.Opt[float64] { return r.Temperature }),
		rate("top_p", func(r *schema.Record) schema.Opt[float64] { return r.TopP }),
	}
}

// givenApart is the recorded rate where the row's rate is not that one; else
// tps holds it already.
func givenApart(r *schema.Record) schema.Opt[float64] {
	if r.Derived.TPSBasis == schema.TPSGiven {
		return schema.Opt[float64]{}
	}
	return r.GivenTPS
}

// Marks of a piece of evidence.
const (
	markCensored  = 1
	markEstimated = 2
)

func marksOf(e classify.Evidence) uint8 {
	var m uint8
	if e.Censored {
		m |= markCensored
	}
	if e.Estimated {
		m |= markEstimated
	}
	return m
}

func verdictColumns() []column {
	return []column{
		evidence("evidence_label", func(e classify.Evidence) string { return string(e.Label) }),
		evidence("evidence_field", func(e classify.Evidence) string { return e.Field }),
		evidence("evidence_value", func(e classify.Evidence) float64 { return e.Value }),
		evidence("evidence_threshold", func(e classify.Evidence) float64 { return e.Threshold }),
		evidence("evidence_marks", marksOf),
		text("rules_version", func(r *classify.Row) string { return r.Verdict.RulesVersion }),
	}
}

func originColumns() []column {
	return []column{
		number("precision_us", func(r *classify.Row) uint32 { return uint32(r.Record.Precision / time.Microsecond) }),
		text("topic", func(r *classify.Row) string { return r.Record.Origin.Topic }),
		number("epoch", func(r *classify.Row) uint32 { return r.Record.Origin.Epoch }),
		number("partition", func(r *classify.Row) int32 { return r.Record.Origin.Partition }),
		number("offset", func(r *classify.Row) int64 { return r.Record.Origin.Offset }),
	}
}
