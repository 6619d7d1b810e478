package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	kafka "github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	fetchAPI "github.com/segmentio/kafka-go/protocol/fetch"
)

const (
	fetchWait     = 500 * time.Millisecond // how long a broker holds a request that finds nothing
	fetchTarget   = 1 << 20                // payload bytes wanted of one fetch, unpacked
	fetchLeast    = 64 << 10               // compressed bytes asked for, at least
	fetchMost     = 8 << 20                // and at most
	arenaBlock    = 256 << 10
	readCommitted = 1 // isolation: transactions that are open or aborted stay out
)

// message is one message of the log.
type message struct {
	offset int64
	value  []byte
	size   int    // of the value; above len(value) where it was too large to be taken over
	source string // of SourceHeader; empty without
	millis int64  // the log's own time of it, Unix ms; not above 0 where unknown
	// unreadable is true for each message of a batch that can't be unpacked;
	// its size is not known.
	unreadable bool
}

// chunk is what one fetch brought.
type chunk struct {
	msgs  []message // in offset order
	bytes int       // payload
	next  int64     // where to go on; beyond the last message where markers or compaction left holes
	end   int64     // the log's end as readers of committed messages see it
	arena [][]byte  // what the values lie in
}

// cost is the memory that the chunk takes.
func (c *chunk) cost() int64 { return int64(len(c.msgs))*messageCost + int64(c.bytes) }

const messageCost = 64

// reader reads one partition. It differs from kafka-go's Reader in what it
// must not do: skip silently what retention removed, hand out transaction
// markers and aborted messages as messages, wait for ever behind a re-created
// log's end, or unpack without bound.
type reader struct {
	broker *broker
	place
	ask int // bytes to ask for, adapted to how far batches unpack
	max int // largest value that is taken over

	mu    sync.Mutex
	spare chunk // memory of a chunk that is done with
}

func newReader(b *broker, p place, maxBytes int) *reader {
	return &reader{broker: b, place: p, ask: fetchLeast, max: maxBytes}
}

// fetch reads from offset on. It waits up to fetchWait for messages; an empty
// chunk is no error. kafka.OffsetOutOfRange is in the chain where the log has
// no such offset, before its start or behind its end.
func (r *reader) fetch(ctx context.Context, offset int64) (chunk, error) {
	ctx, cancel := context.WithTimeout(ctx, requestLimit)
	defer cancel()
	m, err := r.broker.transport.RoundTrip(ctx, r.broker.addr, r.request(offset, r.ask))
	if mayBeUnreadable(ctx, err) {
		c, why := r.unreadable(ctx, offset)
		if why == nil {
			return c, nil
		}
		err = fmt.Errorf("%w; asked for as it lies in the log: %w", err, why)
	}
	if err != nil {
		return chunk{}, fmt.Errorf("reading %s at offset %d: %w", r.place, offset, err)
	}
	res := m.(*fetchAPI.Response)
	if len(res.Topics) != 1 || len(res.Topics[0].Partitions) != 1 {
		return chunk{}, fmt.Errorf("reading %s at offset %d: %w", r.place, offset, errNoAnswer)
	}
	part := &res.Topics[0].Partitions[0]
	for _, code := range [...]int16{res.ErrorCode, part.ErrorCode} {
		if code != 0 {
			return chunk{}, fmt.Errorf("reading %s at offset %d: %w", r.place, offset, kafka.Error(code))
		}
	}
	c, err := unpack(part, offset, r.max, r.reusable())
	if err != nil {
		return chunk{}, fmt.Errorf("reading %s at offset %d: %w", r.place, offset, err)
	}
	r.adapt(c.bytes)
	return c, nil
}

// reuse takes the memory of a chunk back that nobody looks at any more.
func (r *reader) reuse(c chunk) {
	clear(c.msgs)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.spare = chunk{msgs: c.msgs[:0], arena: c.arena}
}

func (r *reader) reusable() chunk {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.spare
	r.spare = chunk{}
	return c
}

// adapt steers the size of requests so that what they unpack to stays near
// fetchTarget, whatever the codec does.
func (r *reader) adapt(got int) {
	switch {
	case got > 2*fetchTarget:
		r.ask = max(r.ask/2, fetchLeast)
	case got > r.ask/2 && got < fetchTarget/2:
		r.ask = min(r.ask*2, fetchMost)
	}
}

