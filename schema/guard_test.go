package schema

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestContentLeavesNoTrace feeds marked strings through every source and
// mode, whole and broken, and looks for the mark in all that comes out.
func TestContentLeavesNoTrace(t *testing.T) {
	const mark = "MARKED-7f3a"
	content := `"messages":[{"role":"user","content":"` + mark + `"}],"nested":{"deep":[{"x":{"api_key":"` + mark + `"}}]},"` + mark + `":1`
	other := `"other":{"prompt":"` + mark + `","timing":{"auth_ms":"` + mark + `","output":{"text":"` + mark + `"}}},`
	otherText := `"other":"{\"prompt\":\"` + mark + `\",\"timing\":{\"auth_ms\":1}}",`
	for source, row := range map[string]string{
		"headway":    `{"created_at":"2026-11-30T03:00:00Z","model":"m",` + other + content + `}`,
		"headway 2":  `{"created_at":"2026-11-30T03:00:00Z","model":"m",` + otherText + content + `,"ingest":{"source":"` + mark + `","flags":["` + mark + `"],"note":"` + mark + `"}}`,
		"thefastest": `{"time_utc":"2026-11-30T03:00:00","model":"a/b","ttft_s":"` + mark + `","cmd":"` + mark + `",` + content + `}`,
		"llmperf":    `{"provider":"p","model_size":"7b","error_code":"` + mark + `","seq":"` + mark + `",` + content + `}`,
	} {
		for _, mode := range []ContentMode{ContentDrop, ContentReject} {
			t.Run(source+"/"+string(mode), func(t *testing.T) {
				name, _, _ := strings.Cut(source, " ")
				d := newTestDecoder(t, name, func(c *Config) { c.Content = mode; c.BaseTime = arrival })
				var rec Record
				dropped, err := d.Decode([]byte(row), arrival, &rec)
				if dropped < 2 {
					t.Errorf("%d content keys counted, want at least 2", dropped)
				}
				var re *RejectError
				if mode == ContentReject && (!errors.As(err, &re) || re.Reason != ReasonContent) {
					t.Errorf("error %v, want reason %s", err, ReasonContent)
				}
				if mode == ContentDrop && err != nil {
					t.Error(err)
				}
				if out := fmt.Sprintf("%+v %v %s", rec, err, AppendJSON(nil, &rec)); strings.Contains(out, mark) {
					t.Errorf("the mark came out: %s", out)
				}
				for i := range row {
					if _, err := d.Decode([]byte(row[:i]), arrival, &rec); err == nil || strings.Contains(err.Error(), mark) {
						t.Fatalf("cut at %d: %v", i, err)
					}
				}
			})
		}
	}
}

func TestContentKeys(t *testing.T) {
	for _, key := range []string{"messages", "prompt", "content", "input", "output", "response", "choices", "question", "answer",
		"authorization", "api_key", "ip", "username", "token_name", "end_user", "X-API-Key", "apiKey", "Set-Cookie"} {
		if !isContentKey([]byte(key)) {
			t.Errorf("%s is content", key)
		}
	}
	for _, key := range []string{"", "status", "input_tokens", "output_tokens", "prompt_tokens", "region", "tip", "ips_total", strings.Repeat("prompt", 10)} {
		if isContentKey([]byte(key)) {
			t.Errorf("%s is no content", key)
		}
	}
}

// TestNoCanonicalKeyIsContent: the guard is asked only about unknown keys,
// and would drop a key of the record were it renamed to one of its own.
func TestNoCanonicalKeyIsContent(t *testing.T) {
	for _, set := range []*memberSet{recordSet, timingSet} {
		for _, m := range set.list {
			if isContentKey([]byte(m.name)) {
				t.Errorf("%s is a key of the record and of the guard", m.name)
			}
		}
	}
}

func TestDuplicates(t *testing.T) {
	at := func(s int) time.Time { return arrival.Add(time.Duration(s) * time.Second) }
	base := AttemptKey{Source: "headway", RequestID: "r", Role: RolePrimary, CreatedAt: 1}
	other := func(change func(*AttemptKey)) AttemptKey { k := base; change(&k); return k }
	type step struct {
		key  AttemptKey
		at   int
		want bool
	}
	for _, c := range []struct {
		name  string
		max   int
		steps []step
	}{
		{"again at once", 0, []step{{base, 0, false}, {base, 0, true}}},
		{"again at the window's end", 0, []step{{base, 0, false}, {base, 600, true}}},
		{"again past the window", 0, []step{{base, 0, false}, {base, 601, false}}},
		{"each sending begins the window anew", 0, []step{{base, 0, false}, {base, 400, true}, {base, 900, true}, {base, 1501, false}}},
		{"another attempt", 0, []step{{base, 0, false}, {other(func(k *AttemptKey) { k.Attempt = 1 }), 0, false}}},
		{"another role", 0, []step{{base, 0, false}, {other(func(k *AttemptKey) { k.Role = RoleBackup }), 0, false}}},
		{"another source", 0, []step{{base, 0, false}, {other(func(k *AttemptKey) { k.Source = "x" }), 0, false}}},
		{"another time", 0, []step{{base, 0, false}, {other(func(k *AttemptKey) { k.CreatedAt = 2 }), 0, false}}},
		{"the oldest is forgotten past the limit", 2, []step{{base, 0, false},
			{other(func(k *AttemptKey) { k.Attempt = 1 }), 1, false}, {other(func(k *AttemptKey) { k.Attempt = 2 }), 2, false},
			{other(func(k *AttemptKey) { k.Attempt = 2 }), 3, true}, {base, 4, false}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := NewDuplicates(c.max)
			for i, s := range c.steps {
				if got := d.Seen(s.key, at(s.at)); got != s.want {
					t.Errorf("step %d: %v, want %v", i, got, s.want)
				}
			}
		})
	}
}

