package ingest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	kafka "github.com/segmentio/kafka-go"

	"headway/schema"
)

// LogReader reads single messages of one topic's log, outside the consumer
// group: it commits nothing and disturbs no member. One goroutine at a time.
type LogReader struct {
	broker   *broker
	brokers  []string
	prep     preparer
	template schema.Config
	now      func() time.Time
}

// Unstored is a message of the log that was asked for.
type Unstored struct {
	Offset int64
	// Expired is true where the message is older than the retention: a row by
	// the record's time, a message that is refused by the log's.
	Expired bool
	// RequestID and CreatedAt are the record's; empty and zero where the
	// message is refused.
	RequestID string
	CreatedAt time.Time
}

// NewLogReader reads topic on the brokers. decode is what the ingester's
// decoders are made with; Source must be empty.
func NewLogReader(brokers []string, safe Security, topic Topic, decode schema.Config, now func() time.Time) (*LogReader, error) {
	if err := safe.Check(); err != nil {
		return nil, err
	}
	decoders, err := newDecoders(decode)
	if err != nil {
		return nil, err
	}
	if decode.MaxBytes == 0 {
		decode.MaxBytes = schema.DefaultMaxBytes
	}
	if decode.Retention == 0 {
		decode.Retention = schema.DefaultRetention
	}
	return &LogReader{broker: newBroker(brokers, safe, "", []string{topic.Name}, time.Second), brokers: brokers, template: decode, now: now,
		prep: preparer{place: place{topic: topic.Name}, source: topic.Source, decoders: decoders, metrics: newMetrics(prometheus.NewRegistry(), now, func() int64 { return 0 })}}, nil
}

// Close ends the connections.
func (l *LogReader) Close() error {
	l.broker.close()
	return nil
}

// readPatience is how long the log may give nothing where it must hold
// something, and brokers may be away.
const readPatience = 30 * time.Second

// Messages visits the messages in gaps, runs of one partition's offsets in
// order, as readers of committed messages see them. It returns how many
// offsets of the gaps left the log before they were read.
func (l *LogReader) Messages(ctx context.Context, gaps []schema.Range, visit func(Unstored)) (gone int64, err error) {
	if len(gaps) == 0 {
		return 0, nil
	}
	l.prep.place = place{topic: gaps[0].Topic, partition: gaps[0].Partition}
	r := newReader(l.broker, l.prep.place, l.template.MaxBytes)
	at, patience := gaps[0].First, l.now().Add(readPatience)
	for len(gaps) > 0 {
		if at < gaps[0].First {
			at, r.ask = gaps[0].First, fetchLeast // few of the messages ahead may be of interest
		}
		c, err := r.fetch(ctx, at)
		switch {
		case errors.Is(err, kafka.OffsetOutOfRange):
			start, n, err := l.expired(ctx, gaps, at)
			if err != nil {
				return gone, err
			}
			gone += n
			c = chunk{next: start}
		case err != nil && (ctx.Err() != nil || l.now().After(patience)):
			return gone, fmt.Errorf("%w; check that a broker listens on %s", err, strings.Join(l.brokers, ", "))
		case err == nil && c.next == at && l.now().After(patience):
			return gone, fmt.Errorf("%s gives no message from offset %d on within %s: is a transaction open since then?", l.prep.place, at, readPatience)
		case err != nil || c.next == at:
			if err := pause(ctx, 100*time.Millisecond); err != nil {
				return gone, err
			}
			continue
		}
		patience = l.now().Add(readPatience)
		gaps = l.visit(gaps, c, visit)
		at = c.next
	}
	return gone, nil
}

// visit hands out the messages of a chunk that lie in gaps, and returns the
// gaps that go on behind it.
func (l *LogReader) visit(gaps []schema.Range, c chunk, visit func(Unstored)) []schema.Range {
	for _, m := range c.msgs {
		for len(gaps) > 0 && gaps[0].Last < m.offset {
			gaps = gaps[1:]
		}
		if len(gaps) > 0 && gaps[0].First <= m.offset {
			visit(l.judge(m))
		}
	}
	for len(gaps) > 0 && gaps[0].Last < c.next {
		gaps = gaps[1:]
	}
	return gaps
}

// expired is asked where the log no longer has offset at: it returns the log's
// start, which is above, and how many offsets of gaps lie from at until there.
func (l *LogReader) expired(ctx context.Context, gaps []schema.Range, at int64) (start, gone int64, err error) {
	start, end, err := l.broker.bounds(ctx, l.prep.place)
	if err != nil {
		return 0, 0, err
	}
	if last := gaps[len(gaps)-1].Last; last >= end || start <= at {
		return 0, 0, fmt.Errorf("%s now holds offsets %d to %d, and held %d to %d: the topic was re-created meanwhile; verify it again", l.prep.place, start, end-1, gaps[0].First, last)
	}
	for _, g := range gaps {
		gone += max(0, min(g.Last, start-1)-max(g.First, at)+1)
	}
	return start, gone, nil
}

// judge reads one message.
func (l *LogReader) judge(m message) Unstored {
	var rec schema.Record
	now := l.now()
	_, reason := l.prep.decode(m, now, &rec)
	u := Unstored{Offset: m.offset, Expired: reason == schema.ReasonExpired}
	at := time.UnixMilli(m.millis)
	switch {
	case reason == "":
		u.RequestID, u.CreatedAt, at = rec.RequestID, rec.CreatedAt, rec.CreatedAt
	case m.millis <= 0: // the log does not know
		return u
	}
	if l.template.Retention != schema.KeepForever {
		u.Expired = u.Expired || at.Before(now.Add(-l.template.Retention))
	}
	return u
}
