package schema

import (
	"encoding/json"
	"testing"
	"time"
)

// plainRecord is the canonical JSON for encoding/json, pointers for what may
// be missing.
type plainRecord struct {
	V               int      `json:"v"`
	RequestID       string   `json:"request_id"`
	Attempt         uint16   `json:"attempt"`
	Role            string   `json:"role"`
	CreatedAt       string   `json:"created_at"`
	Gateway         string   `json:"gateway"`
	Model           string   `json:"model"`
	Route           string   `json:"route"`
	Channel         string   `json:"channel"`
	Provider        string   `json:"provider"`
	Region          string   `json:"region"`
	ClientRegion    string   `json:"client_region"`
	Operation       string   `json:"operation"`
	ReasoningEffort string   `json:"reasoning_effort"`
	ErrorClass      string   `json:"error_class"`
	TraceID         string   `json:"trace_id"`
	Outcome         string   `json:"outcome"`
	Stream          *bool    `json:"stream"`
	HasTools        *bool    `json:"has_tools"`
	Warmup          *bool    `json:"warmup"`
	CacheHit        *bool    `json:"cache_hit"`
	Status          *int32   `json:"status"`
	MaxOutputTokens *int64   `json:"max_output_tokens"`
	InputTokens     *int64   `json:"input_tokens"`
	OutputTokens    *int64   `json:"output_tokens"`
	CachedTokens    *int64   `json:"cached_tokens"`
	ReasoningTokens *int64   `json:"reasoning_tokens"`
	StreamEvents    *int64   `json:"stream_events"`
	TextDeltas      *int64   `json:"text_deltas"`
	ChannelInflight *int64   `json:"channel_inflight"`
	Temperature     *float64 `json:"temperature"`
	TopP            *float64 `json:"top_p"`
	MaxGap          *float64 `json:"max_gap_ms"`
	HedgeAfter      *float64 `json:"hedge_after_ms"`
	Other           struct {
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
	} `json:"other"`
}

// decodePlain does with encoding/json what Decode does: the same fields, the
// same validation and derivation.
func decodePlain(msg []byte, rec *Record) error {
	var p plainRecord
	if err := json.Unmarshal(msg, &p); err != nil {
		return err
	}
	at, err := time.Parse(time.RFC3339Nano, p.CreatedAt)
	if err != nil {
		return err
	}
	*rec = Record{Source: "headway", StartPoint: StartHandler, Precision: time.Microsecond, CreatedAt: at.UTC().Truncate(time.Millisecond),
		RequestID: p.RequestID, TraceID: p.TraceID, Attempt: p.Attempt, Role: Role(p.Role), Gateway: p.Gateway, Model: p.Model,
		Route: p.Route, Channel: p.Channel, Provider: p.Provider, Region: p.Region, ClientRegion: p.ClientRegion, Operation: p.Operation,
		ReasoningEffort: p.ReasoningEffort, ErrorClass: p.ErrorClass, Outcome: Outcome(p.Outcome), Stream: opt(p.Stream),
		HasTools: opt(p.HasTools), Warmup: opt(p.Warmup), CacheHit: opt(p.CacheHit), Status: opt(p.Status),
		MaxOutputTokens: opt(p.MaxOutputTokens), InputTokens: opt(p.InputTokens), OutputTokens: opt(p.OutputTokens),
		CachedTokens: opt(p.CachedTokens), ReasoningTokens: opt(p.ReasoningTokens), StreamEvents: opt(p.StreamEvents),
		TextDeltas: opt(p.TextDeltas), ChannelInflight: opt(p.ChannelInflight), Temperature: opt(p.Temperature), TopP: opt(p.TopP),
		MaxGap: span(p.MaxGap), HedgeAfter: span(p.HedgeAfter), GivenTPS: opt(p.Other.Timing.TPS)}
	t := &p.Other.Timing
	rec.Timing = Timing{span(t.UpstreamStart), span(t.Auth), span(t.Distribution), span(t.BodyRead), span(t.UpstreamHeaders),
		span(t.FirstSSEEvent), span(t.FirstResponse), span(t.FirstTextDelta), span(t.UpstreamDone), span(t.TotalHandler)}
	validate(rec)
	rec.Derived = Derive(rec)
	return nil
}

func opt[T any](p *T) Opt[T] {
	if p == nil {
		return Opt[T]{}
	}
	return Some(*p)
}

func span(p *float64) Opt[time.Duration] {
	if p == nil {
		return Opt[time.Duration]{}
	}
	return ms(*p)
}

func TestDecodePlainAgreesWithDecode(t *testing.T) {
	var a, b Record
	if _, err := newTestDecoder(t, "headway", nil).Decode([]byte(example), arrival, &a); err != nil {
		t.Fatal(err)
	}
	if err := decodePlain([]byte(example), &b); err != nil {
		t.Fatal(err)
	}
	if string(AppendJSON(nil, &a)) != string(AppendJSON(nil, &b)) || a.Derived != b.Derived {
		t.Errorf("the benchmark's peer reads another record:\n%s\n%s", AppendJSON(nil, &a), AppendJSON(nil, &b))
	}
}

func compact(b *testing.B) []byte {
	var rec Record
	if _, err := newTestDecoder(b, "headway", nil).Decode([]byte(example), arrival, &rec); err != nil {
		b.Fatal(err)
	}
	return AppendJSON(nil, &rec)
}

func BenchmarkDecode(b *testing.B) {
	msg, d := compact(b), newTestDecoder(b, "headway", nil)
	var rec Record
	b.SetBytes(int64(len(msg)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := d.Decode(msg, arrival, &rec); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDecodeEncodingJSON also prints how many times as long as Decode
// it takes in the same run.
func BenchmarkDecodeEncodingJSON(b *testing.B) {
	msg := compact(b)
	var rec Record
	b.SetBytes(int64(len(msg)))
	b.ReportAllocs()
	for b.Loop() {
		if err := decodePlain(msg, &rec); err != nil {
			b.Fatal(err)
		}
	}
	peer := b.Elapsed().Seconds() / float64(b.N)
	d, start := newTestDecoder(b, "headway", nil), time.Now()
	for range b.N {
		if _, err := d.Decode(msg, arrival, &rec); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(peer/(time.Since(start).Seconds()/float64(b.N)), "times-Decode")
}

func BenchmarkAppendJSON(b *testing.B) {
	var rec Record
	if _, err := newTestDecoder(b, "headway", nil).Decode([]byte(example), arrival, &rec); err != nil {
		b.Fatal(err)
	}
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = AppendJSON(buf[:0], &rec)
	}
}
