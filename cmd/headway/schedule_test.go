package main

import (
	"testing"
	"time"

	"headway/internal/config"
)

func TestNextAdvice(t *testing.T) {
	at := func(s string) time.Time {
		v, err := time.Parse("2006-01-02 15:04:05", s)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, tc := range []struct{ every, now, want string }{ // 2026-11-30 is a Monday
		{"day", "2026-11-30 00:00:00", "2026-11-30 00:20:00"},
		{"day", "2026-11-30 00:20:00", "2026-11-30 00:20:00"},
		{"day", "2026-11-30 00:20:01", "2026-12-01 00:20:00"},
		{"week", "2026-11-30 00:19:00", "2026-11-30 00:20:00"},
		{"week", "2026-11-30 00:21:00", "2026-12-07 00:20:00"},
		{"week", "2026-12-03 12:00:00", "2026-12-07 00:20:00"},
	} {
		if got := nextAdvice(config.Schedule{Every: tc.every, At: "00:20"}, at(tc.now)); !got.Equal(at(tc.want)) {
			t.Errorf("%s at %s: %s, want %s", tc.every, tc.now, got, tc.want)
		}
	}
	zone := time.FixedZone("east", 3600)
	if got := nextAdvice(config.Schedule{Every: "day", At: "00:20"}, at("2026-11-30 00:00:00").In(zone)); !got.Equal(at("2026-11-30 00:20:00")) {
		t.Errorf("in another zone: %s", got)
	}
}
