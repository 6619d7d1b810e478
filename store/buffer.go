package store

import (
	"math"
	"slices"
	"time"

	"headway/classify"
	"headway/schema"
)

// column is one column of a block, and how a row fills it.
type column struct {
	name string
	buf  buffer
}

// buffer collects one column of a block. It is reused from block to block.
type buffer interface {
	// reset empties the buffer and makes room for n rows.
	reset(n int)
	// add appends one row's value.
	add(r *classify.Row)
	// values returns what was collected, as the driver takes a column.
	values() any
	// bytes is what was collected, about.
	bytes() int
}

// plain collects values that every row has.
type plain[T any] struct {
	get  func(*classify.Row) T
	vals []T
	size func(T) int
	sum  int
}

func (b *plain[T]) reset(n int) { b.vals, b.sum = slices.Grow(b.vals[:0], n), 0 }
func (b *plain[T]) values() any { return b.vals }
func (b *plain[T]) bytes() int  { return b.sum }
func (b *plain[T]) add(r *classify.Row) {
	v := b.get(r)
	b.vals = append(b.vals, v)
	b.sum += b.size(v)
}

func eight[T any](T) int { return 8 }

func text(name string, get func(*classify.Row) string) column {
	return column{name, &plain[string]{get: get, size: func(s string) int { return len(s) + 1 }}}
}

func instant(name string, get func(*classify.Row) time.Time) column {
	return column{name, &plain[time.Time]{get: get, size: eight[time.Time]}}
}

func number[T uint16 | uint32 | int32 | int64](name string, get func(*classify.Row) T) column {
	return column{name, &plain[T]{get: get, size: eight[T]}}
}

// nullable collects values that a row may lack: pointers into one array, so
// that a block costs no allocation per value.
type nullable[T any] struct {
	get  func(*classify.Row) (T, bool)
	vals []T
	ptrs []*T
}

func (b *nullable[T]) reset(n int) {
	// The array must not move while ptrs point into it.
	b.vals, b.ptrs = slices.Grow(b.vals[:0], n), slices.Grow(b.ptrs[:0], n)
}
func (b *nullable[T]) values() any { return b.ptrs }
func (b *nullable[T]) bytes() int  { return 9 * len(b.ptrs) }
func (b *nullable[T]) add(r *classify.Row) {
	v, ok := b.get(r)
	if !ok {
		b.ptrs = append(b.ptrs, nil)
		return
	}
	b.vals = append(b.vals, v)
	b.ptrs = append(b.ptrs, &b.vals[len(b.vals)-1])
}

func optional[T any](name string, get func(*classify.Row) (T, bool)) column {
	return column{name, &nullable[T]{get: get}}
}

func yesNo(name string, get func(*classify.Row) schema.Opt[bool]) column {
	return optional(name, func(r *classify.Row) (bool, bool) { return get(r).Get() })
}

// span is a time in microseconds. Negative times can't be: they are missing.
func span(name string, get func(*schema.Record) schema.Opt[time.Duration]) column {
	return optional(name, func(r *classify.Row) (uint64, bool) {
		d := get(&r.Record)
		return uint64(d.Value / time.Microsecond), d.Valid && d.Value >= 0
	})
}

func count(name string, get func(*schema.Record) schema.Opt[int64]) column {
	return optional(name, func(r *classify.Row) (uint32, bool) {
		n := get(&r.Record)
		return uint32(n.Value), n.Valid && n.Value >= 0 && n.Value <= math.MaxUint32
	})
}

// rate is a real number; what is not finite is missing.
func rate(name string, get func(*schema.Record) schema.Opt[float64]) column {
	return optional(name, func(r *classify.Row) (float64, bool) {
		f := get(&r.Record)
		return f.Value, f.Valid && !math.IsNaN(f.Value) && !math.IsInf(f.Value, 0)
	})
}

// lists collects arrays; all elements of a block stand in one array.
type lists[T any] struct {
	fill func(*classify.Row, []T) []T
	size func(T) int
	all  []T
	rows [][]T
	sum  int
}

func (b *lists[T]) reset(n int) {
	b.all, b.rows, b.sum = b.all[:0], slices.Grow(b.rows[:0], n), 0
}
func (b *lists[T]) values() any { return b.rows }
func (b *lists[T]) bytes() int  { return b.sum }
func (b *lists[T]) add(r *classify.Row) {
	from := len(b.all)
	b.all = b.fill(r, b.all)
	row := b.all[from:len(b.all):len(b.all)]
	b.rows = append(b.rows, row)
	b.sum += 8
	for _, v := range row {
		b.sum += b.size(v)
	}
}

func list(name string, fill func(*classify.Row, []string) []string) column {
	return column{name, &lists[string]{fill: fill, size: func(s string) int { return len(s) + 1 }}}
}

func evidence[T any](name string, get func(classify.Evidence) T) column {
	return column{name, &lists[T]{size: func(T) int { return 24 }, fill: func(r *classify.Row, to []T) []T {
		for _, e := range r.Verdict.Evidence {
			to = append(to, get(e))
		}
		return to
	}}}
}
