//go:build !kafka

package ingest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	kafka "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"headway/schema"
)

// The tests here make the broker fail in ways that only kfake can be told.

// TestCommitFailsAfterLanding loses the commit that follows a landing, in each
// way that Kafka has to say so.
func TestCommitFailsAfterLanding(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		code  *kerr.Error
		close bool
	}{
		{"fenced", kerr.IllegalGeneration, false},
		{"expelled", kerr.UnknownMemberID, false},
		{"rebalancing", kerr.RebalanceInProgress, false},
		{"coordinator moved", kerr.NotCoordinator, false},
		{"coordinator loading", kerr.CoordinatorLoadInProgress, false},
		{"connection lost", nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			fake := startFake(t)
			l := newLab(t, fake.ListenAddrs()[0], 1)
			var failed atomic.Int64
			fake.ControlKey(int16(kmsg.OffsetCommit), func(kreq kmsg.Request) (kmsg.Response, error, bool) {
				fake.KeepControl()
				req := kreq.(*kmsg.OffsetCommitRequest)
				part := req.Topics[0].Partitions[0]
				n, _ := parseNote(*part.Metadata)
				if n.intent || part.Offset < 150 || failed.Add(1) > 1 {
					return nil, nil, false
				}
				if c.close {
					return nil, errors.New("cut"), true
				}
				res := req.ResponseKind().(*kmsg.OffsetCommitResponse)
				res.Topics = []kmsg.OffsetCommitResponseTopic{{Topic: req.Topics[0].Topic,
					Partitions: []kmsg.OffsetCommitResponseTopicPartition{{Partition: part.Partition, ErrorCode: c.code.Code}}}}
				return res, nil, true
			})
			r := l.start()
			produced := l.produce(0, numbered("a", 450)...)
			l.sink.untilLanded(t, 450)
			l.settled()
			l.sink.exactly(t, produced)
			if failed.Load() == 0 {
				t.Fatal("no commit failed")
			}
			fenced := 0.0
			if c.code != nil && isFence(kerrToKafka(c.code)) {
				fenced = 1
			}
			if n := r.counter(t, "headway_commits_fenced_total"); n != fenced {
				t.Errorf("%v commits counted as fenced, want %v", n, fenced)
			}
			if n := r.counter(t, "headway_batches_redone_total"); n != fenced {
				t.Errorf("%v batches redone, want %v", n, fenced)
			}
		})
	}
}

// TestIntentRefused: an owner whose intent is fenced inserts nothing.
func TestIntentRefused(t *testing.T) {
	t.Parallel()
	fake := startFake(t)
	l := newLab(t, fake.ListenAddrs()[0], 1)
	var refused atomic.Int64
	fake.ControlKey(int16(kmsg.OffsetCommit), func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		fake.KeepControl()
		req := kreq.(*kmsg.OffsetCommitRequest)
		if refused.Add(1) > 1 {
			return nil, nil, false
		}
		l.sink.mu.Lock()
		lands := len(l.sink.lands)
		l.sink.mu.Unlock()
		if lands > 0 {
			t.Error("a landing came before its intent")
		}
		res := req.ResponseKind().(*kmsg.OffsetCommitResponse)
		res.Topics = []kmsg.OffsetCommitResponseTopic{{Topic: req.Topics[0].Topic,
			Partitions: []kmsg.OffsetCommitResponseTopicPartition{{Partition: 0, ErrorCode: kerr.IllegalGeneration.Code}}}}
		return res, nil, true
	})
	r := l.start()
	produced := l.produce(0, numbered("a", 30)...)
	l.sink.untilLanded(t, 30)
	l.settled()
	l.sink.exactly(t, produced)
	if n := r.counter(t, "headway_group_generations_total"); n < 2 {
		t.Errorf("%v generations: the fenced worker went on", n)
	}
}

func TestCompactedLogIsReadThroughItsHoles(t *testing.T) {
	t.Parallel()
	fake := startFake(t, kfake.BrokerConfigs(map[string]string{"segment.bytes": "2000"}))
	l := newLab(t, fake.ListenAddrs()[0], 0)
	if err := fake.CreateTopic(l.topic, 1, map[string]string{"cleanup.policy": "compact", "min.cleanable.dirty.ratio": "0"}); err != nil {
		t.Fatal(err)
	}
	var produced []schema.Origin
	for round := range 6 {
		var recs []*kgo.Record
		for i, p := range numbered(fmt.Sprint("r", round), 20) {
			recs = append(recs, &kgo.Record{Topic: l.topic, Key: []byte{byte('a' + i%(20-3*round))}, Value: []byte(p)})
		}
		produced = append(produced, l.send(l.kafka, recs)...)
	}
	fake.Compact()
	left := readAll(t, l, int64(len(produced)))
	if len(left) == len(produced) || len(left) == 0 {
		t.Fatalf("compaction left %d of %d messages: nothing is tested", len(left), len(produced))
	}
	found, _, _, err := unstored(t, l, 0, int64(len(produced))-1)
	if err != nil || len(found) != len(left) || found[0] != left[0].Offset {
		t.Errorf("the log reader found %d of %d messages, %v", len(found), len(left), err)
	}
	r := l.start()
	l.sink.untilLanded(t, len(left))
	l.settled()
	l.sink.exactly(t, left)
	if n := r.counter(t, "headway_records_lost_total"); n != 0 {
		t.Errorf("%v compacted offsets passed for lost", n)
	}
}

