package schema

import (
	"math"
	"strconv"
	"time"
	"unicode/utf8"
)

// AppendJSON appends the canonical JSON of a record (without line end);
// missing fields are left out. Decoding it with the headway source gives the
// same record again, apart from Origin and the flag duplicate, which are the
// ingester's to give.
func AppendJSON(dst []byte, r *Record) []byte {
	e := encoder{dst: append(dst, `{"v":1`...)}
	for i := range recordSet.list {
		e.member(&recordSet.list[i], r)
	}
	return append(e.dst, '}')
}

// encoder appends members; every object it opens holds at least one before.
type encoder struct{ dst []byte }

// key appends the separator, where one is due, and the key.
func (e *encoder) key(name string) {
	if c := e.dst[len(e.dst)-1]; c != '{' {
		e.dst = append(e.dst, ',')
	}
	e.dst = append(e.dst, '"')
	e.dst = append(e.dst, name...)
	e.dst = append(e.dst, '"', ':')
}

func (e *encoder) member(m *member, r *Record) {
	switch m.kind {
	case kindText:
		e.text(m.name, *m.text(r))
	case kindBool:
		if v, ok := m.bool(r).Get(); ok {
			e.key(m.name)
			e.dst = strconv.AppendBool(e.dst, v)
		}
	case kindCount:
		if v, ok := m.count(r).Get(); ok {
			e.int(m.name, v)
		}
	case kindFloat:
		if v, ok := m.float(r).Get(); ok && !math.IsNaN(v) && !math.IsInf(v, 0) {
			e.key(m.name)
			e.dst = strconv.AppendFloat(e.dst, v, 'g', -1, 64)
		}
	case kindMillis:
		if v, ok := m.span(r).Get(); ok && v >= 0 {
			e.millis(m.name, v)
		}
	default:
		e.ruled(m, r)
	}
}

func (e *encoder) ruled(m *member, r *Record) {
	switch m.kind {
	case kindRequestID:
		e.text(m.name, r.RequestID)
	case kindTraceID:
		e.text(m.name, r.TraceID)
	case kindRole:
		e.text(m.name, string(r.Role))
	case kindOutcome:
		e.text(m.name, string(r.Outcome))
	case kindAttempt:
		e.int(m.name, int64(r.Attempt))
	case kindStatus:
		if v, ok := r.Status.Get(); ok {
			e.int(m.name, int64(v))
		}
	case kindCreatedAt:
		if !r.CreatedAt.IsZero() {
			e.key(m.name)
			e.dst = append(r.CreatedAt.UTC().AppendFormat(append(e.dst, '"'), "2006-01-02T15:04:05.000Z"), '"')
		}
	case kindOther:
		e.timing(r)
	case kindIngest:
		e.ingest(r)
	}
}

func (e *encoder) timing(r *Record) {
	before := len(e.dst)
	e.key("other")
	e.dst = append(e.dst, `{"timing":{`...)
	empty := len(e.dst)
	for i := range timingSet.list {
		e.member(&timingSet.list[i], r)
	}
	if len(e.dst) == empty {
		e.dst = e.dst[:before]
		return
	}
	e.dst = append(e.dst, '}', '}')
}

// ingest writes what differs from a plain record of the headway source.
func (e *encoder) ingest(r *Record) {
	plain := headwaySource()
	if (r.Source == plain.Name || r.Source == "") && r.StartPoint == plain.StartPoint && r.Precision == plain.Precision && len(r.Flags) == 0 {
		return
	}
	e.key("ingest")
	e.dst = append(e.dst, '{')
	e.text("source", r.Source)
	e.text("start_point", string(r.StartPoint))
	if r.Precision > 0 {
		e.millis("precision_ms", r.Precision)
	}
	if len(r.Flags) > 0 {
		e.key("flags")
		e.dst = append(e.dst, '[')
		for i, f := range r.Flags {
			if i > 0 {
				e.dst = append(e.dst, ',')
			}
			e.dst = appendQuoted(e.dst, f)
		}
		e.dst = append(e.dst, ']')
	}
	e.dst = append(e.dst, '}')
}

func (e *encoder) text(name, v string) {
	if v != "" {
		e.key(name)
		e.dst = appendQuoted(e.dst, v)
	}
}

func (e *encoder) int(name string, v int64) {
	e.key(name)
	e.dst = strconv.AppendInt(e.dst, v, 10)
}

// millis appends a time as milliseconds, exact to the microsecond.
func (e *encoder) millis(name string, d time.Duration) {
	e.key(name)
	us := d.Microseconds()
	e.dst = strconv.AppendInt(e.dst, us/1000, 10)
	if frac := us % 1000; frac != 0 {
		digits := [...]byte{'.', byte('0' + frac/100), byte('0' + frac/10%10), byte('0' + frac%10)}
		n := len(digits)
		for digits[n-1] == '0' {
			n--
		}
		e.dst = append(e.dst, digits[:n]...)
	}
}

// appendQuoted appends s as a JSON string, with invalid UTF-8 replaced.
func appendQuoted(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
			i++
		case c < ' ' || c == 0x7f:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			i++
		case c < utf8.RuneSelf:
			dst = append(dst, c)
			i++
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			dst = utf8.AppendRune(dst, r)
			i += n
		}
	}
	return append(dst, '"')
}
