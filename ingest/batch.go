package ingest

import (
	"slices"
	"strings"
	"time"

	"headway/classify"
	"headway/schema"
)

// batch is what is landed at once: a range of offsets with a row or a reject
// for each message in it.
type batch struct {
	first, last int64
	next        int64  // where reading goes on; above last+1 where markers follow
	rows        Rows   // of the whole batch that was read, also where this is a part of it
	kept        []kept // of this batch's messages that are rows, in offset order
	rejects     []schema.Reject
	bytes       int       // payload
	oldest      time.Time // when its first message was taken
	memory      int64     // accounted for
	tally       tally
	again       bool // some of it may have landed before this process read it
	// at is when what is refused of it arrived, one time for all and for
	// whoever lands it: tokens hold within a day.
	at time.Time
}

// kept is what a row that the sink refuses is made a reject of.
type kept struct {
	offset int64
	size   int // payload bytes of its message
	source string
}

// keptSize is what a kept takes.
const keptSize = 40

func (b *batch) len() int { return len(b.kept) + len(b.rejects) }

func (b *batch) fill() fill { return fill{rows: b.len(), bytes: b.bytes, oldest: b.oldest} }

// cost is the memory that the batch takes.
func (b *batch) cost() int64 {
	return b.rows.Bytes() + int64(len(b.kept)*keptSize) + int64(len(b.rejects))*rejectCost
}

const rejectCost = 160

// keep takes a row over.
func (b *batch) keep(row *classify.Row, size int) {
	b.rows.Add(row)
	b.kept = append(b.kept, kept{offset: row.Record.Origin.Offset, size: size, source: row.Record.Source})
	b.tally.add(&row.Record)
}

// split cuts a batch of at least two rows in the middle of its rows. The
// parts share the batch's memory. The first part tells of both.
func (b *batch) split() (left, right *batch) {
	mid := len(b.kept) / 2
	at := b.kept[mid].offset // first offset of the right part
	n := 0
	for n < len(b.rejects) && b.rejects[n].Origin.Offset < at {
		n++
	}
	left = &batch{first: b.first, last: at - 1, next: at, rows: b.rows, kept: b.kept[:mid:mid], rejects: b.rejects[:n:n], tally: b.tally, again: b.again, at: b.at}
	right = &batch{first: at, last: b.last, next: b.next, rows: b.rows, kept: b.kept[mid:], rejects: b.rejects[n:], again: b.again, at: b.at}
	return left, right
}

// refuse turns rows into rejects: those at the offsets, or all where there is
// none. It returns how many.
func (b *batch) refuse(offsets map[int64]bool, at place, epoch uint32) int {
	var refused []schema.Reject
	b.kept = slices.DeleteFunc(slices.Clone(b.kept), func(k kept) bool {
		if len(offsets) > 0 && !offsets[k.offset] {
			return false
		}
		origin := schema.Origin{Topic: at.topic, Epoch: epoch, Partition: at.partition, Offset: k.offset}
		refused = append(refused, schema.Reject{Origin: origin, Source: k.source, Reason: schema.ReasonRefused, Bytes: k.size, ReceivedAt: b.at})
		return true
	})
	b.rejects = mergeRejects(b.rejects, refused)
	return len(refused)
}

// arrived settles when what is refused of the batch arrived: now, unless the
// intent of a former owner said.
func (b *batch) arrived(now time.Time) {
	if b.at.IsZero() {
		b.at = now.UTC().Truncate(time.Millisecond)
	}
	for i := range b.rejects {
		b.rejects[i].ReceivedAt = b.at
	}
}

// mergeRejects keeps offset order.
func mergeRejects(a, b []schema.Reject) []schema.Reject {
	out := make([]schema.Reject, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0].Origin.Offset < b[0].Origin.Offset {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// reset empties the batch and keeps its memory.
func (b *batch) reset() {
	b.rows.Reset()
	*b = batch{rows: b.rows, kept: b.kept[:0]}
}

// tally is what is told about a batch's rows once they have landed.
type tally struct {
	newest int64 // created_at, Unix milliseconds
	flags  map[flagged]int
}

type flagged struct{ source, kind, field string }

func (t *tally) add(rec *schema.Record) {
	t.newest = max(t.newest, rec.CreatedAt.UnixMilli())
	for _, f := range rec.Flags {
		if t.flags == nil {
			t.flags = map[flagged]int{}
		}
		kind, field, _ := strings.Cut(f, ":")
		t.flags[flagged{rec.Source, kind, field}]++
	}
}
