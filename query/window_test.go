package query

import (
	"strings"
	"testing"
	"time"
)

func at(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		panic(err)
	}
	return t
}

func TestParseTime(t *testing.T) {
	now := at("2026-11-30T03:04:05.678901Z") // a Monday
	for _, tc := range []struct{ in, want string }{
		{"now", "2026-11-30T03:04:05.678Z"},
		{"now-1h", "2026-11-30T02:04:05.678Z"},
		{"now-90m", "2026-11-30T01:34:05.678Z"},
		{"now-1h30m", "2026-11-30T01:34:05.678Z"},
		{"now-7d/d", "2026-11-23T00:00:00Z"},
		{"now/d", "2026-11-30T00:00:00Z"},
		{"now-1d/w", "2026-11-23T00:00:00Z"},
		{"now/w", "2026-11-30T00:00:00Z"},
		{"now-2w/h", "2026-11-16T03:00:00Z"},
		{"0", "1970-01-01T00:00:00Z"},
		{"1764471845678", "2025-11-30T03:04:05.678Z"},
		{"2026-11-30T05:04:05.6789+02:00", "2026-11-30T03:04:05.678Z"},
	} {
		t.Run(tc.in, func(t *testing.T) {
			got, err := ParseTime(tc.in, now)
			if err != nil || !got.Equal(at(tc.want)) || got.Location() != time.UTC {
				t.Errorf("%v, %v; want %s", got, err, tc.want)
			}
		})
	}
}

func TestResolve(t *testing.T) {
	now := at("2026-11-30T03:04:05Z")
	for _, tc := range []struct {
		name     string
		resolve  func(Selection) (Scope, error)
		sel      Selection
		from, to string
	}{
		{"default", func(s Selection) (Scope, error) { return s.Resolve(now) }, Selection{}, "2026-11-30T02:04:05Z", "2026-11-30T03:04:05Z"},
		{"only an end", func(s Selection) (Scope, error) { return s.Resolve(now) }, Selection{To: "now-1d"}, "2026-11-29T02:04:05Z", "2026-11-29T03:04:05Z"},
		{"hedge default", func(s Selection) (Scope, error) { return Hedge{Selection: s}.Resolve(now) }, Selection{}, "2026-11-23T00:00:00Z", "2026-11-30T00:00:00Z"},
		{"hedge only a start", func(s Selection) (Scope, error) { return Hedge{Selection: s}.Resolve(now) }, Selection{From: "now-7d/d"}, "2026-11-23T00:00:00Z", "2026-11-30T03:04:05Z"},
		{"hedge only an end", func(s Selection) (Scope, error) { return Hedge{Selection: s}.Resolve(now) }, Selection{To: "now/d"}, "2026-11-23T00:00:00Z", "2026-11-30T00:00:00Z"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			sc, err := tc.resolve(tc.sel)
			if err != nil || !sc.From.Equal(at(tc.from)) || !sc.To.Equal(at(tc.to)) {
				t.Errorf("%v … %v, %v", sc.From, sc.To, err)
			}
		})
	}
}

func TestResolveRefusesWindows(t *testing.T) {
	now := at("2026-11-30T03:04:05Z")
	for _, tc := range []struct{ name, from, to, want string }{
		{"inverted", "now", "now-1h", "not before"},
		{"empty", "now", "now", "from is inclusive"},
		{"too long", "now-500d", "now", "at most 400"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Selection{From: tc.from, To: tc.to}.Resolve(now)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}

func TestStepFor(t *testing.T) {
	now := at("2026-11-30T03:00:00Z")
	window := func(d time.Duration) Window { return Window{From: now.Add(-d), To: now} }
	for _, tc := range []struct{ length, want time.Duration }{
		{time.Minute, time.Second}, {time.Hour, 15 * time.Second}, {6 * time.Hour, 2 * time.Minute},
		{day, 10 * time.Minute}, {7 * day, time.Hour}, {90 * day, 12 * time.Hour}, {400 * day, 2 * day},
	} {
		got, err := window(tc.length).StepFor(0)
		if err != nil || got != tc.want {
			t.Errorf("%v → %v, %v; want %v", tc.length, got, err, tc.want)
		}
	}
	if _, err := window(7 * day).StepFor(time.Second); err == nil || !strings.Contains(err.Error(), "step=10m") {
		t.Errorf("error %v, want the smallest step that works", err)
	}
	if got, err := window(time.Hour).StepFor(7 * time.Second); err != nil || got != 7*time.Second {
		t.Errorf("an asked step is kept: %v, %v", got, err)
	}
}

func TestNearest(t *testing.T) {
	names := []string{"model", "route", "channel", "first_response_ms", "first_text_delta_ms"}
	for _, tc := range []struct{ in, want string }{
		{"modle", "model"}, {"chanell", "channel"}, {"first_respnse_ms", "first_response_ms"},
		{"first", "first_response_ms"}, {"MODEL", "model"}, {"zzzzzz", ""},
	} {
		got := Nearest(tc.in, names)
		if tc.want == "" && got != nil || tc.want != "" && (len(got) == 0 || got[0] != tc.want) {
			t.Errorf("%q → %v, want %q first", tc.in, got, tc.want)
		}
	}
}
