package store_test

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"headway/classify"
	"headway/schema"
)

// line writes values as JSONEachRow has them, bytes as they are.
type line struct{ bytes.Buffer }

func (l *line) key(name string) {
	if l.Len() > 1 {
		l.WriteByte(',')
	}
	l.WriteString(`"` + name + `":`)
}

func quoted(s string) string {
	var out strings.Builder
	out.WriteByte('"')
	for i := range len(s) {
		switch b := s[i]; {
		case b == '"' || b == '\\':
			out.WriteByte('\\')
			out.WriteByte(b)
		case b < 0x20:
			fmt.Fprintf(&out, `\u%04x`, b)
		default:
			out.WriteByte(b)
		}
	}
	out.WriteByte('"')
	return out.String()
}

func float(f float64) string {
	switch {
	case math.IsNaN(f):
		return `"nan"`
	case math.IsInf(f, 0):
		return strings.ToLower(strconv.Quote(strings.TrimPrefix(strconv.FormatFloat(f, 'g', -1, 64), "+")))
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

func array[T any](of []T, write func(T) string) string {
	texts := make([]string, len(of))
	for i := range of {
		texts[i] = write(of[i])
	}
	return "[" + strings.Join(texts, ",") + "]"
}

func (l *line) text(name, s string) { l.key(name); l.WriteString(quoted(s)) }
func (l *line) raw(name string, v any) {
	l.key(name)
	fmt.Fprint(l, v)
}
func (l *line) maybe(name string, ok bool, v any) {
	if !ok {
		v = "null"
	}
	l.raw(name, v)
}
func (l *line) span(name string, d schema.Opt[time.Duration]) {
	l.maybe(name, d.Valid && d.Value >= 0, d.Value.Microseconds())
}
func (l *line) yes(name string, b schema.Opt[bool]) { l.maybe(name, b.Valid, b.Value) }
func (l *line) count(name string, n schema.Opt[int64]) {
	l.maybe(name, n.Valid && n.Value >= 0 && n.Value < 1<<32, n.Value)
}
func (l *line) rate(name string, f schema.Opt[float64]) {
	l.maybe(name, f.Valid && !math.IsNaN(f.Value) && !math.IsInf(f.Value, 0), float(f.Value))
}

// jsonOf is a row as another client would insert it.
func jsonOf(w classify.Row) []byte {
	r, v := &w.Record, &w.Verdict
	l := &line{}
	l.WriteByte('{')
	l.raw("created_at", fmt.Sprintf(`"%s"`, r.CreatedAt.UTC().Format("2006-01-02 15:04:05.000")))
	for _, t := range []struct{ name, v string }{
		{"request_id", r.RequestID}, {"trace_id", r.TraceID}, {"model", r.Model}, {"route", r.Route}, {"channel", r.Channel}, {"provider", r.Provider},
		{"region", r.Region}, {"client_region", r.ClientRegion}, {"gateway", r.Gateway}, {"operation", r.Operation},
		{"reasoning_effort", r.ReasoningEffort}, {"error_class", r.ErrorClass}, {"role", string(r.Role)}, {"outcome", string(r.Outcome)},
		{"input_band", classify.InputBand(r.InputTokens)}, {"source", r.Source}, {"start_point", string(r.StartPoint)},
		{"tps_basis", string(r.Derived.TPSBasis)}, {"primary_label", string(v.Primary)}, {"stage", string(v.Stage)}, {"rules_version", v.RulesVersion},
		{"topic", r.Origin.Topic},
	} {
		l.text(t.name, t.v)
	}
	l.raw("attempt", r.Attempt)
	l.maybe("status", r.Status.Valid, r.Status.Value)
	l.yes("stream", r.Stream)
	l.yes("has_tools", r.HasTools)
	l.yes("warmup", r.Warmup)
	l.yes("cache_hit", r.CacheHit)
	l.raw("labels", array(v.Labels, func(s classify.Label) string { return quoted(string(s)) }))
	l.raw("flags", array(r.Flags, quoted))
	for _, d := range []struct {
		name string
		v    schema.Opt[time.Duration]
	}{
		{"first_response_us", r.Timing.FirstResponse}, {"first_text_delta_us", r.Timing.FirstTextDelta}, {"upstream_headers_us", r.Timing.UpstreamHeaders},
		{"first_sse_event_us", r.Timing.FirstSSEEvent}, {"total_handler_us", r.Timing.TotalHandler}, {"upstream_done_us", r.Timing.UpstreamDone},
		{"upstream_start_us", r.Timing.UpstreamStart}, {"dispatch_us", r.Derived.Dispatch}, {"auth_us", r.Timing.Auth},
		{"distribution_us", r.Timing.Distribution}, {"body_read_us", r.Timing.BodyRead}, {"tpot_us", r.Derived.TPOT},
		{"max_gap_us", r.MaxGap}, {"hedge_after_us", r.HedgeAfter},
	} {
		l.span(d.name, d.v)
	}
	for _, n := range []struct {
		name string
		v    schema.Opt[int64]
	}{
		{"input_tokens", r.InputTokens}, {"output_tokens", r.OutputTokens}, {"cached_tokens", r.CachedTokens}, {"reasoning_tokens", r.ReasoningTokens},
		{"max_output_tokens", r.MaxOutputTokens}, {"stream_events", r.StreamEvents}, {"text_deltas", r.TextDeltas}, {"channel_inflight", r.ChannelInflight},
	} {
		l.count(n.name, n.v)
	}
	l.rate("tps", r.Derived.TPS)
	given := r.GivenTPS
	given.Valid = given.Valid && r.Derived.TPSBasis != schema.TPSGiven
	l.rate("given_tps", given)
	l.rate("temperature", r.Temperature)
	l.rate("top_p", r.TopP)
	l.raw("evidence_label", array(v.Evidence, func(e classify.Evidence) string { return quoted(string(e.Label)) }))
	l.raw("evidence_field", array(v.Evidence, func(e classify.Evidence) string { return quoted(e.Field) }))
	l.raw("evidence_value", array(v.Evidence, func(e classify.Evidence) string { return float(e.Value) }))
	l.raw("evidence_threshold", array(v.Evidence, func(e classify.Evidence) string { return float(e.Threshold) }))
	l.raw("evidence_marks", array(v.Evidence, func(e classify.Evidence) string {
		marks := 0
		if e.Censored {
			marks++
		}
		if e.Estimated {
			marks += 2
		}
		return strconv.Itoa(marks)
	}))
	l.raw("precision_us", int64(r.Precision/time.Microsecond))
	l.raw("epoch", r.Origin.Epoch)
	l.raw("partition", r.Origin.Partition)
	l.raw("offset", r.Origin.Offset)
	l.WriteString("}\n")
	return l.Bytes()
}
