// Package simulate reads first-token waits from CSV or NDJSON files and
// simulates hedging on them for the command line, without any database.
package simulate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"headway/hedge"
	"headway/schema"
)

// Options say which columns hold what.
type Options struct {
	ValueColumn    string
	Unit           time.Duration // of one unit of the value: second or millisecond
	KeyColumns     []string
	Where          []Condition
	Missing        []string // cells that stand for a missing value
	CensoredColumn string   // true where the wait ended without a token
	TimeColumn     string   // RFC 3339, or a number of seconds since 1970
}

// Condition keeps rows whose column equals the value, or differs from it.
type Condition struct {
	Column, Value string
	Not           bool
}

// Key is one group of rows in order of appearance.
type Key struct {
	Name    map[string]string
	Waits   []hedge.Wait
	Missing int // rows without a value: left out
	Zeros   int // rows with exactly 0, which many tools write for "missing"
}

// Read groups the rows of a file with a header (CSV) or with names (NDJSON,
// JSON array; gzip allowed). Errors name line, column and remedy.
func Read(r io.Reader, o Options) ([]Key, error) {
	rows, err := schema.NewRowReader(r, schema.FormatAuto, 0)
	if err != nil {
		return nil, err
	}
	var keys []Key
	index := map[string]int{}
	for first := true; ; first = false {
		row, err := rows.Next()
		if errors.Is(err, io.EOF) {
			return keys, nil
		}
		if err != nil {
			return nil, err
		}
		if row.Reject != nil {
			return nil, fmt.Errorf("line %d: %w", row.Line, row.Reject)
		}
		var cells map[string]any
		if err := json.Unmarshal(row.JSON, &cells); err != nil {
			return nil, fmt.Errorf("line %d: not an object of columns: %w", row.Line, err)
		}
		if first {
			if err := o.check(cells); err != nil {
				return nil, err
			}
		}
		if err := o.add(&keys, index, cells); err != nil {
			return nil, fmt.Errorf("line %d: %w", row.Line, err)
		}
	}
}

// check refuses columns that the first row lacks, naming those it has.
func (o Options) check(cells map[string]any) error {
	var have []string
	for name := range cells {
		have = append(have, name)
	}
	slices.Sort(have)
	wanted := append([]string{o.ValueColumn}, o.KeyColumns...)
	for _, c := range o.Where {
		wanted = append(wanted, c.Column)
	}
	for _, optional := range []string{o.CensoredColumn, o.TimeColumn} {
		if optional != "" {
			wanted = append(wanted, optional)
		}
	}
	for _, name := range wanted {
		if _, ok := cells[name]; !ok {
			return fmt.Errorf("there is no column %q; the first row has %s", name, strings.Join(have, ", "))
		}
	}
	return nil
}

func (o Options) add(keys *[]Key, index map[string]int, cells map[string]any) error {
	for _, c := range o.Where {
		if (text(cells[c.Column]) == c.Value) == c.Not {
			return nil
		}
	}
	name := map[string]string{}
	id := ""
	for _, k := range o.KeyColumns {
		name[k] = text(cells[k])
		id += name[k] + "\x00"
	}
	at, ok := index[id]
	if !ok {
		at = len(*keys)
		index[id] = at
		*keys = append(*keys, Key{Name: name})
	}
	k := &(*keys)[at]
	value := text(cells[o.ValueColumn])
	if value == "" || slices.Contains(o.Missing, value) {
		k.Missing++
		return nil
	}
	w, err := o.wait(value, cells)
	if err != nil {
		return err
	}
	k.Waits = append(k.Waits, w)
	if w.Micros == 0 {
		k.Zeros++
	}
	return nil
}

func (o Options) wait(value string, cells map[string]any) (hedge.Wait, error) {
	v, err := strconv.ParseFloat(value, 64)
	switch {
	case err != nil || strings.ContainsAny(value, "_xX") || math.IsNaN(v) || math.IsInf(v, 0):
		return hedge.Wait{}, fmt.Errorf("column %s: %q is not a number; name such cells with --missing", o.ValueColumn, value)
	case v < 0:
		return hedge.Wait{}, fmt.Errorf("column %s: %q is negative; name such cells with --missing", o.ValueColumn, value)
	case v*o.Unit.Seconds() > schema.MaxSpan.Seconds():
		return hedge.Wait{}, fmt.Errorf("column %s: %q is longer than %s; is --unit right?", o.ValueColumn, value, schema.MaxSpan)
	}
	w := hedge.Wait{Micros: int64(math.Round(v * float64(o.Unit.Microseconds())))}
	if o.CensoredColumn != "" {
		c := text(cells[o.CensoredColumn])
		if w.Censored, err = strconv.ParseBool(c); err != nil && c != "" {
			return w, fmt.Errorf("column %s: %q is neither true nor false", o.CensoredColumn, c)
		}
	}
	if o.TimeColumn != "" {
		if w.At, err = instant(text(cells[o.TimeColumn])); err != nil {
			return w, fmt.Errorf("column %s: %w", o.TimeColumn, err)
		}
	}
	return w, nil
}

func instant(s string) (time.Time, error) {
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t, nil
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil && !math.IsNaN(f) && math.Abs(f) < 1e11 {
		return time.Unix(0, int64(f*1e9)), nil
	}
	return time.Time{}, fmt.Errorf("%q is no time; use RFC 3339 with a zone, or seconds since 1970", s)
}

// text is a cell as it is written in a CSV file; null is empty, and what is
// no single value can be no number and no key.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return strings.TrimSpace(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	}
	return "(not a single value)"
}
