package store

import (
	"math"
	"strings"

	"github.com/ClickHouse/ch-go/proto"

	"headway/classify"
	"headway/schema"
)

// Block collects rows of one partition of one topic column by column, as they
// will be sent: a third of a kilobyte a row, and no pointer for each value.
// It is one goroutine's. The zero value is not usable; NewBlock makes one.
type Block struct {
	fields  []field
	created *plain[int64, proto.ColInt64] // Unix milliseconds
	offsets *plain[int64, proto.ColInt64]
	place   schema.Origin  // of the first row
	foreign *schema.Origin // of a row that is not of the first one's place
}

// NewBlock returns an empty Block.
func NewBlock() *Block {
	b := &Block{fields: requestColumns()}
	for _, f := range b.fields {
		switch f.name {
		case "created_at":
			b.created = f.column.(*plain[int64, proto.ColInt64])
		case "offset":
			b.offsets = f.column.(*plain[int64, proto.ColInt64])
		}
	}
	return b
}

// BlockOf returns a Block of the rows.
func BlockOf(rows []classify.Row) *Block {
	b := NewBlock()
	for i := range rows {
		b.Add(&rows[i])
	}
	return b
}

// Add appends a row and keeps nothing of it but its values. Rows come in
// offset order, all of one epoch of one partition.
func (b *Block) Add(r *classify.Row) {
	o := r.Record.Origin
	if b.Len() == 0 {
		b.place = o
	} else if o.Topic != b.place.Topic || o.Epoch != b.place.Epoch || o.Partition != b.place.Partition {
		b.foreign = &o
	}
	for _, f := range b.fields {
		f.add(r)
	}
}

// Len is the number of rows.
func (b *Block) Len() int { return b.offsets.Rows() }

// Bytes is the memory in use, about.
func (b *Block) Bytes() int64 {
	n := 0
	for _, f := range b.fields {
		n += f.bytes()
	}
	return int64(n)
}

// Reset empties the Block and keeps its memory for the next rows.
func (b *Block) Reset() {
	for _, f := range b.fields {
		f.reset()
	}
	b.place, b.foreign = schema.Origin{}, nil
}

// gather appends rows of another block, by index.
func (b *Block) gather(from *Block, which []int) {
	b.place = from.place
	for i, f := range b.fields {
		f.gather(from.fields[i].column, which)
	}
}

// day is the day of row i, as a number since 1970.
func (b *Block) day(i int) int64 {
	return dayOf(b.created.vals[i])
}

func (b *Block) statement(table string) string {
	names := make([]string, len(b.fields))
	for i, f := range b.fields {
		names[i] = f.name
	}
	return file("insert_requests.sql").render(map[string]string{"table": table, "columns": strings.Join(names, ", ")})
}

func (b *Block) input() proto.Input {
	in := make(proto.Input, len(b.fields))
	for i, f := range b.fields {
		in[i] = proto.InputColumn{Name: f.name, Data: f.column}
	}
	return in
}

// rejectInput is a block of the rejects table.
func rejectInput(rejects []schema.Reject, which []int) proto.Input {
	var (
		topic, source, reason words
		epoch                 proto.ColUInt32
		partition             proto.ColInt32
		offset                proto.ColInt64
		size                  proto.ColUInt64
		received              = plain[int64, proto.ColInt64]{typ: instantType}
	)
	for _, i := range which {
		r := &rejects[i]
		topic.put(r.Origin.Topic)
		source.put(r.Source)
		reason.put(string(r.Reason))
		epoch.Append(r.Origin.Epoch)
		partition.Append(r.Origin.Partition)
		offset.Append(r.Origin.Offset)
		size.Append(uint64(max(r.Bytes, 0)))
		received.vals.Append(r.ReceivedAt.UnixMilli())
	}
	return proto.Input{{Name: "topic", Data: &topic}, {Name: "epoch", Data: epoch}, {Name: "partition", Data: partition}, {Name: "offset", Data: offset},
		{Name: "source", Data: &source}, {Name: "reason", Data: &reason}, {Name: "bytes", Data: size}, {Name: "received_at", Data: &received}}
}

func dayOf(unixMilli int64) int64 {
	return int64(math.Floor(float64(unixMilli) / float64(day.Milliseconds())))
}