// readAll lists what another client finds in the log.
func readAll(t *testing.T, l *lab, end int64) (found []schema.Origin) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(l.addr), kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{l.topic: {0: kgo.NewOffset().AtStart()}}))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for last := int64(-1); last < end-1; {
		fetches := client.PollFetches(t.Context())
		if err := fetches.Err(); err != nil {
			t.Fatal(err)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			last = r.Offset
			found = append(found, schema.Origin{Topic: l.topic, Offset: r.Offset})
		})
	}
	return found
}

func TestStartsBeforeKafka(t *testing.T) {
	t.Parallel()
	hold, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := hold.Addr().String()
	if err := hold.Close(); err != nil {
		t.Fatal(err)
	}
	l := newLab(t, addr, 0)
	r := l.start()
	untilReported(t, l, r, "unreachable")
	if err := r.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), "kafka.brokers") {
		t.Errorf("readiness says %v, not the remedy", err)
	}
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	startFake(t, kfake.Ports(n))
	l.createTopic(1)
	produced := l.produce(0, numbered("a", 30)...)
	l.sink.untilLanded(t, 30)
	l.sink.exactly(t, produced)
	l.ready(r)
	for _, line := range []string{"for=kafka", "after=kafka"} {
		if n := strings.Count(l.log.String(), line); n != 1 {
			t.Errorf("%d lines with %s for one change of state", n, line)
		}
	}
}

// TestStopWhileKafkaHangs: a broker that accepts and never answers must not
// hold the end up.
func TestStopWhileKafkaHangs(t *testing.T) {
	t.Parallel()
	fake := startFake(t)
	l := newLab(t, fake.ListenAddrs()[0], 1)
	joining := make(chan struct{}, 100)
	free := make(chan struct{})
	t.Cleanup(func() { close(free) })
	fake.ControlKey(int16(kmsg.JoinGroup), func(kmsg.Request) (kmsg.Response, error, bool) {
		fake.KeepControl()
		joining <- struct{}{}
		fake.SleepControl(func() { <-free })
		return nil, nil, false
	})
	r := l.start(func(c *Config) { c.StopWithin = 1500 * 1e6; c.Rebalance = 3e10 })
	<-joining
	r.stop() // checks the time it takes
}

// cluster-wide sanity of the harness itself: a doubled row must show.
func TestRecorderShowsDoubling(t *testing.T) {
	s := newRecorder()
	o := schema.Origin{Topic: "t", Offset: 4}
	rejects := []schema.Reject{{Origin: o}}
	span := schema.Range{Topic: "t", First: 4, Last: 4}
	for _, check := range []bool{false, true, false} {
		if err := s.Land(context.Background(), span, &recorded{}, rejects, check); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(s.rejects[o]); n != 2 {
		t.Errorf("%d copies, want 2: one more for the landing without a check", n)
	}
}

func kerrToKafka(e *kerr.Error) error { return kafka.Error(e.Code) }

// TestUnreadableBatchComesInChunks: a batch that can't be unpacked may claim
// more offsets than memory has room for.
func TestUnreadableBatchComesInChunks(t *testing.T) {
	t.Parallel()
	l := newLab(t, startCluster(t), 1)
	const records = unreadableMost + 10
	if code := l.produceRaw(0, garbled(4, records)); code != 0 {
		t.Fatalf("producing: code %d", code)
	}
	b := newBroker([]string{l.addr}, l.safe, "", []string{l.topic}, time.Second)
	defer b.close()
	r := newReader(b, place{topic: l.topic}, schema.DefaultMaxBytes)
	from := int64(0)
	for _, want := range []int{unreadableMost, records - unreadableMost} {
		c, err := r.fetch(t.Context(), from)
		if err != nil || len(c.msgs) != want || c.msgs[0].offset != from || c.next != from+int64(want) {
			t.Fatalf("from %d: %d messages, then %d (%v); want %d", from, len(c.msgs), c.next, err, want)
		}
		from = c.next
	}
}
