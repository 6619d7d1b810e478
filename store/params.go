package store

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"headway/query"
)

// params are a statement's typed parameters, by name, as the server reads
// them: texts escaped as in TSV, lists as array literals.
type params struct {
	values clickhouse.Parameters
}

func (p *params) set(name, value string) {
	if p.values == nil {
		p.values = clickhouse.Parameters{}
	}
	p.values[name] = value
}

func (p *params) text(name, v string)           { p.set(name, escapeText(v)) }
func (p *params) number(name string, v int64)   { p.set(name, strconv.FormatInt(v, 10)) }
func (p *params) time(name string, v time.Time) { p.set(name, timeText(v)) }

// window sets a question's window, cut to the days that can hold rows: the
// statements round it to hours, which DateTime holds only that far.
func (p *params) window(w query.Window) {
	p.time("from", clamp(w.From))
	p.time("to", clamp(w.To))
}

func clamp(t time.Time) time.Time {
	switch {
	case t.Before(firstDay):
		return firstDay
	case t.After(lastDay):
		return lastDay
	}
	return t
}

func (p *params) float(name string, v float64) {
	p.set(name, strings.ToLower(strconv.FormatFloat(v, 'g', -1, 64))) // +inf as ClickHouse writes it
}

// list sets an Array(String), numbers one of Int64 and uints one of UInt64.
func (p *params) list(name string, v []string)   { p.set(name, quoteList(v)) }
func (p *params) numbers(name string, v []int64) { p.set(name, numberList(v)) }
func (p *params) uints(name string, v []uint64)  { p.set(name, numberList(v)) }

// attach puts the parameters on a context of the driver.
func (p *params) attach(ctx context.Context) context.Context {
	return clickhouse.Context(ctx, clickhouse.WithParameters(p.values))
}

func numberList[T int64 | uint64](v []T) string {
	out := []byte{'['}
	for i, n := range v {
		if i > 0 {
			out = append(out, ',')
		}
		out = fmt.Append(out, n)
	}
	return string(append(out, ']'))
}

func quoteList(v []string) string {
	texts := make([]string, len(v))
	for i := range v {
		texts[i] = quoteText(v[i])
	}
	return "[" + strings.Join(texts, ",") + "]"
}

// quoteText writes a string literal.
func quoteText(v string) string { return "'" + quoteEscapes.Replace(v) + "'" }

// escapeText writes a text as the server reads a parameter of type String.
func escapeText(v string) string { return textEscapes.Replace(v) }

var (
	textEscapes  = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`, "\x00", `\0`)
	quoteEscapes = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`, "\x00", `\0`, `'`, `\'`)
)