// unpack collects the messages from offset on, leaving out markers and
// aborted transactions. Of values above maxBytes only the size is taken over:
// they will be refused, and a few bytes on the wire may unpack to gigabytes.
// kafka-go's own pages hold one unpacked batch all the same.
func unpack(part *fetchAPI.ResponsePartition, offset int64, maxBytes int, spare chunk) (chunk, error) {
	u := unpacker{chunk: chunk{msgs: spare.msgs, next: offset, end: part.LastStableOffset}, spare: spare.arena, from: offset, max: maxBytes}
	if u.end <= 0 {
		u.end = part.HighWatermark
	}
	stream, _ := part.RecordSet.Records.(*protocol.RecordStream)
	if stream == nil {
		return u.chunk, nil
	}
	gone := aborted{pending: part.AbortedTransactions, open: map[int64]bool{}}
	for _, batch := range stream.Records {
		if err := u.batch(batch, &gone); err != nil {
			return chunk{}, err
		}
	}
	if u.next == offset && len(stream.Records) > 0 && offset < u.end {
		// The batch that covers offset holds nothing from there on: compaction
		// removed it. kafka-go hides where the batch ends, so go step by step.
		u.next++
	}
	return u.chunk, nil
}

type unpacker struct {
	chunk
	from  int64
	max   int
	spare [][]byte // blocks to use before new ones
	block []byte   // being filled; the last of chunk.arena
}

func (u *unpacker) batch(batch protocol.RecordReader, gone *aborted) error {
	drop := false
	switch b := batch.(type) {
	case *protocol.ControlBatch:
		return u.control(b, gone)
	case *protocol.RecordBatch:
		drop = b.Attributes.Transactional() && gone.covers(b.ProducerID, b.BaseOffset)
	}
	for {
		rec, err := batch.ReadRecord()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if err := u.record(rec, drop); err != nil {
			return err
		}
	}
}

// record takes one record over; its bytes return to kafka-go's pages.
func (u *unpacker) record(rec *protocol.Record, drop bool) error {
	if rec.Key != nil {
		defer rec.Key.Close()
	}
	if rec.Value != nil {
		defer rec.Value.Close()
	}
	if rec.Offset < u.from {
		return nil // batches come whole, also from before the offset asked for
	}
	u.next = rec.Offset + 1
	if drop {
		return nil
	}
	m := message{offset: rec.Offset, millis: rec.Time.UnixMilli()}
	for _, h := range rec.Headers {
		if h.Key == SourceHeader {
			m.source = string(h.Value)
		}
	}
	if rec.Value != nil {
		m.size = rec.Value.Len()
	}
	if 0 < m.size && m.size <= u.max {
		m.value = u.room(m.size)
		if _, err := io.ReadFull(rec.Value, m.value); err != nil {
			return err
		}
	}
	u.bytes += len(m.value)
	u.msgs = append(u.msgs, m)
	return nil
}

// room returns n bytes of a block that many messages share.
func (u *unpacker) room(n int) []byte {
	if cap(u.block)-len(u.block) < n {
		if k := len(u.spare); k > 0 && n <= arenaBlock {
			u.block, u.spare = u.spare[k-1][:0], u.spare[:k-1]
		} else {
			u.block = make([]byte, 0, max(arenaBlock, n))
		}
		if cap(u.block) == arenaBlock { // others are not kept
			u.arena = append(u.arena, u.block)
		}
	}
	at := len(u.block)
	u.block = u.block[:at+n]
	return u.block[at : at+n : at+n]
}

// control reads the end of a transaction; it yields no message.
func (u *unpacker) control(b *protocol.ControlBatch, gone *aborted) error {
	for {
		rec, err := b.ReadControlRecord()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		gone.end(b.ProducerID, rec.Offset)
		if rec.Offset >= u.from {
			u.next = rec.Offset + 1
		}
	}
}

// aborted follows a fetch's list of aborted transactions, as Kafka's protocol
// asks of readers of committed messages.
type aborted struct {
	pending []fetchAPI.ResponseTransaction
	open    map[int64]bool // producers inside an aborted transaction
}

// covers reports whether a producer's batch that begins at base belongs to an
// aborted transaction.
func (a *aborted) covers(producer, base int64) bool {
	a.reach(base)
	return a.open[producer]
}

// end closes a producer's transaction at its marker. Transactions that began
// before this fetch must be opened first, or the next one of the same
// producer would pass for theirs.
func (a *aborted) end(producer, marker int64) {
	a.reach(marker)
	delete(a.open, producer)
}

func (a *aborted) reach(offset int64) {
	rest := a.pending[:0]
	for _, t := range a.pending {
		if t.FirstOffset <= offset {
			a.open[t.ProducerID] = true
		} else {
			rest = append(rest, t)
		}
	}
	a.pending = rest
}
