package ingest

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	kafka "github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"headway/schema"
)

// unreadableBatchBlocksNothing produces a batch of five records whose packed
// bytes are none of its codec, between good ones. Apache Kafka looks inside and
// refuses such batches, and codecs that it does not know; the embedded broker
// keeps them.
func unreadableBatchBlocksNothing(t *testing.T, l *lab) {
	const zstd, records = 4, 5
	before := l.produce(0, numbered("before", 3)...)
	code := l.produceRaw(0, garbled(zstd, records))
	if code == kerr.InvalidRecord.Code || code == kerr.CorruptMessage.Code || code == kerr.UnknownServerError.Code {
		t.Logf("the broker refuses the batch itself: code %d", code)
		r := l.start()
		l.sink.untilLanded(t, len(before))
		l.settled()
		l.sink.exactly(t, before)
		r.stop()
		return
	}
	if code != 0 {
		t.Fatalf("producing: code %d", code)
	}
	produced := before
	for i := range records {
		produced = append(produced, schema.Origin{Topic: l.topic, Offset: int64(len(before) + i)})
	}
	produced = append(produced, l.produce(0, numbered("after", 3)...)...)
	r := l.start()
	l.sink.untilLanded(t, len(produced))
	l.settled()
	l.sink.exactly(t, produced)
	for i, o := range produced {
		bad := i >= len(before) && i < len(before)+records
		if rejects := l.sink.rejects[o]; bad != (len(rejects) == 1) || bad && rejects[0].Reason != schema.ReasonUnreadable {
			t.Errorf("offset %d: rejects %+v, in the bad batch: %v", o.Offset, rejects, bad)
		}
	}
	if n := r.counter(t, "headway_records_rejected_total", "reason="+string(schema.ReasonUnreadable)); n != records {
		t.Errorf("%v counted as unreadable, want %d", n, records)
	}
	l.ready(r)
}

// garbled is a batch with a right checksum whose records nobody can unpack.
func garbled(codec int16, records int32) []byte {
	b := kmsg.RecordBatch{PartitionLeaderEpoch: -1, Magic: 2, Attributes: codec, LastOffsetDelta: records - 1,
		FirstTimestamp: time.Now().UnixMilli(), MaxTimestamp: time.Now().UnixMilli(),
		ProducerID: -1, ProducerEpoch: -1, FirstSequence: -1, NumRecords: records, Records: []byte("these bytes were never packed by any codec")}
	raw := b.AppendTo(nil)
	binary.BigEndian.PutUint32(raw[8:], uint32(len(raw)-12))
	binary.BigEndian.PutUint32(raw[17:], crc32.Checksum(raw[21:], crc32.MakeTable(crc32.Castagnoli)))
	return raw
}

// produceRaw sends a batch as it is and returns the broker's code.
func (l *lab) produceRaw(partition int32, batch []byte) int16 {
	l.t.Helper()
	req := kmsg.NewPtrProduceRequest()
	req.Acks, req.TimeoutMillis = -1, 5000
	topic, part := kmsg.NewProduceRequestTopic(), kmsg.NewProduceRequestTopicPartition()
	topic.Topic, part.Partition, part.Records = l.topic, partition, batch
	topic.Partitions = append(topic.Partitions, part)
	req.Topics = append(req.Topics, topic)
	// Produce requests of later versions number topics instead of naming them.
	client, err := kgo.NewClient(kgo.SeedBrokers(l.addr), kgo.MaxVersions(kversion.V3_0_0()))
	if err != nil {
		l.t.Fatal(err)
	}
	defer client.Close()
	var code int16
	l.eventually("producing a batch as it is", func(ctx context.Context) error {
		if err := client.Ping(ctx); err != nil {
			return err
		}
		got, err := client.DiscoveredBrokers()[0].Request(ctx, req)
		if err != nil {
			return err
		}
		res := got.(*kmsg.ProduceResponse)
		if code = res.Topics[0].Partitions[0].ErrorCode; errors.Is(kerr.ErrorForCode(code), kerr.UnknownTopicOrPartition) {
			return kerr.ErrorForCode(code)
		}
		return nil
	})
	return code
}

// TestRawBatchSpan believes what a batch says of itself only where its
// checksum is right.
func TestRawBatchSpan(t *testing.T) {
	good := garbled(4, 5)
	change := func(at int, to byte) []byte {
		b := slices.Clone(good)
		b[at] = to
		return b
	}
	for _, c := range []struct {
		name string
		data []byte
		want string // in the error; empty for none
	}{
		{"as it is", good, ""},
		{"another batch behind it", append(slices.Clone(good), good...), ""},
		{"nothing", nil, "no batch of version 2"},
		{"header cut off", good[:60], "no batch of version 2"},
		{"records cut off", good[:len(good)-1], "of which"},
		{"version 1", change(16, 1), "no batch of version 2"},
		{"length far too large", change(8, 0x7f), "of which"},
		{"length below a header", change(11, 3), "of which"},
		{"a byte turned over in the records", change(len(good)-1, '!'), "damaged"},
		{"a byte turned over in the last offset", change(26, 9), "damaged"},
	} {
		first, last, millis, err := (&rawBatch{data: c.data}).span()
		switch {
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: error %v, want %q in it", c.name, err, c.want)
		case c.want == "" && (err != nil || first != 0 || last != 4 || time.Since(time.UnixMilli(millis)) > time.Minute):
			t.Errorf("%s: %d to %d at %d (%v), want 0 to 4 at about now", c.name, first, last, millis, err)
		}
	}
}

// TestDecodeRawFetch cuts an answer off everywhere.
func TestDecodeRawFetch(t *testing.T) {
	answer := []byte{0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 't', 0, 0, 0, 1, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 2, 'a', 'b'}
	b, err := decodeRawFetch(answer)
	if err != nil || string(b.data) != "ab" || b.end != 8 {
		t.Fatalf("%+v (%v)", b, err)
	}
	for n := range len(answer) - 2 {
		if _, err := decodeRawFetch(answer[:n]); err == nil {
			t.Errorf("%d of %d bytes were taken for an answer", n, len(answer))
		}
	}
	refused := slices.Clone(answer)
	refused[24] = 1
	if _, err := decodeRawFetch(refused); !errors.Is(err, kafka.OffsetOutOfRange) {
		t.Errorf("error code 1 became %v", err)
	}
}

// TestOnlyWhatTheBrokerSentIsUnreadable: trouble with the connection is no
// reason to ask once more for what was never sent.
func TestOnlyWhatTheBrokerSentIsUnreadable(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		want bool
	}{
		{"none", nil, false},
		{"bytes of no codec", errors.New("magic number mismatch"), true},
		{"a broker's answer", kafka.OffsetOutOfRange, false},
		{"connection refused", &net.OpError{Op: "dial", Err: errors.New("refused")}, false},
		{"connection ended", io.ErrUnexpectedEOF, false},
		{"no such topic", protocol.ErrNoTopic, false},
		{"certificate not trusted", &handshakeError{cause: &tls.CertificateVerificationError{Err: errors.New("unknown")}}, false},
		{"no such password file", badCredential("none"), false},
	} {
		if got := mayBeUnreadable(t.Context(), c.err); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
