package schema

import (
	"bytes"
	"time"
)

// cell is one value of a flat row: a number or a string, which holds a
// number in CSV. The zero cell is an absent one.
type cell struct {
	token
	set bool
}

// readCells reads the members of an opened object that columns names into
// d.cells, in that order. Null, absent and blank values leave their cell
// unset, so do objects and arrays.
func (d *Decoder) readCells(columns []string) bool {
	s := &d.scan
	if d.cells == nil {
		d.cells = make([]cell, len(columns))
	}
	clear(d.cells)
	for key, ok := s.member(true); ok; key, ok = s.member(false) {
		at := -1
		for i, name := range columns {
			if name == string(key) {
				at = i
			}
		}
		if at < 0 {
			if !s.drop(key) {
				return false
			}
			continue
		}
		if !s.value() {
			return false
		}
		d.cells[at] = cell{}
		switch s.tok.kind {
		case '"':
			d.cells[at] = textCell(s.tok)
		case '0':
			d.cells[at] = cell{token: s.tok, set: true}
		default:
			if !s.skip() {
				return false
			}
		}
	}
	return s.bad == ""
}

// textCell reads a string as a number where it is one.
func textCell(t token) cell {
	raw := bytes.TrimSpace(t.raw)
	if n, size := parseNumber(raw); size > 0 && size == len(raw) {
		t.num, t.kind, t.raw = n, '0', raw
	}
	return cell{token: t, set: len(raw) > 0}
}

// seconds reads a probe's cell of seconds into *at, where 0 or less means
// missing, and flags what can't be.
func (c *cell) seconds(rec *Record, field string, at *Opt[time.Duration]) {
	if !c.set || c.kind == '0' && (c.num.mant == 0 || c.num.neg) {
		return
	}
	if *at = c.span(0); !at.Valid {
		rec.AddFlag(badValue(field))
	}
}

// whole reads a cell of a count into *at and flags what can't be.
func (c *cell) whole(rec *Record, field string, at *Opt[int64]) {
	if !c.set {
		return
	}
	if *at = c.token.count(); !at.Valid {
		rec.AddFlag(badValue(field))
	}
}

// words returns a cell's text, also where it looks like a number.
func (d *Decoder) words(c *cell) []byte {
	if !c.set {
		return nil
	}
	return clean(&d.scratch, &c.token, MaxDimension)
}
