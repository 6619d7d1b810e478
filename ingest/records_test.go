package ingest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"headway/schema"
)

func poisonIsRejectedAndBlocksNothing(t *testing.T, l *lab) {
	now := time.Now().UTC()
	good := func(more string) string {
		return strings.Replace(record("x", now), `"stream":true`, `"stream":true,`+more, 1)
	}
	cases := []struct {
		name, payload string
		reason        schema.Reason // empty: it becomes a row
	}{
		{"good before", record("before", now), ""},
		{"not JSON", "\x00\xffplainly not", schema.ReasonNotJSON},
		{"cut off", record("x", now)[:60], schema.ReasonNotJSON},
		{"empty", "", schema.ReasonEmpty},
		{"a number of 900 kB", good(`"input_tokens":` + strings.Repeat("9", 900_000)), ""},
		{"a number of 1 MiB", good(`"input_tokens":` + strings.Repeat("9", 1<<20)), schema.ReasonTooLarge},
		{"lone surrogates", good(`"region":"\ud800 \udfff"`), ""},
		{"depth 10,000", strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000), schema.ReasonTooDeep},
		{"array", "[1,2]", schema.ReasonNotObject},
		{"16 MB", `{"model":"` + strings.Repeat("m", 16<<20) + `"}`, schema.ReasonTooLarge},
		{"wrong types", `{"v":1,"request_id":7,"created_at":{},"model":[1],"other":"no"}`, ""},
		{"no time", `{"v":1,"request_id":"x","model":"m"}`, schema.ReasonNoTime},
		{"long expired", record("x", now.AddDate(-1, 0, 0)), schema.ReasonExpired},
		{"content", good(`"messages":[{"content":"never-store-this"}]`), ""},
		{"good after", record("after", now), ""},
	}
	payloads := make([]string, len(cases))
	for i, c := range cases {
		payloads[i] = c.payload
	}
	r := l.start()
	produced := l.produce(0, payloads...)
	l.sink.untilLanded(t, len(cases))
	l.settled()
	l.sink.exactly(t, produced)
	for i, c := range cases {
		rejects := l.sink.rejects[produced[i]]
		fate := "a row"
		if len(rejects) > 0 {
			fate = "rejected: " + string(rejects[0].Reason)
		} else if flags := l.sink.rows[produced[i]][0].Flags; len(flags) > 0 {
			fate = "a row, flagged " + strings.Join(flags, ", ")
		}
		t.Logf("offset %2d  %-18s %8d bytes  %s", produced[i].Offset, c.name, len(c.payload), fate)
		switch {
		case c.name == "wrong types":
			if len(rejects) != 1 {
				t.Errorf("%s: it became a row", c.name)
			}
		case c.reason == "" && len(rejects) > 0:
			t.Errorf("%s: rejected as %s", c.name, rejects[0].Reason)
		case c.reason != "" && len(rejects) == 0:
			t.Errorf("%s: became a row", c.name)
		case c.reason != "" && (rejects[0].Reason != c.reason || rejects[0].Bytes != len(c.payload) || rejects[0].Source != "headway" || rejects[0].ReceivedAt.IsZero()):
			t.Errorf("%s: %+v, want reason %s and %d bytes", c.name, rejects[0], c.reason, len(c.payload))
		}
	}
	if n := r.counter(t, "headway_content_dropped_total", "source=headway"); n < 1 {
		t.Errorf("dropped content counted %v times", n)
	}
	l.untilCounter(r, 1, "headway_records_rejected_total", "reason=too_deep")
	if strings.Contains(l.log.String(), "never-store-this") || strings.Contains(fmt.Sprint(l.sink.rows), "never-store-this") {
		t.Error("content passed the guard")
	}
}

func headerNamesTheSource(t *testing.T, l *lab) {
	now := time.Now().UTC()
	r := l.start()
	var recs []*kgo.Record
	for _, source := range []string{"", "headway", "no-such-source", "another"} {
		rec := &kgo.Record{Topic: l.topic, Value: []byte(record("id"+source, now))}
		if source != "" {
			rec.Headers = []kgo.RecordHeader{{Key: SourceHeader, Value: []byte(source)}}
		}
		recs = append(recs, rec)
	}
	at := l.send(l.kafka, recs)
	l.sink.untilLanded(t, len(at))
	l.sink.exactly(t, at)
	for i, want := range []schema.Reason{"", "", schema.ReasonUnknownSource, schema.ReasonUnknownSource} {
		got := schema.Reason("")
		if j := l.sink.rejects[at[i]]; len(j) > 0 {
			got = j[0].Reason
		}
		if got != want {
			t.Errorf("record %d: reason %q, want %q", i, got, want)
		}
	}
	// A header may say anything, so its text is no label.
	l.untilCounter(r, 2, "headway_records_rejected_total", "source="+unknownSource)
}

// duplicatesAreFlaggedAlsoAfterARestart sends requests of a whole hour, as an
// import does: the window counts arrivals, not the times of the requests.
func duplicatesAreFlaggedAlsoAfterARestart(t *testing.T, l *lab) {
	now := time.Now().UTC().Truncate(time.Millisecond)
	var hour []string
	for i := range 60 {
		hour = append(hour, record(fmt.Sprint("h", i), now.Add(time.Duration(-i)*time.Minute)))
	}
	first := l.start()
	at := l.produce(0, record("a", now), record("b", now), record("a", now), record("a", now.Add(time.Second)))
	at = append(at, l.produce(0, hour...)...)
	l.sink.untilLanded(t, len(at))
	l.settled()
	first.stop()
	second := l.start()
	again := l.produce(0, append([]string{record("b", now), record("c", now)}, hour...)...)
	l.sink.untilLanded(t, len(at)+len(again))
	l.sink.exactly(t, slices.Concat(at, again))
	flagged := func(o schema.Origin) bool { return l.sink.rows[o][0].Flagged(schema.FlagDuplicate) }
	for i, o := range at {
		if flagged(o) != (i == 2) {
			t.Errorf("record %d before the restart: duplicate %v", i, flagged(o))
		}
	}
	for i, o := range again {
		if flagged(o) != (i != 1) {
			t.Errorf("record %d after the restart: duplicate %v", i, flagged(o))
		}
	}
	l.untilCounter(second, 61, "headway_records_flagged_total", "flag=duplicate")
}

func rareValuesBecomeOther(t *testing.T, l *lab) {
	now := time.Now().UTC()
	r := l.start(func(c *Config) { c.DailyModels = 3 })
	var payloads []string
	for i := range 5 {
		payloads = append(payloads, strings.Replace(record(fmt.Sprint("r", i), now), `"model":"m"`, fmt.Sprintf(`"model":"m%d"`, i), 1))
	}
	at := l.produce(0, payloads...)
	l.sink.untilLanded(t, 5)
	for i, want := range []string{"m0", "m1", "m2", schema.OtherValue, schema.OtherValue} {
		if got := l.sink.rows[at[i]][0].Model; got != want {
			t.Errorf("record %d: model %s, want %s", i, got, want)
		}
	}
	l.untilCounter(r, 2, "headway_dictionary_overflow_total", "dimension=model")
}
