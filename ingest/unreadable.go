package ingest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"time"

	kafka "github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	fetchAPI "github.com/segmentio/kafka-go/protocol/fetch"
)

// The fetch request is version 4: the lowest that brokers still answer.
const rawFetchVersion = 4

// Places in a record batch, in bytes from its start (Kafka's message format,
// version 2).
const (
	batchLengthAt = 8
	magicAt       = 16
	checksumAt    = 17
	checkedFrom   = 21 // what the checksum covers
	lastDeltaAt   = 23
	latestTimeAt  = 35
	batchHeader   = 61
)

// errDamaged is a batch whose checksum is wrong: on the way, or on a disk. It
// is no message's fault, so nothing is rejected.
var errDamaged = errors.New("the record batch is damaged: its checksum is wrong; if it stays so, delete the records up to there from the topic")

// mayBeUnreadable reports whether a fetch failed on what the broker sent, and
// not on the way to it.
func mayBeUnreadable(ctx context.Context, err error) bool {
	var onTheWay net.Error
	var code kafka.Error
	if class, _ := refusal(err); class != "" || isMissing(err) {
		return false
	}
	return err != nil && ctx.Err() == nil && !errors.As(err, &onTheWay) && !errors.As(err, &code) &&
		!errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, net.ErrClosed)
}

// unreadable asks for the batch that holds an offset as it lies in the log,
// after kafka-go could not read it, and returns a message without a value for
// each of its offsets from there on, unreadableMost at the most. An error means that it can't be told what
// the batch is; it is to be read again.
func (r *reader) unreadable(ctx context.Context, offset int64) (chunk, error) {
	m, err := r.broker.transport.RoundTrip(ctx, r.broker.addr, &rawFetch{Request: r.request(offset, 1)})
	if err != nil {
		return chunk{}, err
	}
	raw := m.(*rawBatch)
	first, last, millis, err := raw.span()
	switch {
	case err != nil:
		return chunk{}, err
	case offset < first || offset > last || last >= raw.end:
		return chunk{}, fmt.Errorf("the log's batch of offsets %d to %d is not the one asked for", first, last)
	}
	last = min(last, offset+unreadableMost-1)
	c := chunk{next: last + 1, end: raw.end}
	for at := offset; at <= last; at++ {
		c.msgs = append(c.msgs, message{offset: at, millis: millis, unreadable: true})
	}
	return c, nil
}

// unreadableMost bounds the messages of one chunk: a batch may claim any number
// of offsets, and the next fetch goes on inside it.
const unreadableMost = 65_536

// rawBatch is the first batch of an answer, as it lies in the log.
type rawBatch struct {
	*fetchAPI.Response
	data []byte
	end  int64
}

// span is the batch's first and last offset and its latest time, Unix
// milliseconds.
func (b *rawBatch) span() (first, last, millis int64, err error) {
	d := b.data
	if len(d) < batchHeader || d[magicAt] != 2 {
		return 0, 0, 0, fmt.Errorf("the log holds no batch of version 2 there, in %d bytes", len(d))
	}
	n := int(binary.BigEndian.Uint32(d[batchLengthAt:])) + magicAt - 4
	if n < batchHeader || n > len(d) {
		return 0, 0, 0, fmt.Errorf("the log's batch says that it has %d bytes, of which %d came", n, len(d))
	}
	if crc32.Checksum(d[checkedFrom:n], crc32.MakeTable(crc32.Castagnoli)) != binary.BigEndian.Uint32(d[checksumAt:]) {
		return 0, 0, 0, errDamaged
	}
	first = int64(binary.BigEndian.Uint64(d))
	return first, first + int64(binary.BigEndian.Uint32(d[lastDeltaAt:])), int64(binary.BigEndian.Uint64(d[latestTimeAt:])), nil
}

// rawFetch is a fetch whose answer is not unpacked. It goes to the partition's
// leader, as its embedded request would.
type rawFetch struct{ *fetchAPI.Request }

// Required is always true: that is what rawFetch is for.
func (*rawFetch) Required(map[protocol.ApiKey]int16) bool { return true }

