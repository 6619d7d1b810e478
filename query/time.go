package query

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// maxMillis is the end of year 9999, the last that RFC 3339 can write.
const maxMillis = 253402300799999

// ParseTime reads a reference to an instant: RFC 3339 with an offset, Unix
// epoch milliseconds, or relative to now: "now", "now-90m", "now-7d/d" ("/"
// rounds down to the UTC second, minute, hour, day or ISO week: s, m, h, d,
// w). It returns UTC with millisecond resolution.
func ParseTime(s string, now time.Time) (time.Time, error) {
	if rest, ok := strings.CutPrefix(s, "now"); ok {
		return parseRelative(s, rest, now.UTC().Truncate(time.Millisecond))
	}
	if ms, ok := digits(s); ok {
		if ms > maxMillis {
			return time.Time{}, fmt.Errorf("%q is past the year 9999; epoch times are in milliseconds", s)
		}
		return time.UnixMilli(ms).UTC(), nil
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err == nil {
		return checkYear(s, t.UTC().Truncate(time.Millisecond))
	}
	if _, err := time.Parse("2006-01-02T15:04:05", s); err == nil {
		return time.Time{}, fmt.Errorf("%q has no zone; append Z or an offset such as +02:00", s)
	}
	return time.Time{}, fmt.Errorf("%q is no time; write RFC 3339 (2026-11-30T03:00:00Z), epoch milliseconds, now, now-1h or now-7d/d", s)
}

func parseRelative(s, rest string, now time.Time) (time.Time, error) {
	move, round, rounded := strings.Cut(rest, "/")
	t := now
	if move != "" {
		back, ok := strings.CutPrefix(move, "-")
		if !ok {
			return time.Time{}, fmt.Errorf("%q: after now write - and a duration, for example now-1h", s)
		}
		d, err := ParseDuration(back)
		if err != nil || d < 0 {
			return time.Time{}, fmt.Errorf("%q: after now- write a duration such as 90m, 1h or 7d", s)
		}
		t = t.Add(-d)
	}
	if rounded {
		var err error
		if t, err = roundDown(t, round); err != nil {
			return time.Time{}, fmt.Errorf("%q: %w", s, err)
		}
	}
	return checkYear(s, t)
}

func roundDown(t time.Time, unit string) (time.Time, error) {
	switch unit {
	case "s":
		return t.Truncate(time.Second), nil
	case "m":
		return t.Truncate(time.Minute), nil
	case "h":
		return t.Truncate(time.Hour), nil
	case "d":
		return t.Truncate(day), nil
	case "w": // ISO weeks begin on Monday; so does Go's zero time, which Truncate counts from
		return t.Truncate(7 * day), nil
	}
	return t, errors.New("after / write s, m, h, d or w")
}

func checkYear(s string, t time.Time) (time.Time, error) {
	if t.Before(time.UnixMilli(0)) || t.After(time.UnixMilli(maxMillis)) {
		return time.Time{}, fmt.Errorf("%q lies before 1970 or after 9999", s)
	}
	return t, nil
}
