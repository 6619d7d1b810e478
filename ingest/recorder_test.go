package ingest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"
	"unsafe"

	"headway/classify"
	"headway/schema"
)

// recorder is a sink in memory with a store's behaviour: what it holds is keyed
// by origin, a check leaves out what is in, and without a check it stores what
// it is given, so that doubling shows.
type recorder struct {
	mu      sync.Mutex
	changed chan struct{} // closed and renewed at each change
	rows    map[schema.Origin][]schema.Record
	rejects map[schema.Origin][]schema.Reject
	losses  []loss
	lands   []landCall
	busy    int // calls of Land under way
	// before, where set, may fail or hold up a landing; after, where set, may
	// spoil the answer of one that took place.
	before, after func(ctx context.Context, c landCall) error
}

type landCall struct {
	span  schema.Range
	rows  []classify.Row
	check bool

	rejects []schema.Reject
}

// recorded is the recorder's Rows.
type recorded struct{ rows []classify.Row }

func (r *recorded) Add(row *classify.Row) { r.rows = append(r.rows, *row) }
func (r *recorded) Len() int              { return len(r.rows) }
func (r *recorded) Bytes() int64          { return int64(len(r.rows)) * int64(unsafe.Sizeof(classify.Row{})) }
func (r *recorded) Reset()                { r.rows = nil }

// of returns what Land takes of them.
func (r *recorded) of(s schema.Range, rejects []schema.Reject) []classify.Row {
	var out []classify.Row
	for _, row := range r.rows {
		o := row.Record.Origin
		if o.Offset >= s.First && o.Offset <= s.Last && !slices.ContainsFunc(rejects, func(j schema.Reject) bool { return j.Origin == o }) {
			out = append(out, row)
		}
	}
	return out
}

// hold keeps every landing up until the channel is closed.
func (r *recorder) hold() chan struct{} {
	free := make(chan struct{})
	r.hooks(func(ctx context.Context, _ landCall) error {
		select {
		case <-free:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}, nil)
	return free
}

func (r *recorder) NewRows() Rows { return &recorded{} }

func newRecorder() *recorder {
	return &recorder{changed: make(chan struct{}), rows: map[schema.Origin][]schema.Record{}, rejects: map[schema.Origin][]schema.Reject{}}
}

func (r *recorder) change(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f()
	close(r.changed)
	r.changed = make(chan struct{})
}

func (r *recorder) hooks(before, after func(context.Context, landCall) error) {
	r.change(func() { r.before, r.after = before, after })
}

func (r *recorder) Land(ctx context.Context, s schema.Range, given Rows, rejects []schema.Reject, check bool) error {
	rows := given.(*recorded).of(s, rejects)
	c := landCall{span: s, rows: rows, check: check, rejects: slices.Clone(rejects)}
	var before, after func(context.Context, landCall) error
	r.change(func() { before, after = r.before, r.after; r.busy++ })
	defer r.change(func() { r.busy-- })
	if before != nil {
		if err := before(ctx, c); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	r.change(func() {
		c.rows = nil
		r.lands = append(r.lands, c)
		for i := range rows {
			o := rows[i].Record.Origin
			if !check || !r.has(o) {
				r.rows[o] = append(r.rows[o], rows[i].Record)
			}
		}
		for _, j := range rejects {
			if !check || !r.has(j.Origin) {
				r.rejects[j.Origin] = append(r.rejects[j.Origin], j)
			}
		}
	})
	if after != nil {
		return after(ctx, c)
	}
	return nil
}

func (r *recorder) has(o schema.Origin) bool { return len(r.rows[o])+len(r.rejects[o]) > 0 }

// Recent leaves within to a test of its own: the recorder's rows all arrived
// just now.
func (r *recorder) Recent(_ context.Context, s schema.Range, _ time.Duration, limit int) ([]schema.Record, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []schema.Record
	for o, recs := range r.rows {
		if o.Topic == s.Topic && o.Epoch == s.Epoch && o.Partition == s.Partition && o.Offset >= s.First && o.Offset <= s.Last {
			out = append(out, recs[0])
		}
	}
	slices.SortFunc(out, func(a, b schema.Record) int { return cmp.Compare(a.Origin.Offset, b.Origin.Offset) })
	return out[max(0, len(out)-limit):], nil
}

func (r *recorder) Last(_ context.Context, topic string, partition int32) (epoch uint32, next int64, found bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	see := func(o schema.Origin) {
		switch {
		case o.Topic != topic || o.Partition != partition:
		case !found || o.Epoch > epoch:
			epoch, next, found = o.Epoch, o.Offset+1, true
		case o.Epoch == epoch:
			next = max(next, o.Offset+1)
		}
	}
	for o := range r.rows {
		see(o)
	}
	for o := range r.rejects {
		see(o)
	}
	for _, l := range r.losses {
		see(schema.Origin{Topic: l.span.Topic, Epoch: l.span.Epoch, Partition: l.span.Partition, Offset: l.span.Last})
	}
	return epoch, next, found, nil
}

func (r *recorder) Lose(_ context.Context, s schema.Range, cause string, _ time.Time) error {
	r.change(func() { r.losses = append(r.losses, loss{span: s, cause: cause}) })
	return nil
}

// until waits for a condition of the recorder's content.
func (r *recorder) until(t *testing.T, what string, cond func() bool) {
	t.Helper()
	limit := time.After(60 * time.Second)
	for {
		r.mu.Lock()
		ok, changed := cond(), r.changed
		r.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-limit:
			r.mu.Lock()
			defer r.mu.Unlock()
			t.Fatalf("after 60 s there was still no %s: %d rows, %d rejects, losses %v", what, len(r.rows), len(r.rejects), r.losses)
		}
	}
}

// untilLanded waits until n offsets are in.
func (r *recorder) untilLanded(t *testing.T, n int) {
	t.Helper()
	r.until(t, fmt.Sprintf("landing of %d records", n), func() bool { return len(r.rows)+len(r.rejects) >= n })
}

// exactly checks that each offset that was produced is in once, and no other.
func (r *recorder) exactly(t *testing.T, produced []schema.Origin) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	want := map[schema.Origin]bool{}
	for _, o := range produced {
		want[o] = true
		if n := len(r.rows[o]) + len(r.rejects[o]); n != 1 {
			t.Errorf("%v is in %d times", o, n)
		}
	}
	for o := range r.rows {
		if !want[o] {
			t.Errorf("%v is in and was never produced", o)
		}
	}
	for o := range r.rejects {
		if !want[o] {
			t.Errorf("%v is among the rejects and was never produced", o)
		}
	}
}

// sinkError is a store's error with a class.
type sinkError struct {
	retry  bool
	remedy string
	bad    bool
	at     []int64
}

func (e *sinkError) Error() string                 { return "the recorder was told to fail" }
func (e *sinkError) Retryable() bool               { return e.retry }
func (e *sinkError) OperatorFault() (string, bool) { return e.remedy, e.remedy != "" }
func (e *sinkError) BadRows() ([]int64, bool)      { return e.at, e.bad }
