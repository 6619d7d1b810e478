package store

import (
	"context"
	"fmt"
	"sort"
	"time"

	"headway/classify"
	"headway/schema"
)

// landing is one call of Land.
type landing struct {
	store        *Store
	r            schema.Range
	allRows      []classify.Row
	allRejects   []schema.Reject
	present      map[int64]bool // offsets found by a check
	dedupSetting bool
}

// cut is one table and day of a range: what one INSERT sends.
type cut struct {
	table string
	day   time.Time
	which []int // indexes into the rows or the rejects
}

// cuts divides the range into one cut per table and day, in a fixed order.
func (l *landing) cuts() []cut {
	byDay := map[time.Time][]int{}
	for i := range l.allRows {
		d := l.allRows[i].Record.CreatedAt.UTC().Truncate(day)
		byDay[d] = append(byDay[d], i)
	}
	out := inOrder("requests", byDay)
	clear(byDay)
	for i := range l.allRejects {
		d := l.allRejects[i].ReceivedAt.UTC().Truncate(day)
		byDay[d] = append(byDay[d], i)
	}
	return append(out, inOrder("rejects", byDay)...)
}

func inOrder(table string, byDay map[time.Time][]int) []cut {
	var out []cut
	for d, which := range byDay {
		out = append(out, cut{table: table, day: d, which: which})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].day.Before(out[j].day) })
	return out
}

func (l *landing) offset(c cut, i int) int64 {
	if c.table == "requests" {
		return l.allRows[i].Record.Origin.Offset
	}
	return l.allRejects[i].Origin.Offset
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
	return fmt.Sprintf("%s/%s#%d", rangeText(l.r), c.day.Format("2006-01-02"), k)
}

// insert sends one block and returns how many blocks the server dropped as
// duplicates.
func (l *landing) insert(ctx context.Context, c cut, which []int, token string) (duplicates int64, err error) {
	var b block
	if c.table == "requests" {
		rb := l.store.takeBlock()
		defer l.store.giveBlock(rb)
		rb.collect(l.allRows, which)
		b = rb
	} else {
		rejects := make(rejectBlock, len(which))
		for n, i := range which {
			rejects[n] = l.allRejects[i]
		}
		b = rejects
	}
	if err := fits(b); err != nil {
		return 0, &Error{doing: "landing " + rangeText(l.r), class: classData, err: err, remedy: "it is halved"}
	}
	return l.store.insert(ctx, l.store.cfg.writeTable(c.table), b, token, l.dedupSetting)
}

// fits refuses a block that the server might cut in two.
func fits(b block) error {
	if b.rows() > maxBlockRows || b.bytes() > maxBlockBytes {
		return fmt.Errorf("a block of %d rows and %d bytes is larger than the server keeps whole", b.rows(), b.bytes())
	}
	return nil
}
