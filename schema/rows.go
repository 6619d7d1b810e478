package schema

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
)

// Format is the shape of a file of records.
type Format string

// The formats. Each may be compressed with gzip, which is detected.
const (
	FormatAuto   Format = ""       // by the first character: [ is json, { is ndjson, else csv
	FormatNDJSON Format = "ndjson" // one JSON object a line
	FormatJSON   Format = "json"   // one JSON array of objects
	FormatCSV    Format = "csv"    // a header, then one row a line; a field can't hold a line break
)

// ParseFormat reads a setting.
func ParseFormat(s string) (Format, error) {
	switch f := Format(s); f {
	case FormatAuto, FormatNDJSON, FormatJSON, FormatCSV:
		return f, nil
	}
	return "", fmt.Errorf("format %q: use ndjson, json or csv, or none to detect it", s)
}

// Row is one row of a file.
type Row struct {
	Line   int          // where it begins, from 1
	JSON   []byte       // for Decoder.Decode; valid until the next row; CSV cells are strings
	Bytes  int          // size in the file
	Reject *RejectError // why the row can't be read; JSON is then nil
}

// RowReader reads the rows of a file one by one, in memory bounded by the
// size limit of a row: a longer row is reported and passed over, and its
// neighbours are not lost.
type RowReader struct {
	in     *bufio.Reader
	max    int
	format Format
	line   int    // line that the next byte is on
	buf    []byte // the row
	json   []byte // a CSV row as JSON
	header [][]byte
	fields [][]byte
	source Source // whose columns a CSV must name; the zero Source takes any
	noCSV  bool
	first  bool // no element of the array was read
	closed bool // the array's bracket was read
	done   bool
	empty  bool
}

// RowOptions say what a file of rows may be.
type RowOptions struct {
	Format      Format
	MaxBytes    int    // of a row; 0 means DefaultMaxBytes
	MaxUnpacked int64  // bytes that gzip may yield; 0 is no bound, see Unpack
	OnlyJSON    bool   // what is detected is NDJSON or an array, never CSV
	Source      Source // a CSV must name one of its columns; the zero Source takes any
}

// NewRowReader begins to read r; maxBytes bounds a row, 0 means
// DefaultMaxBytes. An error says what the file should be.
func NewRowReader(r io.Reader, format Format, maxBytes int) (*RowReader, error) {
	return OpenRows(r, RowOptions{Format: format, MaxBytes: maxBytes})
}

// OpenRows begins to read r. An error says what the file should be, with a
// *RejectError in its chain where it is no JSON although it has to be.
func OpenRows(r io.Reader, o RowOptions) (*RowReader, error) {
	if _, err := ParseFormat(string(o.Format)); err != nil {
		return nil, err
	}
	setDefault(&o.MaxBytes, DefaultMaxBytes)
	in, err := Unpack(r, o.MaxUnpacked)
	if err != nil {
		return nil, err
	}
	rr := &RowReader{in: in, max: o.MaxBytes, format: o.Format, line: 1, first: true, noCSV: o.OnlyJSON, source: o.Source}
	return rr, rr.start()
}

// Empty tells that the file holds nothing but white space.
func (rr *RowReader) Empty() bool { return rr.empty }

// Format returns the format, the detected one where none was given.
func (rr *RowReader) Format() Format { return rr.format }

// start passes over a byte order mark, settles the format, and reads what
// stands before the first row.
func (rr *RowReader) start() error {
	if bom, err := rr.in.Peek(3); err == nil && string(bom) == "\xef\xbb\xbf" {
		rr.in.Discard(3) //nolint:errcheck // three bytes were peeked
	}
	c, err := rr.skipSpace()
	switch {
	case err == io.EOF:
		rr.done, rr.empty = true, true
		return nil
	case err != nil:
		return rr.wrap(err)
	case rr.format == FormatAuto && c == '[':
		rr.format = FormatJSON
	case rr.format == FormatAuto && c == '{':
		rr.format = FormatNDJSON
	case rr.format == FormatAuto && rr.noCSV:
		return &RejectError{Reason: ReasonNotJSON, Remedy: "the file begins with neither { nor [; send JSON objects, one a line or in an array, UTF-8, or say that it is CSV"}
	case rr.format == FormatAuto:
		rr.format = FormatCSV
	}
	switch rr.format {
	case FormatJSON:
		if c != '[' {
			return fmt.Errorf("reading line %d: the file is no JSON array; begin it with [, or use format ndjson", rr.line)
		}
		rr.in.Discard(1) //nolint:errcheck // one byte was peeked
	case FormatCSV:
		return rr.readHeader()
	}
	return nil
}

// Next returns the next row, or io.EOF after the last. Any other error ends
// the reading: the file can't be read further.
func (rr *RowReader) Next() (Row, error) {
	if rr.done {
		return Row{}, io.EOF
	}
	if rr.format == FormatJSON {
		return rr.nextElement()
	}
	for {
		row, err := rr.nextLine()
		if err != nil || row.Reject != nil {
			return row, err
		}
		if row.JSON = bytes.TrimSpace(row.JSON); len(row.JSON) == 0 {
			continue
		}
		if rr.format == FormatCSV {
			rr.rowToJSON(&row)
		}
		return row, nil
	}
}

// nextLine reads one line, or passes over one that is too long.
func (rr *RowReader) nextLine() (Row, error) {
	row := Row{Line: rr.line}
	rr.buf = rr.buf[:0]
	for {
		chunk, err := rr.in.ReadSlice('\n')
		row.Bytes += len(chunk)
		if row.Bytes <= rr.max+2 { // the line end is not the row's
			rr.buf = append(rr.buf, chunk...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF:
			rr.done = true
			if row.Bytes == 0 {
				return Row{}, io.EOF
			}
		case err != nil:
			rr.done = true
			return Row{}, rr.wrap(err)
		}
		break
	}
	rr.line++
	body := bytes.TrimRight(rr.buf, "\r\n")
	if row.Bytes > rr.max+2 || len(body) > rr.max {
		row.Reject = reject(ReasonTooLarge)
		return row, nil
	}
	row.JSON, row.Bytes = body, len(body)
	return row, nil
}

// skipSpace passes over white space and returns the byte behind it unread.
func (rr *RowReader) skipSpace() (byte, error) {
	for {
		c, err := rr.in.ReadByte()
		if err != nil {
			return 0, err
		}
		switch c {
		case '\n':
			rr.line++
		case ' ', '\t', '\r':
		default:
			return c, rr.in.UnreadByte()
		}
	}
}

func (rr *RowReader) wrap(err error) error {
	return fmt.Errorf("reading line %d: %w; the rows before it were read, the file is cut off or damaged", rr.line, err)
}
