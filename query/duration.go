package query

import (
	"fmt"
	"strings"
	"time"
)

const day = 24 * time.Hour

// ParseDuration reads durations as questions write them: Go's units and also
// d (24 hours) and w (7 days), for example "1500ms", "1h30m", "7d".
func ParseDuration(s string) (time.Duration, error) {
	last := len(s) - 1
	if last > 0 && (s[last] == 'd' || s[last] == 'w') {
		unit, most := day, int64(106_000)
		if s[last] == 'w' {
			unit, most = 7*day, 15_000
		}
		n, ok := digits(s[:last])
		if !ok || n > most {
			return 0, fmt.Errorf("%q is no duration; write for example 7d, 90m or 1500ms", s)
		}
		return time.Duration(n) * unit, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, fmt.Errorf("%q is no duration; write for example 7d, 90m or 1500ms", s)
	}
	return d, nil
}

// FormatDuration writes a duration as ParseDuration reads it, in whole days
// where it can.
func FormatDuration(d time.Duration) string {
	if d > 0 && d%day == 0 {
		return fmt.Sprintf("%dd", d/day)
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// digits reads a non-negative whole number of at most 18 digits.
func digits(s string) (int64, bool) {
	if s == "" || len(s) > 18 {
		return 0, false
	}
	var n int64
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int64(s[i]-'0')
	}
	return n, true
}
