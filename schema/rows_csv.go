package schema

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// readHeader reads the first line; its names become the keys of every row.
func (rr *RowReader) readHeader() error {
	row, err := rr.nextLine()
	if err != nil {
		return err
	}
	if row.Reject != nil || !rr.split(row.JSON) {
		return errors.New("reading line 1: the CSV header can't be read; close every quote, and keep it on one short line")
	}
	seen := make(map[string]bool, len(rr.fields))
	for _, f := range rr.fields {
		name := string(bytes.TrimSpace(f))
		if name == "" || seen[name] {
			return fmt.Errorf("reading line %d: column %d of the CSV header is empty or repeated; name every column once", row.Line, len(rr.header)+1)
		}
		seen[name] = true
		rr.header = append(rr.header, append(appendQuoted(nil, name), ':'))
	}
	if len(rr.header) < 2 && bytes.ContainsAny(row.JSON, ";\t|") {
		return fmt.Errorf("reading line %d: the CSV header has one column; separate columns by commas", row.Line)
	}
	return rr.checkColumns()
}

// checkColumns refuses a header of which the source reads nothing: such a
// file is no CSV, or another source's.
func (rr *RowReader) checkColumns() error {
	if rr.source.columns == nil {
		return nil
	}
	known := rr.source.columns()
	for _, h := range rr.header {
		for _, name := range known {
			if string(h) == `"`+name+`":` {
				return nil
			}
		}
	}
	const shown = 8
	if len(known) > shown {
		known = append(known[:shown:shown], "…")
	}
	return fmt.Errorf("reading line %d: the file is neither JSON nor a CSV of the source %s, whose columns are %s; name the right source, or begin with a header",
		rr.line-1, rr.source.Name, strings.Join(known, ", "))
}

// rowToJSON turns a line into an object of strings.
func (rr *RowReader) rowToJSON(row *Row) {
	if !rr.split(row.JSON) || len(rr.fields) != len(rr.header) {
		row.JSON, row.Reject = nil, reject(ReasonBadRow)
		return
	}
	b := append(rr.json[:0], '{')
	for i, f := range rr.fields {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendQuoted(append(b, rr.header[i]...), string(f))
	}
	rr.json = append(b, '}')
	row.JSON = rr.json
}

// split cuts a line into fields (RFC 4180, without line breaks inside
// fields); false where a quote does not close or text follows a closed one.
func (rr *RowReader) split(line []byte) bool {
	rr.fields = rr.fields[:0]
	for {
		if len(line) == 0 || line[0] != '"' {
			field, rest, more := bytes.Cut(line, []byte{','})
			rr.fields = append(rr.fields, field)
			if !more {
				return true
			}
			line = rest
			continue
		}
		field, rest, ok := quotedField(line[1:])
		if !ok {
			return false
		}
		rr.fields = append(rr.fields, field)
		if len(rest) == 0 {
			return true
		}
		line = rest[1:]
	}
}

// quotedField reads up to the closing quote, in place; rest begins with a
// comma or is empty.
func quotedField(b []byte) (field, rest []byte, ok bool) {
	out := b[:0]
	for i := 0; i < len(b); i++ {
		if b[i] != '"' {
			out = append(out, b[i])
			continue
		}
		if i+1 < len(b) && b[i+1] == '"' {
			out = append(out, '"')
			i++
			continue
		}
		rest = b[i+1:]
		return out, rest, len(rest) == 0 || rest[0] == ','
	}
	return nil, nil, false
}
