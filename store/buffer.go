package store

import (
	"encoding/binary"
	"math"
	"slices"
	"time"

	"github.com/ClickHouse/ch-go/proto"

	"headway/classify"
	"headway/schema"
)

// column is one column of a Block, in the layout of ClickHouse's native
// protocol: values of a width in one array, texts one after the other, and of
// texts that repeat each once. Sending it copies next to nothing.
type column interface {
	proto.ColInput
	// add appends one row's value.
	add(r *classify.Row)
	// gather appends values of another column of the same kind, by index.
	gather(from column, which []int)
	// reset empties the column and keeps its memory.
	reset()
	// bytes is the memory in use.
	bytes() int
}

// wide are ch-go's arrays of values of one width.
type wide[T any] interface {
	~[]T
	proto.ColInput
}

// plain holds values that every row has.
type plain[T any, C wide[T]] struct {
	get  func(*classify.Row) T
	typ  proto.ColumnType
	size int // bytes of a value
	vals C
}

func (c *plain[T, C]) Type() proto.ColumnType       { return c.typ }
func (c *plain[T, C]) Rows() int                    { return len(c.vals) }
func (c *plain[T, C]) EncodeColumn(b *proto.Buffer) { c.vals.EncodeColumn(b) }
func (c *plain[T, C]) WriteColumn(w *proto.Writer)  { c.vals.WriteColumn(w) }
func (c *plain[T, C]) add(r *classify.Row)          { c.vals = append(c.vals, c.get(r)) }
func (c *plain[T, C]) reset()                       { c.vals = c.vals[:0] }
func (c *plain[T, C]) bytes() int                   { return c.size * len(c.vals) }
func (c *plain[T, C]) gather(from column, which []int) {
	vals := from.(*plain[T, C]).vals
	c.vals = slices.Grow(c.vals, len(which))
	for _, i := range which {
		c.vals = append(c.vals, vals[i])
	}
}

// nullable holds values that a row may lack, and which ones it lacks.
type nullable[T any, C wide[T]] struct {
	get   func(*classify.Row) (T, bool)
	nulls proto.ColUInt8
	plain[T, C]
}

func (c *nullable[T, C]) Type() proto.ColumnType { return proto.ColumnTypeNullable.Sub(c.typ) }
func (c *nullable[T, C]) EncodeColumn(b *proto.Buffer) {
	c.nulls.EncodeColumn(b)
	c.vals.EncodeColumn(b)
}
func (c *nullable[T, C]) WriteColumn(w *proto.Writer) {
	c.nulls.WriteColumn(w)
	c.vals.WriteColumn(w)
}
func (c *nullable[T, C]) reset()     { c.nulls = c.nulls[:0]; c.plain.reset() }
func (c *nullable[T, C]) bytes() int { return len(c.nulls) + c.plain.bytes() }
func (c *nullable[T, C]) add(r *classify.Row) {
	v, ok := c.get(r)
	null := uint8(0)
	if !ok {
		var zero T
		v, null = zero, 1
	}
	c.nulls, c.vals = append(c.nulls, null), append(c.vals, v)
}
func (c *nullable[T, C]) gather(from column, which []int) {
	f := from.(*nullable[T, C])
	for _, i := range which {
		c.nulls = append(c.nulls, f.nulls[i])
	}
	c.plain.gather(&f.plain, which)
}

// texts holds strings that hardly repeat: length and bytes, one after the
// other.
type texts struct {
	get    func(*classify.Row) string
	data   []byte
	starts []uint32
}

func (c *texts) Type() proto.ColumnType       { return proto.ColumnTypeString }
func (c *texts) Rows() int                    { return len(c.starts) }
func (c *texts) EncodeColumn(b *proto.Buffer) { b.PutRaw(c.data) }
func (c *texts) WriteColumn(w *proto.Writer)  { w.ChainWrite(c.data) }
func (c *texts) reset()                       { c.data, c.starts = c.data[:0], c.starts[:0] }
func (c *texts) bytes() int                   { return len(c.data) + 8*len(c.starts) }
func (c *texts) add(r *classify.Row) {
	s := c.get(r)
	c.starts = append(c.starts, uint32(len(c.data)))
	c.data = append(binary.AppendUvarint(c.data, uint64(len(s))), s...)
}
func (c *texts) gather(from column, which []int) {
	f := from.(*texts)
	for _, i := range which {
		end := len(f.data)
		if i+1 < len(f.starts) {
			end = int(f.starts[i+1])
		}
		c.starts = append(c.starts, uint32(len(c.data)))
		c.data = append(c.data, f.data[f.starts[i]:end]...)
	}
}

// lists holds arrays: where each row's ends, and all elements one after the
// other. Columns whose arrays are equally long share the ends.
type lists struct {
	ends  *proto.ColUInt64 // exclusive
	lead  bool             // this column fills ends
	items elements
	each  func(r *classify.Row, n int) // appends row r's elements from n on
	count func(r *classify.Row) int
}

// elements is the inner column of an array.
type elements interface {
	proto.ColInput
	take(from elements, i int)
	reset()
	bytes() int
}

