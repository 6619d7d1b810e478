package schema

import "time"

// parseTime reads an RFC 3339 time (a space may stand for the T) as UTC with
// millisecond resolution. zone is what a time without zone means; nil
// refuses such times.
func parseTime(b []byte, zone *time.Location) (time.Time, Reason) {
	var y, mo, d, h, mi, s int
	if len(b) < 19 || b[4] != '-' || b[7] != '-' || b[13] != ':' || b[16] != ':' ||
		b[10] != 'T' && b[10] != 't' && b[10] != ' ' {
		return time.Time{}, ReasonNoTime
	}
	if !decimal(b[0:4], &y) || !decimal(b[5:7], &mo) || !decimal(b[8:10], &d) ||
		!decimal(b[11:13], &h) || !decimal(b[14:16], &mi) || !decimal(b[17:19], &s) ||
		y < 1 || mo < 1 || mo > 12 || d < 1 || d > daysIn(y, mo) || h > 23 || mi > 59 || s > 60 {
		return time.Time{}, ReasonNoTime
	}
	ns, rest, ok := fraction(b[19:])
	if !ok {
		return time.Time{}, ReasonNoTime
	}
	offset, zoned, ok := parseZone(rest)
	switch {
	case !ok:
		return time.Time{}, ReasonNoTime
	case zoned:
		zone = time.UTC
	case zone == nil:
		return time.Time{}, ReasonTimeWithoutZone
	}
	t := time.Date(y, time.Month(mo), d, h, mi, s, ns/1e6*1e6, zone).UTC()
	if offset != 0 {
		t = t.Add(-offset)
	}
	if t.Before(earliest) || !t.Before(latest) {
		return time.Time{}, ReasonNoTime
	}
	return t, ""
}

// Times outside are no times of records; the zero time is what an unset one
// looks like.
var (
	earliest = time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC)
	latest   = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
)

// daysIn is the number of days of a month of the Gregorian calendar.
func daysIn(y, month int) int {
	switch {
	case month == 2 && y%4 == 0 && (y%100 != 0 || y%400 == 0):
		return 29
	case month == 2:
		return 28
	}
	return 30 + (month+month/8)%2
}

// decimal reads all of b as digits.
func decimal(b []byte, v *int) bool {
	n := 0
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
		n = n*10 + int(c-'0')
	}
	*v = n
	return true
}

// fraction reads an optional fraction of a second; digits past the ninth say
// nothing.
func fraction(b []byte) (ns int, rest []byte, ok bool) {
	if len(b) == 0 || b[0] != '.' && b[0] != ',' {
		return 0, b, true
	}
	i, unit := 1, 100_000_000
	for ; i < len(b) && b[i] >= '0' && b[i] <= '9'; i++ {
		ns += int(b[i]-'0') * unit
		unit /= 10
	}
	return ns, b[i:], i > 1
}

// parseZone reads Z or ±hh:mm, to be all of b; zoned is false where b is
// empty.
func parseZone(b []byte) (offset time.Duration, zoned, ok bool) {
	if len(b) == 0 {
		return 0, false, true
	}
	if len(b) == 1 && (b[0] == 'Z' || b[0] == 'z') {
		return 0, true, true
	}
	var h, m int
	if len(b) != 6 || b[0] != '+' && b[0] != '-' || b[3] != ':' ||
		!decimal(b[1:3], &h) || !decimal(b[4:6], &m) || h > 23 || m > 59 {
		return 0, false, false
	}
	offset = time.Duration(h)*time.Hour + time.Duration(m)*time.Minute
	if b[0] == '-' {
		offset = -offset
	}
	return offset, true, true
}
