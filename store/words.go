package store

import (
	"encoding/binary"

	"github.com/ClickHouse/ch-go/proto"

	"headway/classify"
)

// words holds texts that repeat, as LowCardinality(String): each of them once,
// and a number for each row. The server would build the same dictionary from
// plain texts, at several times the cost.
type words struct {
	get    func(*classify.Row) string
	known  map[string]int
	data   []byte // the dictionary: length and bytes, one after the other
	dict   []string
	keys   proto.ColUInt16
	wide   proto.ColUInt32 // instead of keys, once there are more than 65,536 texts
	last   string
	latest int
}

// Widths of the numbers, and marks, as the native protocol has them.
const (
	wordVersion = 1      // shared dictionaries with additional keys
	wordMarks   = 3 << 9 // additional keys come with the block, which has its own dictionary
	narrowWords = 1 << 8
	mostWords   = 1 << 16
)

func (c *words) Type() proto.ColumnType {
	return proto.ColumnTypeLowCardinality.Sub(proto.ColumnTypeString)
}
func (c *words) Rows() int                   { return len(c.keys) + len(c.wide) }
func (c *words) EncodeState(b *proto.Buffer) { b.PutInt64(wordVersion) }
func (c *words) add(r *classify.Row)         { c.put(c.get(r)) }

// put appends one text.
func (c *words) put(s string) {
	if len(c.dict) == 0 || s != c.last {
		c.last, c.latest = s, c.index(s)
	}
	if c.wide != nil {
		c.wide = append(c.wide, uint32(c.latest))
		return
	}
	c.keys = append(c.keys, uint16(c.latest))
}

// index is the text's place in the dictionary, which gets it if it is new.
func (c *words) index(s string) int {
	if i, ok := c.known[s]; ok {
		return i
	}
	if c.known == nil {
		c.known = map[string]int{}
	}
	i := len(c.dict)
	if i == mostWords {
		c.wide = make(proto.ColUInt32, len(c.keys), 2*len(c.keys))
		for n, k := range c.keys {
			c.wide[n] = uint32(k)
		}
		c.keys = nil
	}
	c.known[s] = i
	c.dict = append(c.dict, s)
	c.data = append(binary.AppendUvarint(c.data, uint64(len(s))), s...)
	return i
}

func (c *words) EncodeColumn(b *proto.Buffer) {
	if c.Rows() > 0 {
		c.encodeHead(b)
		c.encodeKeys(b)
	}
}

func (c *words) WriteColumn(w *proto.Writer) {
	if c.Rows() == 0 {
		return
	}
	w.ChainBuffer(c.encodeHead)
	switch {
	case c.wide != nil:
		c.wide.WriteColumn(w)
	case len(c.dict) > narrowWords:
		c.keys.WriteColumn(w)
	default:
		w.ChainBuffer(c.encodeKeys)
	}
}

// encodeHead writes the dictionary, and how many numbers follow.
func (c *words) encodeHead(b *proto.Buffer) {
	width := int64(proto.KeyUInt8)
	switch {
	case c.wide != nil:
		width = int64(proto.KeyUInt32)
	case len(c.dict) > narrowWords:
		width = int64(proto.KeyUInt16)
	}
	b.PutInt64(wordMarks | width)
	b.PutInt64(int64(len(c.dict)))
	b.PutRaw(c.data)
	b.PutInt64(int64(c.Rows()))
}

func (c *words) encodeKeys(b *proto.Buffer) {
	switch {
	case c.wide != nil:
		c.wide.EncodeColumn(b)
	case len(c.dict) > narrowWords:
		c.keys.EncodeColumn(b)
	default:
		for _, k := range c.keys {
			b.PutByte(byte(k))
		}
	}
}

// at is the text of row i.
func (c *words) at(i int) string {
	if c.wide != nil {
		return c.dict[c.wide[i]]
	}
	return c.dict[c.keys[i]]
}

func (c *words) take(from elements, i int) { c.put(from.(*words).at(i)) }

func (c *words) gather(from column, which []int) {
	f := from.(*words)
	for _, i := range which {
		c.put(f.at(i))
	}
}

func (c *words) reset() {
	clear(c.known)
	clear(c.dict)
	c.dict, c.data, c.keys, c.wide, c.last = c.dict[:0], c.data[:0], c.keys[:0], nil, ""
}

// bytes counts a text of the dictionary with its places in map and slice.
func (c *words) bytes() int { return 2*len(c.keys) + 4*len(c.wide) + 2*len(c.data) + 64*len(c.dict) }
