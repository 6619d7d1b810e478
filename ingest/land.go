package ingest

import (
	"context"
	"errors"
	"time"

	"headway/schema"
)

// land makes a batch visible exactly once and commits it. It returns only
// when that is done, the context ends, or the partition has a new owner; then
// the intent stands, and the new owner lands the same range with a check.
func (w *worker) land(ctx context.Context, b *batch, check bool) error {
	begin := w.in.now()
	r := w.span(w.prep.epoch, b.first, b.last)
	// From here until the commit below, whoever owns the partition knows that
	// this range may be in, in part or late.
	if err := w.commit(ctx, b.first, note{epoch: r.Epoch, intent: true, last: b.last, n: b.len()}); err != nil {
		return err
	}
	wait := backoff{min: w.in.cfg.BackoffMin, max: w.in.cfg.BackoffMax}
	for {
		err := w.in.sink.Land(ctx, r, b.rows, b.rejects, check)
		if err == nil {
			break
		}
		check = true
		f := judge(ctx, err)
		named := indexes(f.rows, len(b.rows))
		switch {
		case f.class == classStopped:
			return ctx.Err()
		case f.class == classRefused && len(named) == 0 && len(b.rows) > 1:
			w.in.metrics.sinkErrors.WithLabelValues(string(f.class)).Inc()
			return w.halve(ctx, b)
		case f.class == classRefused && len(b.rows) > 0:
			w.in.metrics.sinkErrors.WithLabelValues(string(f.class)).Inc()
			w.refuse(b, named)
			continue
		}
		w.in.sinkProblem(w.String(), f, err)
		if err := pause(ctx, wait.next()); err != nil {
			return err
		}
	}
	w.in.board.clear(onSink, w.String())
	w.in.metrics.landed(b.rows, b.rejects, w.in.now().Sub(begin))
	if err := w.commit(ctx, b.next, note{epoch: r.Epoch}); err != nil {
		return err
	}
	w.progress(b.next)
	return nil
}

// commit repeats a commit until Kafka answers. A fenced answer is final.
func (w *worker) commit(ctx context.Context, offset int64, n note) error {
	err := w.in.askKafka(ctx, w.String(), func(ctx context.Context) error {
		return w.in.broker.commit(ctx, w.member, w.place, offset, n)
	})
	if errors.Is(err, errFenced) {
		w.in.metrics.fenced.Inc()
	}
	return err
}

// halve lands a refused batch in two parts, each with an intent of its own,
// until the row that is refused stands alone.
func (w *worker) halve(ctx context.Context, b *batch) error {
	left, right := b.split()
	if err := w.land(ctx, left, true); err != nil {
		return err
	}
	return w.land(ctx, right, true)
}

// split cuts a batch of at least two rows in the middle of its rows. The
// parts share the batch's memory.
func (b *batch) split() (left, right *batch) {
	mid := len(b.rows) / 2
	at := b.rows[mid].Record.Origin.Offset // first offset of the right part
	n := 0
	for n < len(b.rejects) && b.rejects[n].Origin.Offset < at {
		n++
	}
	left = &batch{first: b.first, last: at - 1, next: at, rows: b.rows[:mid:mid], sizes: b.sizes[:mid:mid], rejects: b.rejects[:n:n]}
	right = &batch{first: at, last: b.last, next: b.next, rows: b.rows[mid:], sizes: b.sizes[mid:], rejects: b.rejects[n:]}
	return left, right
}

// refuse turns rows into rejects: those named, or all where none is. The
// sink's words are not logged: they may quote a value.
func (w *worker) refuse(b *batch, named map[int]bool) {
	kept := 0
	var refused []schema.Reject
	for i := range b.rows {
		rec := &b.rows[i].Record
		if len(named) == 0 || named[i] {
			refused = append(refused, schema.Reject{Origin: rec.Origin, Source: rec.Source, Reason: schema.ReasonRefused, Bytes: b.sizes[i], ReceivedAt: w.in.now().UTC()})
			continue
		}
		b.rows[kept], b.sizes[kept] = b.rows[i], b.sizes[i]
		kept++
	}
	b.rows, b.sizes = b.rows[:kept], b.sizes[:kept]
	b.rejects = mergeRejects(b.rejects, refused)
	w.in.log.Warn("the store refused rows, they are now rejects", "partition", w.String(), "rows", len(refused), "reason", schema.ReasonRefused)
}

// indexes returns the indexes that are below n.
func indexes(rows []int, n int) map[int]bool {
	out := map[int]bool{}
	for _, i := range rows {
		if i >= 0 && i < n {
			out[i] = true
		}
	}
	return out
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

// landLimit is how long a landing that has begun may go on after its
// generation has ended: long enough for an insert that is nearly done, short
// enough not to hold the group's rebalance up.
const landLimit = 2 * time.Second
