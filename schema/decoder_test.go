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
		{"blank model", `{"model":"  ","created_at":"2026-11-30T03:00:00Z"}`, ReasonNoModel},
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
			var rec Record
			_, err := newTestDecoder(t, "headway", nil).Decode([]byte(c.msg), arrival, &rec)
			var re *RejectError
			if !errors.As(err, &re) || re.Reason != c.want || re.Remedy == "" {
				t.Fatalf("got %v, want reason %s", err, c.want)
			}
		})
	}
}

func TestDecoderSettings(t *testing.T) {
	src, _ := NewSources().Lookup("headway")
	id := func() string { return "x" }
	for _, c := range []struct {
		name string
		cfg  Config
		want string // part of the error that names the remedy
	}{
		{"no source", Config{NewID: id}, "Sources"},
		{"no id generator", Config{Source: src}, "NewID"},
		{"content mode", Config{Source: src, NewID: id, Content: "keep"}, "drop or reject"},
		{"negative limit", Config{Source: src, NewID: id, MaxBytes: -1}, "0 for the default"},
		{"negative step", Config{Source: src, NewID: id, BaseStep: -1}, "0 for the default"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := NewDecoder(c.cfg); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v does not say %q", err, c.want)
			}
		})
	}
}

func TestPartialRecordsNeedNeitherModelNorTime(t *testing.T) {
	d := newTestDecoder(t, "headway", func(c *Config) { c.Partial = true })
	for _, msg := range []string{`{}`, `{"other":{"timing":{"upstream_headers_ms":6100}}}`, `{"created_at":"2001-01-01T00:00:00Z"}`,
		`{"created_at":"2999-01-01T00:00:00Z"}`, `{"created_at":"2026-01-01T00:00:00"}`} {
		var rec Record
		if _, err := d.Decode([]byte(msg), arrival, &rec); err != nil || rec.Flagged(FlagClockSkew) {
			t.Errorf("%s: %v, flags %v", msg, err, rec.Flags)
		}
	}
	if _, err := d.Decode([]byte(`[]`), arrival, new(Record)); err == nil {
		t.Error("an array is no record")
	}
}

func TestZoneSettingGivesZonelessTimesAMeaning(t *testing.T) {
	d := newTestDecoder(t, "headway", func(c *Config) { c.Zone = time.FixedZone("", -3600) })
	var rec Record
	if _, err := d.Decode([]byte(`{"model":"m","created_at":"2026-11-30T02:00:00"}`), arrival, &rec); err != nil {
		t.Fatal(err)
	}
	if want := arrival.Add(-time.Second); !rec.CreatedAt.Equal(want) || rec.CreatedAt.Location() != time.UTC {
		t.Errorf("time %s, want %s", rec.CreatedAt, want)
	}
}

func TestAHundredRowsWithoutIDStayAHundred(t *testing.T) {
	d, seen := newTestDecoder(t, "headway", nil), NewDuplicates(0)
	for i := range 100 {
		var rec Record
		if _, err := d.Decode([]byte(`{"request_id":"","model":"m","created_at":"2026-11-30T03:00:00Z"}`), arrival, &rec); err != nil {
			t.Fatal(err)
		}
		if !rec.Flagged(FlagIDMissing) || seen.Seen(KeyOf(&rec), arrival) {
			t.Fatalf("row %d is taken for another: %+v", i, rec)
		}
	}
}

