package schema

import (
	"bytes"
	"fmt"
	"io"
)

// nextElement cuts the next element out of the array, without judging it:
// the decoder does. Where the brackets of an element don't match, the rest
// of the array can't be told apart and becomes one refused row.
func (rr *RowReader) nextElement() (Row, error) {
	if rr.closed {
		return rr.endArray()
	}
	c, err := rr.skipSpace()
	if err != nil {
		return rr.brokenArray(err)
	}
	if c == ']' && rr.first {
		rr.in.Discard(1) //nolint:errcheck // one byte was peeked
		return rr.endArray()
	}
	rr.first = false
	row := Row{Line: rr.line}
	end, deep, err := rr.cutElement(&row)
	switch {
	case err != nil && row.Bytes == 0:
		return rr.brokenArray(err)
	case err != nil:
		rr.done = true
		if err != io.EOF {
			return Row{}, rr.wrap(err)
		}
		row.Reject = &RejectError{Reason: ReasonNotJSON, Remedy: "the file ends inside the array; send it again from this row on"}
		if deep {
			row.Reject = reject(ReasonTooDeep)
		}
		return row, nil
	}
	rr.closed = end == ']'
	if row.Bytes > rr.max {
		row.Reject = reject(ReasonTooLarge)
		return row, nil
	}
	if row.Bytes == 0 {
		row.Reject = reject(ReasonNotJSON)
		return row, nil
	}
	row.JSON = bytes.TrimSpace(rr.buf)
	return row, nil
}

// cutElement reads to the comma or bracket that ends an element, which it
// consumes and returns. deep tells that it is nested deeper than records may
// be.
func (rr *RowReader) cutElement(row *Row) (end byte, deep bool, err error) {
	rr.buf = rr.buf[:0]
	depth, inString, escaped := 0, false, false
	for {
		c, err := rr.in.ReadByte()
		if err != nil {
			return 0, deep, err
		}
		switch {
		case escaped:
			escaped = false
		case inString:
			escaped = c == '\\'
			inString = c != '"'
		case c == '"':
			inString = true
		case c == '{' || c == '[':
			depth++
			deep = deep || depth > DefaultMaxDepth
		case depth == 0 && (c == ',' || c == ']'):
			return c, deep, nil
		case c == '}' || c == ']':
			depth--
		}
		if c == '\n' {
			rr.line++
		}
		if row.Bytes++; row.Bytes <= rr.max {
			rr.buf = append(rr.buf, c)
		}
	}
}

// endArray checks that nothing follows the array.
func (rr *RowReader) endArray() (Row, error) {
	rr.done = true
	_, err := rr.skipSpace()
	switch {
	case err == io.EOF:
		return Row{}, io.EOF
	case err != nil:
		return Row{}, rr.wrap(err)
	}
	return Row{}, fmt.Errorf("reading line %d: text follows the end of the array; remove it, or use format ndjson", rr.line)
}

// brokenArray ends the reading where the array does not.
func (rr *RowReader) brokenArray(err error) (Row, error) {
	rr.done = true
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return Row{}, rr.wrap(err)
}