// RawExchange writes the request and reads the answer.
func (f *rawFetch) RawExchange(rw io.ReadWriter) (protocol.Message, error) {
	if _, err := rw.Write(f.encode()); err != nil {
		return nil, err
	}
	var size [4]byte
	if _, err := io.ReadFull(rw, size[:]); err != nil {
		return nil, err
	}
	n := int64(binary.BigEndian.Uint32(size[:]))
	if n > rawFetchMost {
		return nil, fmt.Errorf("the broker's answer has %d bytes, more than the %d that a batch may have", n, rawFetchMost)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(rw, body); err != nil {
		return nil, err
	}
	return decodeRawFetch(body)
}

// rawFetchMost bounds an answer of one batch.
const rawFetchMost = 256 << 20

func (f *rawFetch) encode() []byte {
	t := f.Topics[0]
	p := t.Partitions[0]
	b := binary.BigEndian.AppendUint16(make([]byte, 4, 128), uint16(protocol.Fetch))
	b = binary.BigEndian.AppendUint16(b, rawFetchVersion)
	b = binary.BigEndian.AppendUint32(b, 1) // correlation: one request at a time
	b = appendText(b, "headway")
	b = binary.BigEndian.AppendUint32(b, uint32(f.ReplicaID))
	b = binary.BigEndian.AppendUint32(b, uint32(f.MaxWaitTime))
	b = binary.BigEndian.AppendUint32(b, uint32(f.MinBytes))
	b = binary.BigEndian.AppendUint32(b, uint32(f.MaxBytes))
	b = append(b, byte(f.IsolationLevel))
	b = binary.BigEndian.AppendUint32(b, 1)
	b = appendText(b, t.Topic)
	b = binary.BigEndian.AppendUint32(b, 1)
	b = binary.BigEndian.AppendUint32(b, uint32(p.Partition))
	b = binary.BigEndian.AppendUint64(b, uint64(p.FetchOffset))
	b = binary.BigEndian.AppendUint32(b, uint32(p.PartitionMaxBytes))
	binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	return b
}

func appendText(b []byte, s string) []byte {
	return append(binary.BigEndian.AppendUint16(b, uint16(len(s))), s...)
}

// decodeRawFetch reads the answer to a question for one partition.
func decodeRawFetch(body []byte) (*rawBatch, error) {
	in := bytes.NewReader(body)
	var head struct{ Correlation, Throttle, Topics int32 }
	var nameLen int16
	var part struct {
		Partitions, Partition int32
		Code                  int16
		HighWatermark, Stable int64
		Aborted               int32
	}
	var size int32
	err := binary.Read(in, binary.BigEndian, &head)
	if err == nil && head.Topics == 1 {
		err = errors.Join(binary.Read(in, binary.BigEndian, &nameLen), skip(in, int64(nameLen)), binary.Read(in, binary.BigEndian, &part),
			skip(in, int64(max(part.Aborted, 0))*16), binary.Read(in, binary.BigEndian, &size))
	}
	switch {
	case err != nil || head.Topics != 1 || part.Partitions != 1:
		return nil, errNoAnswer
	case part.Code != 0:
		return nil, kafka.Error(part.Code)
	}
	end := part.Stable
	if end <= 0 {
		end = part.HighWatermark
	}
	return &rawBatch{Response: &fetchAPI.Response{}, data: body[len(body)-in.Len():], end: end}, nil
}

func skip(in io.Seeker, n int64) error {
	_, err := in.Seek(n, io.SeekCurrent)
	return err
}

// request asks for what lies from an offset on.
func (r *reader) request(offset int64, bytes int) *fetchAPI.Request {
	return &fetchAPI.Request{
		ReplicaID: -1, MaxWaitTime: int32(fetchWait / time.Millisecond), MinBytes: 1, MaxBytes: int32(bytes),
		IsolationLevel: readCommitted, SessionEpoch: -1,
		Topics: []fetchAPI.RequestTopic{{Topic: r.topic, Partitions: []fetchAPI.RequestPartition{{
			Partition: r.partition, CurrentLeaderEpoch: -1, FetchOffset: offset, LogStartOffset: -1, PartitionMaxBytes: int32(bytes)}}}},
	}
}
