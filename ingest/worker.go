package ingest

import (
	"context"
	"errors"
	"sync"
	"time"

	kafka "github.com/segmentio/kafka-go"
)

// worker moves one partition for one generation of the group: one goroutine
// reads, one decodes and batches, one lands, so that the three overlap.
type worker struct {
	in *Ingester
	place
	member     member
	reader     *reader
	prep       *preparer
	windowKeys int

	mu      sync.Mutex
	held    int64 // memory accounted for and not given back
	landed  int64
	end     int64
	fetched bool // since followEnd last looked
	// waiting is what was read and has not landed.
	waiting waiting
}

// run works until the generation ends, or the Ingester stops; then what was
// read is landed first.
func (w *worker) run(gen context.Context) {
	read, cancelRead := w.in.readScope(gen)
	defer cancelRead()
	land, cancelLand := w.in.landScope(gen)
	defer cancelLand()
	defer w.in.board.leave(w.place)
	defer w.in.metrics.dropLag(w.place)
	for read.Err() == nil {
		err := w.work(gen, read, land)
		again := errors.Is(err, kafka.OffsetOutOfRange) // retention overtook us, or the log is another one
		if !again && read.Err() == nil {
			w.in.log.Info("giving a partition up", "partition", w.String(), "reason", err)
		}
		if again || isMissing(err) {
			// Whatever comes next asks the cluster again; give it time to settle.
			_ = pause(read, w.in.cfg.Watch) // an error means that we are done
		}
		if !again {
			return
		}
	}
}

// work takes the partition over and moves its records until something ends
// it; it never returns nil.
func (w *worker) work(gen, read, land context.Context) error {
	p, err := w.takeOver(read, land)
	if err != nil {
		return err
	}
	w.in.metrics.takeovers.Inc()
	w.mu.Lock()
	w.waiting = waiting{} // what an earlier run read is read again
	w.mu.Unlock()
	w.progress(p.from)
	return w.stream(gen, read, land, p)
}

// take accounts for memory, or gives it back where n is negative.
func (w *worker) take(n int64) {
	w.mu.Lock()
	w.held += n
	w.mu.Unlock()
	w.in.budget.take(n)
}

// idle reports whether nothing of the partition is in flight.
func (w *worker) idle() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.held == 0
}

// stream reads, prepares and lands from p.from on until something ends it.
func (w *worker) stream(gen, read, land context.Context, p plan) error {
	ctx, cancel := context.WithCancel(read)
	defer cancel()
	defer func() { w.take(-w.held) }() // what was read and never landed
	chunks, batches := make(chan chunk), make(chan *batch)
	var readErr error
	var wg sync.WaitGroup
	wg.Go(func() { defer close(chunks); readErr = w.read(ctx, p.from, chunks) })
	wg.Go(func() { defer close(batches); w.prepare(gen, chunks, batches) })
	wg.Go(func() { w.followEnd(ctx) })
	var landErr error
	for b := range batches {
		if landErr == nil && gen.Err() == nil {
			b.again = b.first < p.checkBelow
			landErr = w.land(land, b, b.again)
		}
		if landErr != nil {
			cancel()
		}
		w.take(-b.memory)
		w.in.recycle(b)
	}
	cancel() // reading has ended
	wg.Wait()
	return errors.Join(landErr, readErr)
}

// read fetches chunks until the context ends or the log fails. It reads ahead
// by one chunk, while memory allows.
func (w *worker) read(ctx context.Context, from int64, out chan<- chunk) error {
	for {
		resume := w.in.metrics.pausing()
		err := w.in.budget.wait(ctx, w.idle)
		resume()
		if err != nil {
			return err
		}
		var c chunk
		err = w.in.askKafka(ctx, w.String(), func(ctx context.Context) (err error) {
			c, err = w.reader.fetch(ctx, from)
			return err
		})
		if err != nil {
			return err
		}
		from = c.next
		w.seen(c)
		if len(c.msgs) == 0 {
			continue
		}
		w.take(c.cost())
		select {
		case out <- c:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// prepare decodes chunks into batches. One that is old is handed on as soon as
// somebody takes it, and grows until then: a store that is behind gets fewer
// and larger blocks. A full one waits to be taken. When the chunks end, the
// last batch is handed on as it is, unless the generation ended and the
// partition with it.
func (w *worker) prepare(gen context.Context, chunks <-chan chunk, out chan<- *batch) {
	b := w.in.newBatch()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	hand := func() {
		out <- b
		b = w.in.newBatch()
	}
	for {
		var old <-chan time.Time
		var taken chan<- *batch
		if due, wait := w.in.limits.cut(b.fill(), w.in.now()); due {
			select {
			case out <- b:
				b = w.in.newBatch()
				continue
			default:
				taken = out
			}
		} else if b.len() > 0 {
			timer.Reset(wait)
			old = timer.C
		}
		select {
		case c, ok := <-chunks:
			if !ok {
				if gen.Err() == nil && b.len() > 0 {
					hand()
				}
				return
			}
			w.addChunk(c, &b, hand)
		case taken <- b:
			b = w.in.newBatch()
		case <-old:
		}
	}
}

// addChunk adds a chunk's messages, handing the batch on each time it is full,
// and gives the chunk's memory back.
func (w *worker) addChunk(c chunk, b **batch, hand func()) {
	now := w.in.now()
	for i, m := range c.msgs {
		w.prep.add(*b, m, now)
		if i == len(c.msgs)-1 {
			(*b).next = c.next // over the markers that follow
		}
		if w.in.limits.full((*b).fill()) {
			w.account(*b)
			hand()
		}
	}
	w.account(*b)
	w.take(-c.cost())
	w.reader.reuse(c)
}

// account accounts for what a batch has grown by.
func (w *worker) account(b *batch) {
	n := b.cost()
	w.take(n - b.memory)
	b.memory = n
}

// progress notes that everything before an offset has landed.
func (w *worker) progress(landed int64) {
	w.mu.Lock()
	w.landed = landed
	w.waiting.landed(landed)
	w.mu.Unlock()
	w.publish()
}

// seen notes what was read, and where the log ends.
func (w *worker) seen(c chunk) {
	w.mu.Lock()
	w.waiting.add(c, w.in.now())
	w.end, w.fetched = max(c.end, w.landed), true
	w.mu.Unlock()
	w.publish()
}

// followEnd keeps the lag true while nothing is read, as in an outage of the
// store.
func (w *worker) followEnd(ctx context.Context) {
	for pause(ctx, w.in.cfg.Watch) == nil {
		w.mu.Lock()
		fetched := w.fetched
		w.fetched = false
		w.mu.Unlock()
		if fetched {
			continue
		}
		_, end, err := w.in.broker.bounds(ctx, w.place)
		if err != nil {
			continue // the reader meets the same trouble and shows it
		}
		w.mu.Lock()
		w.end = max(end, w.landed)
		w.mu.Unlock()
		w.publish()
	}
}

func (w *worker) publish() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.in.board.place(w.place, PartitionStatus{Epoch: w.prep.epoch, Landed: w.landed, End: w.end, Waiting: w.waiting.since()})
	w.in.metrics.setLag(w.place, w.end-w.landed)
}
