// Package verify compares a topic's log with what is stored of it, offset by
// offset, and names what is missing or doubled. It repairs nothing, and speaks
// to no broker and no database itself.
package verify

import (
	"context"
	"fmt"
	"time"

	"headway/query"
	"headway/schema"
)

// Log is the topic as its brokers and the consumer group know it.
type Log interface {
	// Partitions says where every partition stands, by partition.
	Partitions(ctx context.Context) ([]Partition, error)
	// Messages visits, in order, the messages of one partition's log that lie
	// in gaps, which are in order and not empty. It returns how many offsets
	// of them left the log before they could be read.
	Messages(ctx context.Context, gaps []schema.Range, visit func(Message)) (gone int64, err error)
}

// Partition is where one partition's log and its group stand.
type Partition struct {
	Partition  int32
	Epoch      uint32 // of the commit
	Start, End int64  // the log holds offsets Start to End-1
	Committed  int64  // where the group goes on; -1 without a commit
	Landing    bool   // a batch at Committed was being stored
}

// Message is one message of the log that has neither row nor reject.
type Message struct {
	Offset  int64
	Expired bool // older than the retention: its row or reject may be gone
	// RequestID and CreatedAt are those of the record; empty and zero where
	// the message is none.
	RequestID string
	CreatedAt time.Time
}

// Store is what the tables hold of the topic.
type Store interface {
	// Runs counts what is stored; compared has one range per partition, empty
	// where its Last is below its First.
	Runs(ctx context.Context, topic string, compared []schema.Range, visit func(query.StoredRun)) error
	// Gaps returns the runs of a range that are neither rows nor rejects.
	Gaps(ctx context.Context, r schema.Range) ([]schema.Range, error)
	// Doubled returns the runs of a range that stand more than once.
	Doubled(ctx context.Context, r schema.Range) ([]schema.Range, error)
	// Lost returns the ranges recorded as lost, which may overlap.
	Lost(ctx context.Context, topic string) ([]schema.Range, error)
	// Last returns the highest epoch of a partition that has rows, rejects or
	// losses, and the offset after its highest; found is false without any.
	Last(ctx context.Context, topic string, partition int32) (epoch uint32, next int64, found bool, err error)
	// Recent returns the limit newest rows of a range; within is zero here.
	Recent(ctx context.Context, r schema.Range, within time.Duration, limit int) ([]schema.Record, error)
}

// Run compares a topic. The log's bounds and commits are read before the
// tables: what was committed then is stored by now.
func Run(ctx context.Context, log Log, store Store, q query.Verify, group string) (query.Verification, error) {
	c := &comparison{log: log, store: store, limit: q.Limit, tally: map[key]*tally{}, out: query.Verification{
		Topic: q.Topic, Group: group, Missing: []query.OffsetRange{}, Doubled: []query.OffsetRange{}, Warnings: []string{}}}
	parts, err := log.Partitions(ctx)
	if err != nil {
		return c.out, err
	}
	if err := c.bound(ctx, parts); err != nil {
		return c.out, err
	}
	if err := c.store.Runs(ctx, q.Topic, c.compared, c.count); err != nil {
		return c.out, err
	}
	for i := range c.compared {
		if err := c.partition(ctx, i); err != nil {
			return c.out, err
		}
	}
	if err := c.doubles(ctx); err != nil {
		return c.out, err
	}
	c.sum()
	return c.out, nil
}

type comparison struct {
	log   Log
	store Store
	limit int
	out   query.Verification

	compared []schema.Range // of each partition, what must be stored
	lost     []schema.Range
	tally    map[key]*tally
}

// key is one epoch of one partition.
type key struct {
	partition int32
	epoch     uint32
}

// bound settles for each partition which epoch is the log's, and up to which
// offset everything must be stored.
func (c *comparison) bound(ctx context.Context, parts []Partition) (err error) {
	if c.lost, err = c.store.Lost(ctx, c.out.Topic); err != nil {
		return err
	}
	for _, p := range parts {
		epoch, next, found, err := c.store.Last(ctx, c.out.Topic, p.Partition)
		if err != nil {
			return err
		}
		known := stored{epoch: epoch, next: next, found: found}
		b, warning := bounds(p, known)
		if warning != "" {
			c.out.Warnings = append(c.out.Warnings, fmt.Sprintf("partition %d: %s", p.Partition, warning))
		}
		c.compared = append(c.compared, schema.Range{Topic: c.out.Topic, Epoch: b.epoch, Partition: p.Partition, First: p.Start, Last: b.end - 1})
		c.out.Partitions = append(c.out.Partitions, query.VerifiedPartition{Partition: p.Partition, Epoch: b.epoch,
			Start: p.Start, End: p.End, Compared: b.end, Waiting: p.End - b.end, Landing: p.Landing})
	}
	return nil
}

// stored is how far a partition has come by what is stored of it.
type stored struct {
	epoch uint32
	next  int64
	found bool
}

// settled is an epoch and the offset below which all of the log is decided.
type settled struct {
	epoch uint32
	end   int64 // from the log's start to its end
}

// bounds decides like the ingester which epoch the log is of. Without a
// commit, what is stored shows how far the log was read.
func bounds(p Partition, s stored) (settled, string) {
	out := settled{epoch: p.Epoch, end: p.Committed}
	if s.found && (s.epoch > p.Epoch || p.Committed < 0) {
		out.epoch, out.end = s.epoch, s.next // a commit of a former epoch says nothing of this log
	}
	warning := ""
	switch {
	case out.end > p.End:
		out.end = p.Start
		warning = fmt.Sprintf("what was read ends at offset %d and the log at %d: the topic was re-created or lost its tail, and is compared once headway ingest has seen it", max(p.Committed, s.next), p.End)
	case p.Committed < 0 && s.found:
		warning = "the group has no commit: compared up to the highest stored offset; is it the group that headway ingest uses?"
	case p.Committed < 0 && p.End > p.Start:
		warning = "the group has no commit and nothing is stored: all of the log waits; is it the group that headway ingest uses?"
	case s.found && s.epoch == out.epoch && s.next > p.End:
		warning = fmt.Sprintf("offsets up to %d are stored, and the log ends at %d", s.next-1, p.End)
	}
	out.end = min(max(out.end, p.Start), p.End)
	return out, warning
}

// sum adds the partitions up.
func (c *comparison) sum() {
	v := &c.out
	for _, p := range v.Partitions {
		v.Rows += p.Rows
		v.Rejected += p.Rejected
		v.Waiting += p.Waiting
		v.Expired += p.Expired
		v.Lost += p.Lost
		v.Former += p.Former
		v.Empty += p.Empty
		v.MissingMessages += p.Missing
		v.Produced += p.End - p.Start - p.Empty - p.Lost
	}
}
