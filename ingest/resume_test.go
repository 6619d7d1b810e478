package ingest

import (
	"reflect"
	"strings"
	"testing"

	"headway/schema"
)

func TestResume(t *testing.T) {
	p := place{topic: "t", partition: 3}
	intent := func(epoch uint32, last int64) note { return note{epoch: epoch, intent: true, last: last, n: 5} }
	lost := func(epoch uint32, first, last int64, cause string) []loss {
		return []loss{{span: p.span(epoch, first, last), cause: cause}}
	}
	redo := func(epoch uint32, first, last int64) *schema.Range {
		r := p.span(epoch, first, last)
		return &r
	}
	for _, c := range []struct {
		name string
		in   situation
		want plan
		warn string
	}{
		{"first start", situation{committed: -1, end: 50}, plan{checkBelow: -1}, ""},
		{"first start on a log that lost its beginning", situation{committed: -1, start: 20, end: 50}, plan{from: 20, checkBelow: -1}, ""},
		{"nothing under way", situation{committed: 30, noted: true, end: 50, next: 30, seen: true}, plan{from: 30, checkBelow: 30}, ""},
		{"landing under way", situation{committed: 30, noted: true, note: intent(0, 39), end: 50, next: 30, seen: true},
			plan{redo: redo(0, 30, 39), from: 40, checkBelow: 30}, ""},
		{"commit lost after landing", situation{committed: 30, noted: true, note: intent(0, 39), end: 50, next: 40, seen: true, witness: witnessSame},
			plan{redo: redo(0, 30, 39), from: 40, checkBelow: 40}, ""},
		{"commit rewound", situation{committed: 10, noted: true, end: 50, next: 40, seen: true, witness: witnessSame}, plan{from: 10, checkBelow: 40}, ""},
		{"commit of another program", situation{committed: 10, end: 50, next: 40, seen: true}, plan{from: 10, checkBelow: 40}, ""},
		{"no commit, but rows", situation{committed: -1, end: 50, next: 40, seen: true, witness: witnessSame}, plan{checkBelow: 40}, ""},
		{"no commit, but rows, and retention", situation{committed: -1, start: 45, end: 50, next: 40, seen: true},
			plan{from: 45, checkBelow: 40, losses: lost(0, 40, 44, causeRetention)}, "40 to 44"},
		{"retention overtook the commit", situation{committed: 30, noted: true, start: 35, end: 50},
			plan{from: 35, checkBelow: -1, losses: lost(0, 30, 34, causeRetention)}, "30 to 34"},
		{"retention reached into the landing", situation{committed: 30, noted: true, note: intent(0, 39), start: 35, end: 50},
			plan{redo: redo(0, 30, 39), from: 40, checkBelow: -1, losses: lost(0, 30, 34, causeRetention)}, "30 to 34"},
		{"retention took the landing", situation{committed: 30, noted: true, note: intent(0, 39), start: 45, end: 50},
			plan{from: 45, checkBelow: -1, losses: lost(0, 30, 44, causeRetention)}, "30 to 44"},
		{"all of the log expired", situation{committed: 30, noted: true, start: 60, end: 60},
			plan{from: 60, checkBelow: -1, losses: lost(0, 30, 59, causeRetention)}, "30 to 59"},
		{"commit at the end", situation{committed: 50, noted: true, end: 50, next: 50, seen: true, witness: witnessSame}, plan{from: 50, checkBelow: 50}, ""},
		{"commit beyond the end", situation{committed: 51, noted: true, note: note{epoch: 2}, end: 50}, plan{epoch: 3, newLog: true}, "re-created"},
		{"landing beyond the end", situation{committed: 40, noted: true, note: intent(2, 50), end: 50},
			plan{epoch: 3, newLog: true, losses: lost(2, 40, 50, causeRecreated)}, "re-created"},
		{"rows beyond the end, commit deleted with the topic", situation{committed: -1, end: 5, epoch: 1, next: 40, seen: true}, plan{epoch: 2, newLog: true}, "re-created"},
		{"other messages at the rows' offsets", situation{committed: 40, noted: true, end: 90, next: 40, seen: true, witness: witnessOther},
			plan{epoch: 1, newLog: true}, "re-created"},
		{"re-created and expired", situation{committed: 40, noted: true, start: 7, end: 9},
			plan{epoch: 1, from: 7, newLog: true, losses: lost(1, 0, 6, causeRetention)}, "re-created"},
		{"tail cut off", situation{committed: 40, noted: true, end: 30, next: 40, seen: true, witness: witnessSame}, plan{epoch: 1, from: 30, newLog: true}, "lost its tail"},
		{"epoch begun, nothing landed", situation{committed: 0, noted: true, note: note{epoch: 1}, end: 30, next: 40, seen: true}, plan{epoch: 1, checkBelow: -1}, ""},
		{"commit of a former epoch", situation{committed: 20, noted: true, note: intent(0, 25), end: 30, epoch: 1, next: 10, seen: true}, plan{epoch: 1, checkBelow: 10}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.in.place = p
			got := resume(c.in)
			if !strings.Contains(got.warning, c.warn) || c.warn == "" && got.warning != "" {
				t.Errorf("warning %q, want %q in it", got.warning, c.warn)
			}
			got.warning = ""
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("plan  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

func TestNoteRoundTrip(t *testing.T) {
	for _, n := range []note{{}, {epoch: 7}, {epoch: 7, intent: true, last: 0, n: 1}, {epoch: 4294967295, intent: true, last: 1 << 60, n: 50_000, at: 1_790_000_000_000}} {
		if got, ok := parseNote(n.String()); !ok || got != n {
			t.Errorf("%q was read as %+v (%v), want %+v", n, got, ok, n)
		}
	}
	if n, ok := parseNote("headway1 epoch=3 last=9 n=4"); !ok || n != (note{epoch: 3, intent: true, last: 9, n: 4}) {
		t.Errorf("a former version's intent was read as %+v (%v)", n, ok)
	}
	for _, s := range []string{"", "headway1", "headway1 epoch=x", "headway1 epoch=1 last=", "headway1 epoch=1 last=-4 n=2", "headway2 epoch=1", "someone else's"} {
		if n, ok := parseNote(s); ok {
			t.Errorf("%q was read as %+v", s, n)
		}
	}
}
