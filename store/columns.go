package store

import (
	"time"

	"github.com/ClickHouse/ch-go/proto"

	"headway/classify"
	"headway/schema"
)

// requestColumns are the columns of the requests table in the order in which
// rows are sent, each with the values collected so far.
func requestColumns() []field {
	cols := identityColumns()
	cols = append(cols, dimensionColumns()...)
	cols = append(cols, timeColumns()...)
	cols = append(cols, numberColumns()...)
	cols = append(cols, verdictColumns()...)
	return append(cols, originColumns()...)
}

func identityColumns() []field {
	return []field{
		instant("created_at", func(r *classify.Row) time.Time { return r.Record.CreatedAt }),
		text("request_id", func(r *classify.Row) string { return r.Record.RequestID }),
		text("trace_id", func(r *classify.Row) string { return r.Record.TraceID }),
		number[uint16, proto.ColUInt16]("attempt", 2, func(r *classify.Row) uint16 { return r.Record.Attempt }),
	}
}

func dimensionColumns() []field {
	return []field{
		word("model", func(r *classify.Row) string { return r.Record.Model }),
		word("route", func(r *classify.Row) string { return r.Record.Route }),
		word("channel", func(r *classify.Row) string { return r.Record.Channel }),
		word("provider", func(r *classify.Row) string { return r.Record.Provider }),
		word("region", func(r *classify.Row) string { return r.Record.Region }),
		word("client_region", func(r *classify.Row) string { return r.Record.ClientRegion }),
		word("gateway", func(r *classify.Row) string { return r.Record.Gateway }),
		word("operation", func(r *classify.Row) string { return r.Record.Operation }),
		word("reasoning_effort", func(r *classify.Row) string { return r.Record.ReasoningEffort }),
		word("error_class", func(r *classify.Row) string { return r.Record.ErrorClass }),
		word("role", func(r *classify.Row) string { return string(r.Record.Role) }),
		word("outcome", func(r *classify.Row) string { return string(r.Record.Outcome) }),
		optional[uint16, proto.ColUInt16]("status", 2, func(r *classify.Row) (uint16, bool) { return uint16(r.Record.Status.Value), r.Record.Status.Valid }),
		yesNo("stream", func(r *classify.Row) schema.Opt[bool] { return r.Record.Stream }),
		yesNo("has_tools", func(r *classify.Row) schema.Opt[bool] { return r.Record.HasTools }),
		yesNo("warmup", func(r *classify.Row) schema.Opt[bool] { return r.Record.Warmup }),
		yesNo("cache_hit", func(r *classify.Row) schema.Opt[bool] { return r.Record.CacheHit }),
		word("input_band", func(r *classify.Row) string { return classify.InputBand(r.Record.InputTokens) }),
		word("source", func(r *classify.Row) string { return r.Record.Source }),
		word("start_point", func(r *classify.Row) string { return string(r.Record.StartPoint) }),
		word("tps_basis", func(r *classify.Row) string { return string(r.Record.Derived.TPSBasis) }),
		word("primary_label", func(r *classify.Row) string { return string(r.Verdict.Primary) }),
		word("stage", func(r *classify.Row) string { return string(r.Verdict.Stage) }),
		list("labels", func(r *classify.Row) int { return len(r.Verdict.Labels) }, func(r *classify.Row, i int) string { return string(r.Verdict.Labels[i]) }),
		list("flags", func(r *classify.Row) int { return len(r.Record.Flags) }, func(r *classify.Row, i int) string { return r.Record.Flags[i] }),
	}
}

func timeColumns() []field {
	return []field{
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

func numberColumns() []field {
	return []field{
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

// verdictColumns are the verdict's; a row's pieces of evidence lie across five
// arrays of one length.
func verdictColumns() []field {
	ends := new(proto.ColUInt64)
	count := func(r *classify.Row) int { return len(r.Verdict.Evidence) }
	part := func(name string, items elements, put func(classify.Evidence)) field {
		return field{name, &lists{ends: ends, items: items, count: count, each: func(r *classify.Row, i int) { put(r.Verdict.Evidence[i]) }}}
	}
	labels, fields := &words{}, &words{}
	values, thresholds := &numbers[float64, proto.ColFloat64]{size: 8}, &numbers[float64, proto.ColFloat64]{size: 8}
	marks := &numbers[uint8, proto.ColUInt8]{size: 1}
	cols := []field{
		part("evidence_label", labels, func(e classify.Evidence) { labels.put(string(e.Label)) }),
		part("evidence_field", fields, func(e classify.Evidence) { fields.put(e.Field) }),
		part("evidence_value", values, func(e classify.Evidence) { values.vals = append(values.vals, e.Value) }),
		part("evidence_threshold", thresholds, func(e classify.Evidence) { thresholds.vals = append(thresholds.vals, e.Threshold) }),
		part("evidence_marks", marks, func(e classify.Evidence) { marks.vals = append(marks.vals, marksOf(e)) }),
	}
	cols[0].column.(*lists).lead = true
	return append(cols, word("rules_version", func(r *classify.Row) string { return r.Verdict.RulesVersion }))
}

func originColumns() []field {
	return []field{
		number[uint32, proto.ColUInt32]("precision_us", 4, func(r *classify.Row) uint32 { return uint32(r.Record.Precision / time.Microsecond) }),
		word("topic", func(r *classify.Row) string { return r.Record.Origin.Topic }),
		number[uint32, proto.ColUInt32]("epoch", 4, func(r *classify.Row) uint32 { return r.Record.Origin.Epoch }),
		number[int32, proto.ColInt32]("partition", 4, func(r *classify.Row) int32 { return r.Record.Origin.Partition }),
		number[int64, proto.ColInt64]("offset", 8, func(r *classify.Row) int64 { return r.Record.Origin.Offset }),
	}
}
