package main

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"headway/schema"
)

const good = `{"v":1,"request_id":"r-1","attempt":2,"role":"retry","created_at":"2026-11-30T11:00:00.123Z","model":"m","route":"x",` +
	`"stream":true,"status":200,"outcome":"completed","input_tokens":812,"output_tokens":230,"reasoning_tokens":0,"max_gap_ms":310,` +
	`"temperature":0.2,"top_p":null,"hedge_after_ms":null,"other":{"timing":{"auth_ms":1.2,"upstream_headers_ms":240,` +
	`"first_sse_event_ms":310,"first_response_ms":420,"first_text_delta_ms":430,"upstream_done_ms":9800,"total_handler_ms":9810}}}`

// with is good with one text replaced, for a test that fails where there is
// no such text.
func with(old, text string) string {
	if !strings.Contains(good, old) {
		panic(old)
	}
	return strings.Replace(good, old, text, 1)
}

// unusual are messages that a decoder must mend, flag or refuse. Not among
// them: a key that comes twice with a bad value first, which Headway flags and
// libraries that fill structs can't see, and keys in another case, which
// encoding/json takes.
var unusual = map[string]string{
	"empty":                   "",
	"white space":             " \n",
	"not json":                "prompt: hi",
	"cut off":                 good[:len(good)-1],
	"two objects":             good + good,
	"garbage after":           good + " x",
	"trailing comma":          with(`9810}}}`, `9810}},}`),
	"array":                   "[" + good + "]",
	"string":                  `"x"`,
	"null":                    "null",
	"control character":       with(`"model":"m"`, "\"model\":\"a\x01b\""),
	"escaped control":         with(`"model":"m"`, `"model":"a\u0001b"`),
	"invalid UTF-8":           with(`"model":"m"`, "\"model\":\"\xff\xc3\x28\""),
	"lone surrogate":          with(`"model":"m"`, `"model":"\ud800"`),
	"other letters":           with(`"model":"m"`, `"model":"模型"`),
	"escaped quote":           with(`"model":"m"`, `"model":"a\"b"`),
	"long model":              with(`"model":"m"`, `"model":"`+strings.Repeat("m", 200)+`"`),
	"blank model":             with(`"model":"m"`, `"model":"  "`),
	"no model":                with(`"model":"m",`, ""),
	"number as model":         with(`"model":"m"`, `"model":4`),
	"no time":                 with(`"created_at":"2026-11-30T11:00:00.123Z",`, ""),
	"no zone":                 with("00.123Z", "00.123"),
	"no such day":             with("11-30T", "11-31T"),
	"expired":                 with("2026-11-30T", "2025-11-30T"),
	"ahead":                   with("2026-11-30T", "2026-12-30T"),
	"other zone":              with("00.123Z", "00.123456+01:00"),
	"number as time":          with(`"2026-11-30T11:00:00.123Z"`, "1764471600"),
	"version 2":               with(`"v":1`, `"v":2`),
	"version as text":         with(`"v":1`, `"v":"1"`),
	"null version":            with(`"v":1`, `"v":null`),
	"no id":                   with(`"request_id":"r-1",`, ""),
	"id with role":            with(`"r-1"`, `"r-1-backup"`),
	"attempt too high":        with(`"attempt":2`, `"attempt":70000`),
	"unknown role":            with(`"role":"retry"`, `"role":"spare"`),
	"unknown outcome":         with(`"completed"`, `"finished"`),
	"status out of range":     with(`"status":200`, `"status":20`),
	"status as text":          with(`"status":200`, `"status":"200"`),
	"status with exponent":    with(`"status":200`, `"status":2e2`),
	"negative tokens":         with(`"input_tokens":812`, `"input_tokens":-1`),
	"half a token":            with(`"input_tokens":812`, `"input_tokens":0.5`),
	"whole as a fraction":     with(`"input_tokens":812`, `"input_tokens":812.0`),
	"too many tokens":         with(`"input_tokens":812`, `"input_tokens":3000000000`),
	"a number of 400 digits":  with(`"input_tokens":812`, `"input_tokens":1`+strings.Repeat("0", 400)),
	"leading zero":            with(`"input_tokens":812`, `"input_tokens":0812`),
	"bare point":              with(`"auth_ms":1.2`, `"auth_ms":1.`),
	"negative time":           with(`"auth_ms":1.2`, `"auth_ms":-1.2`),
	"a day and more":          with(`"auth_ms":1.2`, `"auth_ms":86400001`),
	"infinite time":           with(`"auth_ms":1.2`, `"auth_ms":1e999`),
	"NaN":                     with(`"auth_ms":1.2`, `"auth_ms":NaN`),
	"text as time":            with(`"auth_ms":1.2`, `"auth_ms":"1.2"`),
	"bool as temperature":     with(`"temperature":0.2`, `"temperature":true`),
	"negative temperature":    with(`"temperature":0.2`, `"temperature":-0.2`),
	"text as bool":            with(`"stream":true`, `"stream":"true"`),
	"number as bool":          with(`"stream":true`, `"stream":1`),
	"not streamed":            with(`"stream":true`, `"stream":false`),
	"order":                   with(`"first_response_ms":420`, `"first_response_ms":1`),
	"end before the start":    with(`"total_handler_ms":9810`, `"total_handler_ms":5`),
	"buffered":                with(`"first_sse_event_ms":310,"first_response_ms":420,"first_text_delta_ms":430`, `"first_sse_event_ms":9799,"first_response_ms":9799.5`),
	"all zero":                with(good[strings.Index(good, `{"auth_ms"`):], `{"auth_ms":0,"first_response_ms":0}}}`),
	"content":                 with(`"v":1`, `"v":1,"messages":[{"content":"secret"}]`),
	"unknown key":             with(`"v":1`, `"v":1,"extra":{"a":[1,2]}`),
	"unknown key in other":    with(`"timing":`, `"extra":1,"timing":`),
	"unknown key in timing":   with(`"auth_ms":1.2`, `"auth_ms":1.2,"extra_ms":1`),
	"upload's own key":        with(`"v":1`, `"v":1,"ingest":{"source":"thefastest","flags":["time_shifted"]}`),
	"other as text":           with(good[strings.Index(good, `{"timing"`):], `"{\"timing\":{\"auth_ms\":3}}"}`),
	"other as number":         with(good[strings.Index(good, `{"timing"`):], `7}`),
	"null other":              with(good[strings.Index(good, `{"timing"`):], `null}`),
	"null timing":             with(good[strings.Index(good, `{"auth_ms"`):], `null}}`),
	"group":                   with(`"route"`, `"group"`),
	"a key twice":             with(`"status":200`, `"status":200,"status":503`),
	"an escaped key":          with(`"status"`, `"stat\u0075s"`),
	"depth of 10,000":         with(`"v":1`, `"v":1,"x":`+strings.Repeat("[", 10_000)+strings.Repeat("]", 10_000)),
	"white space everywhere":  strings.NewReplacer(`,"`, " ,\n\t\"", `":`, `" : `).Replace(good),
	"as it should be":         good,
	"larger than the limit":   with(`"model":"m"`, `"model":"`+strings.Repeat("m", schema.DefaultMaxBytes)+`"`),
	"null texts":              with(`"role":"retry"`, `"role":null,"gateway":null,"trace_id":null,"error_class":null`),
	"null numbers and a bool": with(`"stream":true,"status":200,`, `"stream":null,"status":null,"text_deltas":null,`),
}

