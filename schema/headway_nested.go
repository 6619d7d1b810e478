package schema

import "time"

// readOther reads other, whose timing holds the measured times, as an object
// or as a string that holds one.
func (d *Decoder) readOther(m *member, rec *Record) bool {
	rec.Timing, rec.GivenTPS = Timing{}, Opt[float64]{}
	s := &d.scan
	switch s.tok.kind {
	case '{':
		return d.readOtherObject(s, rec)
	case '"':
		if !d.readOtherString(s.tok.raw, rec) {
			rec.Timing, rec.GivenTPS = Timing{}, Opt[float64]{}
			rec.AddFlag(m.bad)
		}
		return true
	case 'n':
		return true
	}
	rec.AddFlag(m.bad)
	return s.skip()
}

// readOtherString reads an object out of a string; false where it holds
// anything else but nothing.
func (d *Decoder) readOtherString(raw []byte, rec *Record) bool {
	d.innerBuf = unescape(d.innerBuf[:0], raw)
	s, dropped := &d.inner, d.inner.dropped
	s.reset(d.innerBuf, d.scan.depth)
	s.dropped = dropped
	if s.peek() == 0 && len(d.innerBuf) == s.pos {
		return true
	}
	if !s.value() {
		return false
	}
	switch s.tok.kind {
	case '{':
		return d.readOtherObject(s, rec) && s.end()
	case 'n':
		return s.end()
	}
	s.skip()
	return false
}

func (d *Decoder) readOtherObject(s *scanner, rec *Record) bool {
	for key, ok := s.member(true); ok; key, ok = s.member(false) {
		if string(key) != "timing" {
			if !s.drop(key) {
				return false
			}
			continue
		}
		if !s.value() || !d.readTiming(s, rec) {
			return false
		}
	}
	return s.bad == ""
}

func (d *Decoder) readTiming(s *scanner, rec *Record) bool {
	rec.Timing, rec.GivenTPS = Timing{}, Opt[float64]{}
	if s.tok.kind != '{' {
		if s.tok.kind != 'n' {
			rec.AddFlag(badValue("other"))
		}
		return s.skip()
	}
	f := &d.timingKeys
	for key, i, ok := f.member(s, true); ok; key, i, ok = f.member(s, false) {
		if i < 0 {
			ok = s.drop(key)
		} else {
			ok = s.value() && d.readMember(s, timingSet, i, rec)
		}
		if !ok {
			return false
		}
	}
	return s.bad == ""
}

// readIngest reads what Headway's own upload path knew about a converted
// row; what it can't have written is dropped without a flag.
func (d *Decoder) readIngest(m *member, rec *Record) bool {
	s := &d.scan
	if s.tok.kind != '{' {
		if s.tok.kind != 'n' {
			rec.AddFlag(m.bad)
		}
		return s.skip()
	}
	var start StartPoint
	var precision time.Duration
	for key, ok := s.member(true); ok; key, ok = s.member(false) {
		name := string(key) // of a closed set below; the copy stays on the stack
		if name != "source" && name != "start_point" && name != "precision_ms" && name != "flags" {
			if !s.drop(key) {
				return false
			}
			continue
		}
		if !s.value() {
			return false
		}
		switch t := &s.tok; {
		case name == "source" && t.kind == '"':
			if src, known := d.sources.Lookup(string(t.raw)); known {
				rec.Source, rec.StartPoint, rec.Precision = src.Name, src.StartPoint, src.Precision
			}
		case name == "start_point" && t.kind == '"':
			start = parseStartPoint(t.raw)
		case name == "precision_ms" && t.kind == '0':
			precision, _ = t.num.span(3)
		case name == "flags" && t.kind == '[':
			if !readFlags(s, rec) {
				return false
			}
			continue
		}
		if !s.skip() {
			return false
		}
	}
	if start != "" {
		rec.StartPoint = start
	}
	if precision > 0 {
		rec.Precision = precision
	}
	return s.bad == ""
}

func readFlags(s *scanner, rec *Record) bool {
	for ok := s.element(true); ok; ok = s.element(false) {
		if !s.value() {
			return false
		}
		if s.tok.kind == '"' {
			if f, known := knownFlag(s.tok.raw); known {
				rec.AddFlag(f)
			}
		}
		if !s.skip() {
			return false
		}
	}
	return s.bad == ""
}
