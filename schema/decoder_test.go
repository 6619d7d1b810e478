package schema

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
)

// example is the canonical record of the specification.
const example = `{"v":1,"request_id":"01J0EXAMPLE","attempt":0,"role":"primary","created_at":"2026-11-30T03:00:00.123Z","gateway":"gw-1",
 "model":"gpt-4o-mini","route":"default","channel":"ch-12","provider":"openai","region":"us-east-1",
 "operation":"chat","stream":true,"reasoning_effort":"low","has_tools":false,"max_output_tokens":1024,
 "status":200,"outcome":"completed","error_class":null,
 "input_tokens":812,"output_tokens":230,"cached_tokens":0,"reasoning_tokens":0,
 "stream_events":241,"text_deltas":230,"max_gap_ms":310,"channel_inflight":12,"trace_id":null,
 "hedge_after_ms":null,
 "temperature":0.2,"top_p":null,"warmup":false,"client_region":"eu",
 "other":{"timing":{"upstream_start_ms":5.1,"auth_ms":1.2,"distribution_ms":0.4,"body_read_ms":3.1,"upstream_headers_ms":240,
   "first_sse_event_ms":310,"first_response_ms":420,"first_text_delta_ms":430,"upstream_done_ms":9800,
   "total_handler_ms":9810,"visible_output_tps":24.5}}}`

// arrival is when the tests' messages arrive.
var arrival = time.Date(2026, 11, 30, 3, 0, 1, 0, time.UTC)

// newTestDecoder returns a decoder of a source; ids count up from gen-1.
func newTestDecoder(t testing.TB, source string, change func(*Config)) *Decoder {
	t.Helper()
	src, err := NewSources().Need(source)
	if err != nil {
		t.Fatal(err)
	}
	ids := 0
	cfg := Config{Source: src, NewID: func() string { ids++; return fmt.Sprintf("gen-%d", ids) }}
	if change != nil {
		change(&cfg)
	}
	d, err := NewDecoder(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func ms(f float64) Opt[time.Duration] {
	return Some(time.Duration(math.Round(f*1000)) * time.Microsecond)
}

func TestDecodeReadsEveryFieldOfTheExample(t *testing.T) {
	want := Record{
		Origin: Origin{Topic: "t", Partition: 3, Offset: 7},
		Source: "headway", StartPoint: StartHandler, Precision: time.Microsecond,
		RequestID: "01J0EXAMPLE", Role: RolePrimary,
		CreatedAt: time.Date(2026, 11, 30, 3, 0, 0, 123e6, time.UTC),
		Gateway:   "gw-1", Model: "gpt-4o-mini", Route: "default", Channel: "ch-12", Provider: "openai", Region: "us-east-1", ClientRegion: "eu",
		Operation: "chat", ReasoningEffort: "low", Outcome: OutcomeCompleted, Status: Some[int32](200),
		Stream: Some(true), HasTools: Some(false), Warmup: Some(false),
		MaxOutputTokens: Some[int64](1024), InputTokens: Some[int64](812), OutputTokens: Some[int64](230),
		CachedTokens: Some[int64](0), ReasoningTokens: Some[int64](0), StreamEvents: Some[int64](241), TextDeltas: Some[int64](230),
		ChannelInflight: Some[int64](12), Temperature: Some(0.2), MaxGap: ms(310), GivenTPS: Some(24.5),
		Timing: Timing{UpstreamStart: ms(5.1), Auth: ms(1.2), Distribution: ms(0.4), BodyRead: ms(3.1), UpstreamHeaders: ms(240),
			FirstSSEEvent: ms(310), FirstResponse: ms(420), FirstTextDelta: ms(430), UpstreamDone: ms(9800), TotalHandler: ms(9810)},
		Derived: Derived{TPS: Some(24.5), TPSBasis: TPSGiven, TPOT: Some(40917 * time.Microsecond),
			Dispatch: ms(5.1), DispatchGiven: true, VisibleTokens: Some[int64](230)},
	}
	asString := example[:strings.Index(example, `{"timing"`)] +
		`"` + strings.NewReplacer(`"`, `\"`, "\n", `\n`).Replace(example[strings.Index(example, `{"timing"`):len(example)-1]) + `"}`
	for name, msg := range map[string]string{"other as object": example, "other as string": asString} {
		t.Run(name, func(t *testing.T) {
			got := Record{Origin: want.Origin, Model: "left over", Flags: []string{"left over"}}
			dropped, err := newTestDecoder(t, "headway", nil).Decode([]byte(msg), arrival, &got)
			if err != nil || dropped != 0 {
				t.Fatalf("Decode = %d, %v", dropped, err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

func TestDecodeRejects(t *testing.T) {
	deep := strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000)
	for _, c := range []struct {
		name, msg string
		want      Reason
	}{
		{"empty", "", ReasonEmpty},
		{"white space", " \n\t", ReasonEmpty},
		{"not json", `prompt: hi`, ReasonNotJSON},
		{"cut off", example[:len(example)-1], ReasonNotJSON},
		{"two objects", example + example, ReasonNotJSON},
		{"trailing comma", `{"model":"m",}`, ReasonNotJSON},
		{"raw control character", "{\"model\":\"a\x01b\"}", ReasonNotJSON},
		{"array", `[` + example + `]`, ReasonNotObject},
		{"string", `"x"`, ReasonNotObject},
		{"null", `null`, ReasonNotObject},
		{"no time", `{"model":"m"}`, ReasonNoTime},
		{"null time", `{"model":"m","created_at":null}`, ReasonNoTime},
		{"number as time", `{"model":"m","created_at":1764471600}`, ReasonNoTime},
		{"zero time", `{"model":"m","created_at":"0001-01-01T00:00:00Z"}`, ReasonNoTime},
		{"no such day", `{"model":"m","created_at":"2026-02-30T00:00:00Z"}`, ReasonNoTime},
		{"no zone", `{"model":"m","created_at":"2026-11-30T03:00:00"}`, ReasonTimeWithoutZone},
		{"no model", `{"created_at":"2026-11-30T03:00:00Z"}`, ReasonNoModel},
		{"blank model", `{"model":" \t","created_at":"2026-11-30T03:00:00Z"}`, ReasonNoModel},
		{"blank escaped model", `{"model":" \t ","created_at":"2026-11-30T03:00:00Z"}`, ReasonNoModel},
		{"number as model", `{"model":4,"created_at":"2026-11-30T03:00:00Z"}`, ReasonNoModel},
		{"too large", `{"model":"` + strings.Repeat("m", DefaultMaxBytes) + `"}`, ReasonTooLarge},
		{"16 MB", strings.Repeat("x", 16<<20), ReasonTooLarge},
		{"depth 10000", `{"x":` + deep + `}`, ReasonTooDeep},
		{"bare depth 10000", deep, ReasonTooDeep},
		{"expired", `{"model":"m","created_at":"2026-08-30T00:00:00Z"}`, ReasonExpired},
		{"version 2", `{"v":2,"model":"m","created_at":"2026-11-30T03:00:00Z"}`, ReasonUnknownVersion},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "blank model" {
				c.msg = strings.Replace(c.msg, `\t`, ` `, 1)
			}
			var rec Record
			_, err := newTestDecoder(t, "headway", nil).Decode([]byte(c.msg), arrival, &rec)
			var re *RejectError
			if !errors.As(err, &re) || re.Reason != c.want || re.Remedy == "" {
				t.Fatalf("got %v, want reason %s", err, c.want)
			}
		})
	}
}