// same decodes a message with Headway's decoder and a peer and compares
// everything that comes out.
func same(t *testing.T, own *schema.Decoder, d *decoder, msg []byte, arrival time.Time) {
	t.Helper()
	want, got := schema.Record{}, schema.Record{Model: "left over", Flags: []string{"left over"}}
	dropped1, err1 := own.Decode(msg, arrival, &want)
	dropped2, err2 := d.Decode(append([]byte(nil), msg...), arrival, &got)
	if dropped1 != dropped2 || !reflect.DeepEqual(err1, err2) {
		t.Fatalf("%s on %.200q: %d, %v; Headway %d, %v", d.name, msg, dropped2, err2, dropped1, err1)
	}
	if err1 == nil && !reflect.DeepEqual(got, want) {
		t.Fatalf("%s on %.300q:\n%+v\nHeadway:\n%+v", d.name, msg, got, want)
	}
}

func each(t *testing.T, test func(t *testing.T, own *schema.Decoder, d *decoder)) {
	for _, p := range peers() {
		t.Run(p.name, func(t *testing.T) {
			own, err := newRules()
			if err != nil {
				t.Fatal(err)
			}
			d, err := newDecoder(p)
			if err != nil {
				t.Fatal(err)
			}
			test(t, own, d)
		})
	}
}

func TestPeersDoTheSameWithUnusualMessages(t *testing.T) {
	arrival := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	each(t, func(t *testing.T, own *schema.Decoder, d *decoder) {
		for name, msg := range unusual {
			t.Run(name, func(t *testing.T) {
				same(t, own, d, []byte(msg), arrival)
				same(t, own, d, []byte(good), arrival) // and is none the worse for it
			})
		}
	})
}

func TestPeersDoTheSameWithGeneratedRecords(t *testing.T) {
	messages, arrival, err := corpus(5000)
	if err != nil {
		t.Fatal(err)
	}
	each(t, func(t *testing.T, own *schema.Decoder, d *decoder) {
		for _, msg := range messages {
			same(t, own, d, msg, arrival)
		}
		if d.handed > 0 {
			t.Errorf("%d of %d went to Headway's decoder: the peer reads too little by itself", d.handed, len(messages))
		}
	})
}