// TestPoisonedNumbers: a megabyte of digits is a number, and soon read.
func TestPoisonedNumbers(t *testing.T) {
	digits := strings.Repeat("9", DefaultMaxBytes-200)
	for _, c := range []struct {
		name, number string
		want         Opt[time.Duration]
	}{
		{"whole", digits, Opt[time.Duration]{}},
		{"fraction", "0." + digits, Some(time.Millisecond)},
		{"small exponent", "1e-" + digits, Some(time.Duration(0))},
		{"large exponent", "1e" + digits, Opt[time.Duration]{}},
		{"zeros", "7." + strings.Repeat("0", len(digits)), Some(7 * time.Millisecond)},
	} {
		t.Run(c.name, func(t *testing.T) {
			var rec Record
			msg := `{"model":"m","created_at":"2026-11-30T03:00:00Z","temperature":` + c.number[:100] + `,"other":{"timing":{"auth_ms":` + c.number + `}}}`
			if _, err := newTestDecoder(t, "headway", nil).Decode([]byte(msg), arrival, &rec); err != nil {
				t.Fatal(err)
			}
			if rec.Timing.Auth != c.want || rec.Flagged("bad_value:auth_ms") == c.want.Valid {
				t.Errorf("read %v, flags %v", rec.Timing.Auth, rec.Flags)
			}
		})
	}
}

func TestDecodeKeepsNothingOfTheMessage(t *testing.T) {
	d := newTestDecoder(t, "headway", nil)
	msg := []byte(strings.Replace(example, `"trace_id":null`, `"trace_id":"tr-1"`, 1))
	var rec Record
	if _, err := d.Decode(msg, arrival, &rec); err != nil {
		t.Fatal(err)
	}
	want := string(AppendJSON(nil, &rec))
	for i := range msg {
		msg[i] = '#'
	}
	var next Record
	if _, err := d.Decode([]byte(`{"request_id":"other","model":"n","gateway":"h","created_at":"2026-11-30T03:00:00Z"}`), arrival, &next); err != nil {
		t.Fatal(err)
	}
	if got := string(AppendJSON(nil, &rec)); got != want {
		t.Errorf("the record changed with the message:\n%s\n%s", got, want)
	}
}

func TestDecodeAllocatesOnlyTheID(t *testing.T) {
	d, msg := newTestDecoder(t, "headway", nil), []byte(example)
	var rec Record
	if n := testing.AllocsPerRun(100, func() {
		if _, err := d.Decode(msg, arrival, &rec); err != nil {
			t.Fatal(err)
		}
	}); n > 1 {
		t.Errorf("%v allocations a record, want 1", n)
	}
}

func TestEveryReasonHasARemedy(t *testing.T) {
	for _, r := range []Reason{ReasonNotJSON, ReasonNotObject, ReasonNoTime, ReasonTimeWithoutZone, ReasonNoModel, ReasonTooLarge,
		ReasonTooDeep, ReasonExpired, ReasonContent, ReasonUnknownSource, ReasonUnknownVersion, ReasonBadRow, ReasonEmpty, ReasonRefused, ReasonUnreadable} {
		if got := reject(r).Error(); !strings.HasPrefix(got, string(r)+": ") || strings.Contains(got, "see the documentation") {
			t.Errorf("%s: %q", r, got)
		}
	}
}

// TestReferenceTraces: the traces of record.md read as their table says.
func TestReferenceTraces(t *testing.T) {
	for _, c := range []struct {
		trace string
		want  Timing
		tps   float64
	}{
		{"a", Timing{UpstreamHeaders: ms(6100), FirstSSEEvent: ms(6300), FirstResponse: ms(6350), FirstTextDelta: ms(6400), TotalHandler: ms(9200)}, 42},
		{"b", Timing{UpstreamHeaders: ms(240), FirstSSEEvent: ms(310), FirstResponse: ms(2900), FirstTextDelta: ms(8700), TotalHandler: ms(10200)}, 55},
		{"c", Timing{UpstreamHeaders: ms(260), FirstSSEEvent: ms(330), FirstResponse: ms(420), FirstTextDelta: ms(430), TotalHandler: ms(20430)}, 9.8},
	} {
		t.Run(c.trace, func(t *testing.T) {
			rec := readFile(t, "headway", "testdata/trace_"+c.trace+".json", nil)[0]
			if rec.Timing != c.want || rec.Derived.TPS != Some(c.tps) || rec.Derived.TPSBasis != TPSGiven || rec.Flags != nil {
				t.Errorf("%+v", rec)
			}
		})
	}
}
