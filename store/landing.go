package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"headway/schema"
)

// landing is one call of Land.
type landing struct {
	store   *Store
	r       schema.Range
	block   *Block
	rejects []schema.Reject
	present map[int64]bool // offsets found by a check
}

// cut is one table and day of a range: what one INSERT sends.
type cut struct {
	table string
	day   int64 // since 1970
	which []int // indexes into the block or the rejects
}

// cuts divides the range into one cut per table and day, in a fixed order.
func (l *landing) cuts() []cut {
	rows, rejects := map[int64][]int{}, map[int64][]int{}
	refused := make(map[int64]bool, len(l.rejects))
	for i := range l.rejects {
		d := dayOf(l.rejects[i].ReceivedAt.UnixMilli())
		rejects[d] = append(rejects[d], i)
		refused[l.rejects[i].Origin.Offset] = true
	}
	for i, offset := range l.block.offsets.vals {
		if offset >= l.r.First && offset <= l.r.Last && !refused[offset] {
			d := l.block.day(i)
			rows[d] = append(rows[d], i)
		}
	}
	return append(inOrder("requests", rows), inOrder("rejects", rejects)...)
}

func inOrder(table string, byDay map[int64][]int) []cut {
	out := make([]cut, 0, len(byDay))
	for _, d := range slices.Sorted(maps.Keys(byDay)) {
		out = append(out, cut{table: table, day: d, which: byDay[d]})
	}
	return out
}

func (l *landing) offset(c cut, i int) int64 {
	if c.table == "requests" {
		return l.block.offsets.vals[i]
	}
	return l.rejects[i].Origin.Offset
}

// missing are the cut's entries that no check found.
func (l *landing) missing(c cut) []int {
	if len(l.present) == 0 {
		return c.which
	}
	var out []int
	for _, i := range c.which {
		if !l.present[l.offset(c, i)] {
			out = append(out, i)
		}
	}
	return out
}

// land inserts one cut until it is certain that all of it is in. An insert is
// certain when it returned without error and the server dropped nothing as a
// duplicate. A dropped one says only that the token was seen: the server may
// have died between remembering the token and publishing the rows. Then what
// is missing goes in under the next token.
func (l *landing) land(ctx context.Context, c cut) error {
	for k := range maxBurned {
		which := l.missing(c)
		if len(which) == 0 {
			return nil
		}
		duplicates, err := l.insert(ctx, c, which, l.token(c, k))
		if err != nil {
			return err
		}
		if duplicates == 0 {
			return nil
		}
		if l.present, err = l.store.landed(ctx, l.r); err != nil {
			return err
		}
	}
	return &Error{doing: "landing " + rangeText(l.r) + " in " + l.store.cfg.Addr, class: classRetry,
		remedy: "it is tried again", err: fmt.Errorf("%d tokens of %s are known to the server without their rows", maxBurned, c.table)}
}

// token names a block for the server's deduplication: the same range, table
// and day get the same one from whoever lands it. The table keeps its own
// tokens.
func (l *landing) token(c cut, k int) string {
	return fmt.Sprintf("%s/%s#%d", rangeText(l.r), time.Unix(c.day*86400, 0).UTC().Format(time.DateOnly), k)
}

// insert sends one block and returns how many blocks the server dropped as
// duplicates.
func (l *landing) insert(ctx context.Context, c cut, which []int, token string) (duplicates int64, err error) {
	table := l.store.cfg.writeTable(c.table)
	if c.table == "rejects" {
		statement := file("insert_rejects.sql").render(map[string]string{"table": table})
		return l.store.writer.insert(ctx, statement, rejectInput(l.rejects, which), token)
	}
	b := l.block
	if len(which) < b.Len() {
		b = l.store.writer.takeBlock()
		defer l.store.writer.giveBlock(b)
		b.gather(l.block, which)
	}
	if err := fits(b.Len(), b.Bytes()); err != nil {
		return 0, &Error{doing: "landing " + rangeText(l.r), class: classData, err: err, remedy: "it is halved"}
	}
	return l.store.writer.insert(ctx, b.statement(table), b.input(), token)
}

// fits refuses a block that the server might cut in two.
func fits(rows int, bytes int64) error {
	if rows > maxBlockRows || bytes > maxBlockBytes {
		return fmt.Errorf("a block of %d rows and %d bytes is larger than the server keeps whole", rows, bytes)
	}
	return nil
}