// TestDuplicatesAgainstAList compares the window with a plain list of what
// came, over enough keys for the ring to grow and wrap.
func TestDuplicatesAgainstAList(t *testing.T) {
	d, last := NewDuplicates(0), map[AttemptKey]time.Time{}
	for i := range 20_000 {
		now := arrival.Add(time.Duration(i) * 300 * time.Millisecond)
		k := AttemptKey{RequestID: fmt.Sprint(i * i % 3001)}
		before, ok := last[k]
		want := ok && now.Sub(before) <= DuplicateWindow
		if got := d.Seen(k, now); got != want {
			t.Fatalf("record %d: %v, want %v", i, got, want)
		}
		last[k] = now
		if d.Len() > 2001 {
			t.Fatalf("%d keys held for a window of 2001 records", d.Len())
		}
	}
}

// TestDuplicatesWithinBounds compares windows of all small sizes with a list
// of the arrivals that they may remember.
func TestDuplicatesWithinBounds(t *testing.T) {
	for _, most := range []int{1, 2, 7, 100, 1500} {
		rng := rand.New(rand.NewPCG(uint64(most), 7))
		d := NewDuplicates(most)
		var arrivals []AttemptKey
		var times []time.Time
		now := time.Date(2026, 11, 30, 3, 0, 0, 0, time.UTC)
		for range 20_000 {
			now = now.Add(time.Duration(rng.IntN(3)) * time.Second * time.Duration(1+rng.IntN(200)/199*900))
			key := AttemptKey{RequestID: fmt.Sprint(rng.IntN(most + most/2 + 1))}
			for len(arrivals) > 0 && (len(arrivals) == most || times[0].Before(now.Add(-DuplicateWindow))) {
				arrivals, times = arrivals[1:], times[1:]
			}
			want := slices.Contains(arrivals, key)
			if got := d.Seen(key, now); got != want {
				t.Fatalf("at most %d: %v at %s was seen: %v, want %v", most, key, now, got, want)
			}
			arrivals, times = append(arrivals, key), append(times, now)
			distinct := map[AttemptKey]bool{}
			for _, k := range arrivals[max(0, len(arrivals)-50):] {
				distinct[k] = true
			}
			if len(arrivals) <= 50 && d.Len() != len(distinct) {
				t.Fatalf("at most %d: %d keys, want %d", most, d.Len(), len(distinct))
			}
		}
	}
}

func TestDuplicatesRestore(t *testing.T) {
	rows := []Record{{Source: "headway", RequestID: "a", Role: RolePrimary, CreatedAt: arrival}, {Source: "headway", RequestID: "b", Role: RolePrimary, CreatedAt: arrival}}
	d := NewDuplicates(0)
	d.Restore(rows, arrival)
	if !d.Seen(KeyOf(&rows[1]), arrival.Add(time.Minute)) || d.Seen(AttemptKey{RequestID: "c"}, arrival) {
		t.Error("the restored window does not hold what it was given")
	}
}

func TestCardinality(t *testing.T) {
	c := NewCardinality(map[string]int{"model": 2})
	apply := func(model, channel string, at time.Time) (Record, int) {
		rec := Record{Model: model, Channel: channel}
		n := c.Apply(&rec, at)
		return rec, n
	}
	for _, model := range []string{"a", "b", "a", "", OtherValue} {
		if rec, n := apply(model, "ch", arrival); n != 0 || rec.Model != model || rec.Flags != nil {
			t.Errorf("%q became %q, %d replaced", model, rec.Model, n)
		}
	}
	rec, n := apply("c", "other channel", arrival)
	if n != 1 || rec.Model != OtherValue || rec.Channel != "other channel" || !rec.Flagged("other:model") {
		t.Errorf("third model: %+v, %d replaced", rec, n)
	}
	if rec, n := apply("c", "ch", arrival.Add(24*time.Hour)); n != 0 || rec.Model != "c" {
		t.Errorf("a new day begins anew: %+v, %d replaced", rec, n)
	}
}

func TestCardinalityDefaultsTo5000(t *testing.T) {
	c, replaced := NewCardinality(nil), 0
	for i := range 5003 {
		replaced += c.Apply(&Record{Channel: fmt.Sprint(i)}, arrival)
	}
	if replaced != 3 {
		t.Errorf("%d of 5003 channels replaced, want 3", replaced)
	}
}
