package schema

import (
	"math"
	"time"
)

// headwaySource is the canonical record of record.md, version 1.
//
// Two keys go beyond the reference example. cache_hit (bool) says that a
// response cache answered. ingest is written by Headway's own upload path
// where rows of another source were converted before they entered the log:
//
//	"ingest":{"source":"thefastest","start_point":"client","precision_ms":0.001,"flags":["time_shifted"]}
//
// A known source, start point and quality flags (any but duplicate) are
// taken from it; anything else in it is dropped.
func headwaySource() Source {
	return Source{
		Name: "headway", Doc: "Canonical records, one attempt each.",
		StartPoint: StartHandler, Precision: time.Microsecond, HedgeMetric: MetricFirstResponse,
		read: (*Decoder).readHeadway, columns: headwayColumns,
	}
}

func headwayColumns() []string {
	names := make([]string, len(recordSet.list))
	for i := range recordSet.list {
		names[i] = recordSet.list[i].name
	}
	return names
}

// version is the canonical record's version, the only one read.
const version = 1

func (d *Decoder) readHeadway(rec *Record) {
	s, f := &d.scan, &d.recordKeys
	for key, i, ok := f.member(s, true); ok; key, i, ok = f.member(s, false) {
		if i < 0 {
			ok = s.drop(key)
		} else {
			ok = s.value() && d.readMember(s, recordSet, i, rec)
		}
		if !ok {
			return
		}
	}
}

// readMember stores the scanned value of member i. A value of a wrong type
// or out of range leaves the field missing and a flag.
func (d *Decoder) readMember(s *scanner, set *memberSet, i int, rec *Record) bool {
	m, t, ok := &set.list[i], &s.tok, false
	switch m.kind {
	case kindText:
		*m.text(rec), ok = d.readText(t, i)
	case kindBool:
		*m.bool(rec) = Opt[bool]{Value: t.kind == 't', Valid: t.kind == 't' || t.kind == 'f'}
		ok = t.kind == 't' || t.kind == 'f'
	case kindCount:
		*m.count(rec) = t.count()
		ok = m.count(rec).Valid
	case kindFloat:
		*m.float(rec) = t.float()
		ok = m.float(rec).Valid
	case kindMillis:
		*m.span(rec) = t.span(3)
		ok = m.span(rec).Valid
	case kindOther:
		return d.readOther(m, rec)
	case kindIngest:
		return d.readIngest(m, rec)
	default:
		ok = d.readRuled(s, m, rec)
	}
	if ok || t.kind == 'n' {
		return s.bad == ""
	}
	rec.AddFlag(m.bad)
	return s.skip()
}

func (d *Decoder) readText(t *token, slot int) (string, bool) {
	if t.kind != '"' {
		return "", false
	}
	b := clean(&d.scratch, t, MaxDimension)
	if len(b) == 0 {
		return "", true
	}
	return d.strings.get(slot, b), true
}

// readRuled stores the members that have rules of their own; false where the
// value is unusable.
func (d *Decoder) readRuled(s *scanner, m *member, rec *Record) bool {
	t := &s.tok
	switch m.kind {
	case kindVersion:
		if t.kind == '0' && t.count() != Some[int64](version) {
			return s.fail(ReasonUnknownVersion)
		}
		return t.kind == '0'
	case kindRequestID:
		rec.RequestID, d.suffixRole = d.readID(t)
		return t.kind == '"'
	case kindTraceID:
		rec.TraceID = ""
		if t.kind == '"' {
			rec.TraceID = string(clean(&d.scratch, t, MaxID))
		}
		return t.kind == '"'
	case kindAttempt:
		n := t.count()
		ok := n.Valid && n.Value <= math.MaxUint16
		rec.Attempt = uint16(only(n.Value, ok).Value)
		return ok
	case kindStatus:
		rec.Status = t.status()
		return rec.Status.Valid
	case kindCreatedAt:
		d.stamp, d.stampWhy = time.Time{}, ReasonNoTime
		if t.kind == '"' {
			d.stamp, d.stampWhy = parseTime(clean(&d.scratch, t, MaxDimension), d.cfg.Zone)
		}
		return d.stampWhy == "" || t.kind == '"'
	case kindGroup:
		var ok bool
		d.group, ok = d.readText(t, recordSet.index[m.name])
		return ok
	}
	return d.readEnum(t, m, rec)
}

// readEnum stores role and outcome, whose values are closed sets.
func (d *Decoder) readEnum(t *token, m *member, rec *Record) bool {
	var b []byte
	if t.kind == '"' {
		b = clean(&d.scratch, t, MaxDimension)
	}
	if m.kind == kindRole {
		role, ok := parseRole(b)
		rec.Role = role
		return ok && t.kind == '"'
	}
	outcome, ok := parseOutcome(b)
	rec.Outcome = outcome
	return ok && t.kind == '"'
}
