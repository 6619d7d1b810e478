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
	b.arrived(begin)
	// From here until the commit below, whoever owns the partition knows that
	// this range may be in, in part or late.
	if err := w.commit(ctx, b.first, note{epoch: r.Epoch, intent: true, last: b.last, n: b.len(), at: b.at.UnixMilli()}); err != nil {
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
		named := f.among(b.kept)
		switch {
		case f.class == classStopped:
			return ctx.Err()
		case f.class == classRefused && len(named) == 0 && len(b.kept) > 1:
			w.in.metrics.sinkErrors.WithLabelValues(string(f.class)).Inc()
			return w.halve(ctx, b)
		case f.class == classRefused && len(b.kept) > 0:
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
	w.in.metrics.landed(b, w.in.now().Sub(begin))
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

// refuse turns rows into rejects. The sink's words are not logged: they may
// quote a value.
func (w *worker) refuse(b *batch, offsets map[int64]bool) {
	n := b.refuse(offsets, w.place, w.prep.epoch)
	w.in.log.Warn("the store refused rows, they are now rejects", "partition", w.String(), "rows", n, "reason", schema.ReasonRefused)
}

// landLimit is how long a landing that has begun may go on after its
// generation has ended: long enough for an insert that is nearly done, short
// enough not to hold the group's rebalance up.
const landLimit = 2 * time.Second
