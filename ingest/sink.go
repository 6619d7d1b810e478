package ingest

import (
	"context"
	"errors"
	"time"

	"headway/classify"
	"headway/schema"
)

// Rows collects the rows of one batch in the sink's own form. It is one
// goroutine's at a time.
type Rows interface {
	// Add appends a row and keeps nothing of it but its values. Rows come in
	// offset order, all of one epoch of one partition.
	Add(row *classify.Row)
	// Len is the number of rows.
	Len() int
	// Bytes is the memory in use, about.
	Bytes() int64
	// Reset empties it and keeps its memory.
	Reset()
}

// Sink is where batches land: a store of rows, rejects and losses keyed by
// (topic, epoch, partition, offset). All methods are called from several
// goroutines at once, for different partitions.
type Sink interface {
	// NewRows returns an empty Rows, for Land.
	NewRows() Rows

	// Land makes every row and every reject of the range visible exactly
	// once, and returns nil only when that is certain. Offsets of the range
	// that occur neither in rows nor in rejects do not exist in the log
	// (compaction, transaction markers). Of rows, those outside the range are
	// left out (they belong to another part of a batch), and those whose
	// offset is among the rejects. Rows and rejects are in offset order and
	// are not kept after Land returns.
	//
	// The same range comes again after an error, a lost answer, a crash or a
	// change of owner, with the same messages in it; then check is true: the
	// offsets of the range that are already among the rows or the rejects,
	// whichever, are read and left out before anything is inserted (a message
	// that was kept before may be refused now, for example as expired).
	// check is false only where no one can have landed any of it. Tokens, the
	// check, burned tokens and the repetition they need within one call are
	// Land's matter; see ingest.md, "Landing a range". A call that was cut off
	// may still take effect later, so its inserts must carry tokens that make
	// that harmless.
	//
	// Errors say what to do about them through the methods of SinkError. Any
	// other error is retried for ever, with check.
	Land(ctx context.Context, r schema.Range, rows Rows, rejects []schema.Reject, check bool) error

	// Recent returns the rows of a range of one partition's log that were
	// stored no longer than within before the range's newest (any, where
	// within is zero): the limit newest by offset, oldest first. Only Origin
	// and identity need to be filled: Source, RequestID, Attempt, Role,
	// CreatedAt. With it the duplicate window is rebuilt, and a re-created
	// topic recognised.
	Recent(ctx context.Context, r schema.Range, within time.Duration, limit int) ([]schema.Record, error)

	// Last returns how far a partition has come: epoch is the highest that
	// has rows, rejects or losses, and next the offset after the highest of
	// these within it. found is false where the partition was never seen.
	Last(ctx context.Context, topic string, partition int32) (epoch uint32, next int64, found bool, err error)

	// Lose records that the messages of a range can never be read: retention
	// removed them, or their topic was re-created, before they were
	// ingested. The same range may come twice and must count once. Where its
	// landing was under way when its owner ended, some of it may be in after
	// all: what is among rows or rejects is not lost.
	Lose(ctx context.Context, r schema.Range, cause string, at time.Time) error
}

// SinkError is what a Sink's errors implement (anywhere in their chain) to
// say what should happen next.
type SinkError interface {
	error
	// Retryable is true where time may mend it: network, overload, read-only,
	// too many parts.
	Retryable() bool
	// OperatorFault is true where a person must mend it: wrong password,
	// missing table. remedy says how, in one line, without secrets. Reading
	// stops, offsets stay, and the same batch is tried again until it lands.
	OperatorFault() (remedy string, ok bool)
	// BadRows is true where the sink is up and refuses the data itself.
	// offsets are those of the rows; empty means that the sink can't tell
	// which, and the range is halved until it can.
	BadRows() (offsets []int64, ok bool)
}

// class is what to do about a sink's error; its text is a metric label.
type class string

const (
	classRetry    class = "retry"
	classOperator class = "operator_fault"
	classRefused  class = "refused"
	classStopped  class = "stopped" // our own context ended
)

// fault is a sink's error with the decision taken about it.
type fault struct {
	class   class
	remedy  string
	offsets []int64 // of refused rows, where the sink can name them
}

// among returns those of the refused offsets that are rows of a batch.
func (f fault) among(rows []kept) map[int64]bool {
	refused := map[int64]bool{}
	for _, o := range f.offsets {
		refused[o] = true
	}
	named := map[int64]bool{}
	for _, k := range rows {
		if refused[k.offset] {
			named[k.offset] = true
		}
	}
	return named
}

// judge decides what to do about an error of a sink. It drops nothing: an
// error that says nothing about itself is retried.
func judge(ctx context.Context, err error) fault {
	var se SinkError
	switch {
	case ctx.Err() != nil:
		return fault{class: classStopped}
	case !errors.As(err, &se):
		return fault{class: classRetry}
	}
	if remedy, ok := se.OperatorFault(); ok {
		return fault{class: classOperator, remedy: remedy}
	}
	if offsets, ok := se.BadRows(); ok && !se.Retryable() {
		return fault{class: classRefused, offsets: offsets}
	}
	return fault{class: classRetry}
}
