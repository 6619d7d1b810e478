package api

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// table is the flat form of an answer: one line a row. A cell is nil, a
// string, a bool, an int64 or a float64.
type table struct {
	columns []string
	rows    [][]any
}

// encode writes an answer in a format.
func encode(f format, a answer) ([]byte, error) {
	switch f {
	case formatCSV:
		return a.table().csv()
	case formatNDJSON:
		return a.table().ndjson()
	}
	return marshal(a)
}

func marshal(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encoding the answer: %w", err)
	}
	return out.Bytes(), nil
}

func (t table) csv() ([]byte, error) {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	if err := w.Write(t.columns); err != nil {
		return nil, fmt.Errorf("encoding the answer as CSV: %w", err)
	}
	line := make([]string, len(t.columns))
	for _, row := range t.rows {
		for i, cell := range row {
			line[i] = csvCell(cell)
		}
		if err := w.Write(line); err != nil {
			return nil, fmt.Errorf("encoding the answer as CSV: %w", err)
		}
	}
	w.Flush()
	return out.Bytes(), w.Error()
}

// csvCell writes a cell; null is empty. Texts that a spreadsheet would run as
// a formula get an apostrophe in front.
func csvCell(cell any) string {
	switch v := cell.(type) {
	case nil:
		return ""
	case string:
		if v != "" && strings.ContainsRune("=+-@\t\r", rune(v[0])) {
			return "'" + v
		}
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(cell)
}

func (t table) ndjson() ([]byte, error) {
	var out bytes.Buffer
	names := make([][]byte, len(t.columns))
	for i, c := range t.columns {
		names[i] = strconv.AppendQuote(nil, c)
	}
	for _, row := range t.rows {
		out.WriteByte('{')
		for i, cell := range row {
			if i > 0 {
				out.WriteByte(',')
			}
			out.Write(names[i])
			out.WriteByte(':')
			value, err := json.Marshal(cell)
			if err != nil {
				return nil, fmt.Errorf("encoding the answer as NDJSON: %w", err)
			}
			out.Write(value)
		}
		out.WriteString("}\n")
	}
	return out.Bytes(), nil
}

// metaHeader is the meta block as one ASCII line, for formats whose body has
// no place for it; SQL is left to JSON.
func metaHeader(m Meta) (string, error) {
	m.SQL = nil
	raw, err := marshal(m)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, r := range strings.TrimSpace(string(raw)) {
		switch {
		case r < 0x80:
			out.WriteRune(r)
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.String(), nil
}

// cell turns an optional value into a table cell.
func cell[T any](v *T) any {
	if v == nil {
		return nil
	}
	return *v
}
