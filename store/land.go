package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"headway/schema"
)

// Bounds of one block, so that it stays one block on the server: rows below
// max_insert_block_size, bytes below what the server squashes at. Larger
// ranges are refused as too large, and come back halved.
const (
	maxBlockRows  = 1_000_000
	maxBlockBytes = 200 << 20
	// serverBlockRows and serverBlockBytes are sent as settings, above the
	// bounds; the server's defaults have changed between versions.
	serverBlockRows  = 1_048_449
	serverBlockBytes = 256 << 20
	// maxBurned bounds how many tokens of one block may be burned in one
	// call; then the range is tried again from the start.
	maxBurned = 100
)

// Rows are stored from firstDay until before lastDay: the order of the table
// begins with the hour, a 32-bit number of seconds, and questions look a day
// around their window.
var (
	firstDay = time.Date(1970, 1, 2, 0, 0, 0, 0, time.UTC)
	lastDay  = time.Date(2106, 2, 1, 0, 0, 0, 0, time.UTC)
)

// Land makes every row and every reject of the range visible exactly once,
// and returns nil only when that is certain. Rows of the block that lie outside
// the range, or whose offset is among the rejects, are left out. With check,
// offsets that are in already are read and left out first. Rows and rejects
// are in offset order.
//
// Errors are *Error (Retryable, OperatorFault, BadRows), or the context's.
func (s *Store) Land(ctx context.Context, r schema.Range, rows *Block, rejects []schema.Reject, check bool) error {
	if err := acceptable(r, rows, rejects); err != nil {
		return err
	}
	l := landing{store: s, r: r, block: rows, rejects: rejects}
	if check {
		var err error
		if l.present, err = s.landed(ctx, r); err != nil {
			return err
		}
	}
	for _, cut := range l.cuts() {
		if err := l.land(ctx, cut); err != nil {
			return err
		}
	}
	return nil
}

// acceptable refuses what could never be stored, before anything is sent.
func acceptable(r schema.Range, rows *Block, rejects []schema.Reject) error {
	stray := func(what string, o schema.Origin) error {
		return fmt.Errorf("landing %s: the %s at %s/%d/%d offset %d is not of this range", rangeText(r), what, o.Topic, o.Epoch, o.Partition, o.Offset)
	}
	place := rows.place
	place.Offset = r.First
	switch {
	case rows.foreign != nil:
		return stray("row", *rows.foreign)
	case rows.Len() > 0 && !within(r, place):
		return stray("row", rows.place)
	}
	for i := range rejects {
		if o := rejects[i].Origin; !within(r, o) {
			return stray("reject", o)
		}
	}
	var bad []int64
	first, last := firstDay.UnixMilli(), lastDay.UnixMilli()
	for i, at := range rows.created.vals {
		offset := rows.offsets.vals[i]
		if (at < first || at >= last) && offset >= r.First && offset <= r.Last && !among(rejects, offset) {
			bad = append(bad, offset)
		}
	}
	if len(bad) > 0 {
		return &Error{doing: "landing " + rangeText(r), class: classData, offsets: bad, err: errors.New("rows have times before 1970-01-02 or after January 2106")}
	}
	return nil
}

// among reports whether an offset is one of the rejects', which are in order.
func among(rejects []schema.Reject, offset int64) bool {
	_, found := slices.BinarySearchFunc(rejects, offset, func(r schema.Reject, o int64) int { return cmp.Compare(r.Origin.Offset, o) })
	return found
}

func within(r schema.Range, o schema.Origin) bool {
	return o.Topic == r.Topic && o.Epoch == r.Epoch && o.Partition == r.Partition && o.Offset >= r.First && o.Offset <= r.Last
}

func rangeText(r schema.Range) string {
	return fmt.Sprintf("%s/%d/%d/%d-%d", r.Topic, r.Epoch, r.Partition, r.First, r.Last)
}

// landed reads which offsets of a range are among the rows or the rejects.
func (s *Store) landed(ctx context.Context, r schema.Range) (map[int64]bool, error) {
	text := file("landed_offsets.sql").render(s.writeTables())
	out := map[int64]bool{}
	rows, err := s.conn.Query(s.consistent(rangeParams(r).attach(ctx)), text)
	if err == nil {
		err = scanColumn(rows, func(offset int64) { out[offset] = true })
	}
	return out, s.fault("checking which offsets of "+rangeText(r)+" are stored", err)
}
