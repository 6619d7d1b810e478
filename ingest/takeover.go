package ingest

import (
	"context"
	"time"

	"headway/schema"
)

// takeOver finds out where the partition stands, settles what can't be read
// any more, lands a range whose landing was under way, and leaves the worker
// ready to read from plan.from.
func (w *worker) takeOver(read, land context.Context) (plan, error) {
	p, err := w.decide(read)
	if err != nil {
		return plan{}, err
	}
	if p.warning != "" {
		w.in.log.Warn("records may be missing", "what", p.warning)
	}
	for _, l := range p.losses {
		if err := w.lose(read, l); err != nil {
			return plan{}, err
		}
	}
	w.prep.epoch = p.epoch
	from := p.from
	if p.redo != nil {
		from = p.redo.First
	} else if p.newLog || len(p.losses) > 0 {
		// Settled: the next owner need not find it out again.
		if err := w.commit(read, p.from, note{epoch: p.epoch}); err != nil {
			return plan{}, err
		}
	}
	if err := w.restore(read, from); err != nil {
		return plan{}, err
	}
	if p.redo != nil {
		if err := w.redo(read, land, *p.redo, p.redoAt); err != nil {
			return plan{}, err
		}
	}
	return p, nil
}

// decide gathers what is known and plans. That a log is another one is
// believed only when it is seen twice: a leader that was just elected may
// name an end below the one it will have.
func (w *worker) decide(ctx context.Context) (plan, error) {
	for again := false; ; again = true {
		s, err := w.observe(ctx)
		if err != nil {
			return plan{}, err
		}
		p := resume(s)
		if !p.newLog || again {
			return p, nil
		}
		if err := pause(ctx, w.in.cfg.Watch); err != nil {
			return plan{}, err
		}
	}
}

func (w *worker) observe(ctx context.Context) (situation, error) {
	s := situation{place: w.place}
	err := w.in.askKafka(ctx, w.String(), func(ctx context.Context) error {
		offset, metadata, err := w.in.broker.committed(ctx, w.place)
		if err != nil {
			return err
		}
		s.committed = offset
		s.note, s.noted = parseNote(metadata)
		s.start, s.end, err = w.in.broker.bounds(ctx, w.place)
		return err
	})
	if err != nil {
		return s, err
	}
	err = w.in.askSink(ctx, w.String(), func(ctx context.Context) (err error) {
		s.epoch, s.next, s.seen, err = w.in.sink.Last(ctx, w.topic, w.partition)
		return err
	})
	if err != nil || !s.seen {
		return s, err
	}
	s.witness, err = w.compare(ctx, s)
	return s, err
}

// compare finds the newest stored row that the log should still hold, and
// compares it with what the log holds there.
func (w *worker) compare(ctx context.Context, s situation) (witness, error) {
	rows, err := w.recent(ctx, s.span(s.epoch, s.start, min(s.next, s.end)-1), 0, 1)
	if err != nil || len(rows) == 0 {
		return witnessNone, err
	}
	at := rows[0].Origin.Offset
	var c chunk
	err = w.in.askKafka(ctx, w.String(), func(ctx context.Context) (err error) {
		c, err = w.reader.fetch(ctx, at)
		return err
	})
	if err != nil || len(c.msgs) == 0 || c.msgs[0].offset != at {
		return witnessNone, err
	}
	var rec schema.Record
	if _, reason := w.prep.decode(c.msgs[0], w.in.now(), &rec); reason != "" {
		return witnessNone, nil
	}
	return attest(&rows[0], &rec), nil
}

// attest compares a stored row with the record read from its offset. Either
// of id and time suffices to know it again: ids may have been generated,
// times replaced, and rules may change between versions; to take a log for
// another one would land all of it again.
func attest(stored, read *schema.Record) witness {
	if stored.RequestID == read.RequestID || stored.CreatedAt.Equal(read.CreatedAt) {
		return witnessSame
	}
	return witnessOther
}

func (w *worker) recent(ctx context.Context, r schema.Range, within time.Duration, limit int) (rows []schema.Record, err error) {
	err = w.in.askSink(ctx, w.String(), func(ctx context.Context) (err error) {
		rows, err = w.in.sink.Recent(ctx, r, within, limit)
		return err
	})
	return rows, err
}

// restore rebuilds the duplicate window from the rows before an offset: those
// that arrived in the last ten minutes in which any did, whenever their
// requests were made. A stop makes no gap in it: what was sent again while
// nobody read is met right behind what it repeats.
func (w *worker) restore(ctx context.Context, before int64) error {
	w.prep.seen = schema.NewDuplicates(w.windowKeys)
	n := min(w.windowKeys, restoreRows)
	rows, err := w.recent(ctx, w.span(w.prep.epoch, max(0, before-int64(n)), before-1), schema.DuplicateWindow, n)
	if err != nil {
		return err
	}
	w.prep.seen.Restore(rows, w.in.now())
	return nil
}

// restoreRows bounds what is read back at a change of owner, to the offsets
// so far behind: a partition with more than 333 records a second has a
// shorter window right after it.
const restoreRows = 200_000

func (w *worker) lose(ctx context.Context, l loss) error {
	err := w.in.askSink(ctx, w.String(), func(ctx context.Context) error {
		return w.in.sink.Lose(ctx, l.span, l.cause, w.in.now().UTC())
	})
	if err == nil {
		w.in.metrics.lost.WithLabelValues(w.topic, l.cause).Add(float64(l.span.Last - l.span.First + 1))
	}
	return err
}

// redo reads exactly a range again and lands it with a check. Its messages
// arrive when they did for the owner that began it: the days of rows with a
// replaced time, and of rejects, are parts of tokens.
func (w *worker) redo(read, land context.Context, r schema.Range, arrival int64) error {
	b := w.in.newBatch()
	b.again = true
	if b.at = w.in.now().UTC(); arrival > 0 {
		b.at = time.UnixMilli(arrival).UTC()
	}
	defer func() { w.take(-b.memory); w.in.recycle(b) }()
	for at := r.First; at <= r.Last; {
		var c chunk
		err := w.in.askKafka(read, w.String(), func(ctx context.Context) (err error) {
			c, err = w.reader.fetch(ctx, at)
			return err
		})
		if err != nil {
			return err
		}
		for _, m := range c.msgs {
			if m.offset <= r.Last {
				w.prep.add(b, m, b.at)
			}
		}
		w.account(b)
		at = c.next
		w.reader.reuse(c)
	}
	b.first, b.last, b.next = r.First, r.Last, r.Last+1
	if err := w.land(land, b, true); err != nil {
		return err
	}
	w.in.metrics.redone.Inc()
	return nil
}