func (c *lists) Type() proto.ColumnType { return proto.ColumnTypeArray.Sub(c.items.Type()) }
func (c *lists) Rows() int              { return len(*c.ends) }
func (c *lists) EncodeState(b *proto.Buffer) {
	if s, ok := c.items.(proto.StateEncoder); ok {
		s.EncodeState(b)
	}
}
func (c *lists) EncodeColumn(b *proto.Buffer) {
	c.ends.EncodeColumn(b)
	c.items.EncodeColumn(b)
}
func (c *lists) WriteColumn(w *proto.Writer) {
	c.ends.WriteColumn(w)
	c.items.WriteColumn(w)
}
func (c *lists) reset() {
	c.items.reset()
	if c.lead {
		*c.ends = (*c.ends)[:0]
	}
}
func (c *lists) bytes() int { return 8*len(*c.ends) + c.items.bytes() }
func (c *lists) add(r *classify.Row) {
	n := c.count(r)
	for i := range n {
		c.each(r, i)
	}
	if c.lead {
		*c.ends = append(*c.ends, uint64(c.items.Rows()))
	}
}
func (c *lists) gather(from column, which []int) {
	f := from.(*lists)
	for _, i := range which {
		begin := uint64(0)
		if i > 0 {
			begin = (*f.ends)[i-1]
		}
		for at := begin; at < (*f.ends)[i]; at++ {
			c.items.take(f.items, int(at))
		}
		if c.lead {
			*c.ends = append(*c.ends, uint64(c.items.Rows()))
		}
	}
}

// numbers are array elements of one width.
type numbers[T any, C wide[T]] struct {
	vals C
	size int
}

func (e *numbers[T, C]) Type() proto.ColumnType       { return e.vals.Type() }
func (e *numbers[T, C]) Rows() int                    { return len(e.vals) }
func (e *numbers[T, C]) EncodeColumn(b *proto.Buffer) { e.vals.EncodeColumn(b) }
func (e *numbers[T, C]) WriteColumn(w *proto.Writer)  { e.vals.WriteColumn(w) }
func (e *numbers[T, C]) reset()                       { e.vals = e.vals[:0] }
func (e *numbers[T, C]) bytes() int                   { return e.size * len(e.vals) }
func (e *numbers[T, C]) take(from elements, i int) {
	e.vals = append(e.vals, from.(*numbers[T, C]).vals[i])
}

// instantType is the type of instants: Unix milliseconds.
const instantType proto.ColumnType = "DateTime64(3, 'UTC')"

// The kinds of columns that the requests table has.

type field struct {
	name string
	column
}

func text(name string, get func(*classify.Row) string) field {
	return field{name, &texts{get: get}}
}

// word is a text that repeats.
func word(name string, get func(*classify.Row) string) field {
	return field{name, &words{get: get}}
}

func instant(name string, get func(*classify.Row) time.Time) field {
	return field{name, &plain[int64, proto.ColInt64]{typ: instantType, size: 8,
		get: func(r *classify.Row) int64 { return get(r).UnixMilli() }}}
}

func number[T any, C wide[T]](name string, size int, get func(*classify.Row) T) field {
	var c C
	return field{name, &plain[T, C]{get: get, typ: c.Type(), size: size}}
}

func optional[T any, C wide[T]](name string, size int, get func(*classify.Row) (T, bool)) field {
	var c C
	return field{name, &nullable[T, C]{get: get, plain: plain[T, C]{typ: c.Type(), size: size}}}
}

func yesNo(name string, get func(*classify.Row) schema.Opt[bool]) field {
	return optional[bool, proto.ColBool](name, 1, func(r *classify.Row) (bool, bool) { return get(r).Get() })
}

// span is a time in microseconds. Negative times can't be: they are missing.
func span(name string, get func(*schema.Record) schema.Opt[time.Duration]) field {
	return optional[uint64, proto.ColUInt64](name, 8, func(r *classify.Row) (uint64, bool) {
		d := get(&r.Record)
		return uint64(d.Value / time.Microsecond), d.Valid && d.Value >= 0
	})
}

func count(name string, get func(*schema.Record) schema.Opt[int64]) field {
	return optional[uint32, proto.ColUInt32](name, 4, func(r *classify.Row) (uint32, bool) {
		n := get(&r.Record)
		return uint32(n.Value), n.Valid && n.Value >= 0 && n.Value <= math.MaxUint32
	})
}

// rate is a real number; what is not finite is missing.
func rate(name string, get func(*schema.Record) schema.Opt[float64]) field {
	return optional[float64, proto.ColFloat64](name, 8, func(r *classify.Row) (float64, bool) {
		f := get(&r.Record)
		return f.Value, f.Valid && !math.IsNaN(f.Value) && !math.IsInf(f.Value, 0)
	})
}

// list is an array of texts that repeat.
func list(name string, length func(*classify.Row) int, get func(*classify.Row, int) string) field {
	items := &words{}
	return field{name, &lists{ends: new(proto.ColUInt64), lead: true, items: items, count: length,
		each: func(r *classify.Row, i int) { items.put(get(r, i)) }}}
}
