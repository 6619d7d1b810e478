package schema

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
)

// TestEncodeDecodeRoundTrip: any record that a decoder can give comes back
// the same after AppendJSON. Records are drawn field by field.
func TestEncodeDecodeRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	d := newTestDecoder(t, "headway", nil)
	for range 20_000 {
		want := randomRecord(rng)
		msg := AppendJSON(nil, &want)
		var got Record
		dropped, err := d.Decode(msg, arrival, &got)
		if err != nil || dropped != 0 {
			t.Fatalf("Decode(%s) = %d, %v", msg, dropped, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s\ngot  %+v\nwant %+v", msg, got, want)
		}
	}
}

// TestAppendJSONIsJSON checks the text against encoding/json, which is told
// nothing about records.
func TestAppendJSONIsJSON(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		rec := randomRecord(rng)
		msg := AppendJSON([]byte("kept"), &rec)
		var p plainRecord
		if err := json.Unmarshal(msg[4:], &p); err != nil {
			t.Fatalf("%s: %v", msg, err)
		}
		if p.Model != rec.Model || opt(p.InputTokens) != rec.InputTokens || span(p.Other.Timing.FirstResponse) != rec.Timing.FirstResponse {
			t.Fatalf("%s reads back as %+v", msg, p)
		}
	}
}

// randomRecord draws a record as a decoder would leave it: valid and derived.
func randomRecord(rng *rand.Rand) Record {
	src := NewSources().list[rng.IntN(3)]
	rec := Record{Source: src.Name, StartPoint: src.StartPoint, Precision: src.Precision,
		RequestID: randomText(rng) + "x", TraceID: randomText(rng), Attempt: uint16(rng.IntN(1 << 16)),
		Role:      []Role{RolePrimary, RoleBackup, RoleRetry}[rng.IntN(3)],
		CreatedAt: arrival.Add(-time.Duration(rng.Int64N(int64(DefaultRetention/time.Millisecond))) * time.Millisecond),
		Outcome:   []Outcome{"", OutcomeCompleted, OutcomeTimeout}[rng.IntN(3)]}
	if rng.IntN(2) == 0 {
		rec.Status = Some(int32(100 + rng.IntN(900)))
	}
	for _, set := range []*memberSet{recordSet, timingSet} {
		for _, m := range set.list {
			randomMember(rng, &m, &rec)
		}
	}
	rec.Model = "m" + rec.Model
	for range rng.IntN(4) {
		flags := []string{FlagTimeAssigned, FlagMultiAttempt, FlagTPSCapped, "bad_value:auth_ms", "other:model", "order:upstream_done_ms"}
		rec.AddFlag(flags[rng.IntN(len(flags))])
	}
	validate(&rec)
	rec.Derived = Derive(&rec)
	return rec
}

func randomMember(rng *rand.Rand, m *member, rec *Record) {
	if rng.IntN(3) == 0 {
		return
	}
	switch m.kind {
	case kindText:
		*m.text(rec) = randomText(rng)
	case kindBool:
		*m.bool(rec) = Some(rng.IntN(2) == 0)
	case kindCount:
		*m.count(rec) = Some(rng.Int64N(1 << uint(1+rng.IntN(31))))
	case kindFloat:
		*m.float(rec) = Some(rng.ExpFloat64() * 100)
	case kindMillis:
		*m.span(rec) = Some(time.Duration(rng.Int64N(1<<uint(1+rng.IntN(36)))) * time.Microsecond)
	}
}

func randomText(rng *rand.Rand) string {
	words := []string{"", "gpt", `"`, `\`, "é", "😀", "x\u2028", "/", "<b>", "�", " a"}
	return words[rng.IntN(len(words))] + words[1+rng.IntN(len(words)-1)]
}
