package store

import (
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"headway/classify"
	"headway/schema"
)

// block is what one INSERT sends: columns, collected before anything is sent.
type block interface {
	// statement is the INSERT with its columns.
	statement(table string) string
	// fill appends the columns to a prepared batch.
	fill(b driver.Batch) error
	// rows and bytes say how large it is.
	rows() int
	bytes() int
}

// rowBlock collects rows of the requests table.
type rowBlock struct {
	cols []column
	n    int
}

func newRowBlock() *rowBlock { return &rowBlock{cols: requestColumns()} }

// collect takes the rows whose indexes are given.
func (b *rowBlock) collect(rows []classify.Row, which []int) {
	b.n = len(which)
	for _, c := range b.cols {
		c.buf.reset(len(which))
		for _, i := range which {
			c.buf.add(&rows[i])
		}
	}
}

func (b *rowBlock) rows() int { return b.n }

func (b *rowBlock) bytes() int {
	n := 0
	for _, c := range b.cols {
		n += c.buf.bytes()
	}
	return n
}

func (b *rowBlock) statement(table string) string {
	names := make([]string, len(b.cols))
	for i, c := range b.cols {
		names[i] = c.name
	}
	return file("insert_requests.sql").render(map[string]string{"table": table, "columns": strings.Join(names, ", ")})
}

func (b *rowBlock) fill(batch driver.Batch) error {
	for i, c := range b.cols {
		if err := batch.Column(i).Append(c.buf.values()); err != nil {
			return err
		}
	}
	return nil
}

// rejectBlock is a block of the rejects table: refused messages are few, so
// they are appended row by row.
type rejectBlock []schema.Reject

func (b rejectBlock) rows() int { return len(b) }

func (b rejectBlock) bytes() int {
	n := 0
	for _, r := range b {
		n += 40 + len(r.Origin.Topic) + len(r.Source) + len(r.Reason)
	}
	return n
}

func (b rejectBlock) statement(table string) string {
	return file("insert_rejects.sql").render(map[string]string{"table": table})
}

func (b rejectBlock) fill(batch driver.Batch) error {
	for _, r := range b {
		o := r.Origin
		if err := batch.Append(o.Topic, o.Epoch, o.Partition, o.Offset, r.Source, string(r.Reason), uint64(max(r.Bytes, 0)), r.ReceivedAt); err != nil {
			return err
		}
	}
	return nil
}
