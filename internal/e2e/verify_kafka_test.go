//go:build kafka

package e2e

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"headway/internal/testkit/kafka"
)

// TestVerifyOnApacheKafka runs the suite on Apache Kafka, and verifies a topic
// that its log cleaner went through.
func TestVerifyOnApacheKafka(t *testing.T) {
	b := kafka.Start(t, kafka.Options{Properties: map[string]string{"log.cleaner.backoff.ms": "100", "log.retention.check.interval.ms": "1000"}})
	p := newPlant(t, b.Addr())
	t.Run("compaction leaves holes", func(t *testing.T) { compactionLeavesHoles(t, p) })
	verifySuite(t, p)
}

// compactionLeavesHoles ingests only what the cleaner left: ingestion begins
// anew in a group without commits over an emptied table.
func compactionLeavesHoles(t *testing.T, p *plant) {
	const rounds, each = 12, 20
	for round := range rounds {
		var recs []*kgo.Record
		for i := range each {
			recs = append(recs, &kgo.Record{Topic: "compacted", Key: fmt.Append(nil, i), Value: []byte(line(fmt.Sprintf("c-%d-%d", round, i)))})
		}
		p.send(t, p.kafka, recs)
		time.Sleep(150 * time.Millisecond) // lets the segment's time pass; the broker's clock is not ours
	}
	p.verify(t, 0, answer{Produced: rounds * each, Rows: rounds * each}, "--topic", "compacted", "--wait", "1m")
	left := p.whenCompacted(t, "compacted", rounds*each)
	t.Logf("the cleaner left %d of %d messages", len(left), rounds*each)
	var list string
	for _, at := range left {
		list += fmt.Sprint(at, ",")
	}
	// As if ingestion had come after the cleaner: rows of holes never were.
	p.do(t, "ALTER TABLE requests DELETE WHERE topic = 'compacted' AND offset NOT IN ("+list+"-1) SETTINGS mutations_sync = 1")
	holes := int64(rounds*each - len(left))
	want := answer{Produced: int64(len(left)), Rows: int64(len(left)), Empty: holes}
	p.verify(t, 0, want, "--topic", "compacted")
	p.do(t, fmt.Sprintf("ALTER TABLE requests DELETE WHERE topic = 'compacted' AND offset = %d SETTINGS mutations_sync = 1", left[0]))
	want.Rows, want.MissingMessages, want.Missing = want.Rows-1, 1, []offsets{{0, 0, left[0], left[0]}}
	p.verify(t, 1, want, "--topic", "compacted")
}

// whenCompacted reads a topic again and again until messages are gone, and
// returns the offsets that are left.
func (p *plant) whenCompacted(t *testing.T, topic string, end int64) []int64 {
	t.Helper()
	before := 0
	deadline := time.Now().Add(time.Minute)
	for {
		left := p.offsetsOf(t, topic, end)
		if n := len(left); int64(n) < end && n == before { // the cleaner has come to rest
			return left
		}
		before = len(left)
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d messages are left after a minute", len(left), end)
		}
		time.Sleep(500 * time.Millisecond) // the cleaner tells nobody when it is done
	}
}

func (p *plant) offsetsOf(t *testing.T, topic string, end int64) (found []int64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	client, err := kgo.NewClient(kgo.SeedBrokers(p.kafka.OptValue(kgo.SeedBrokers).([]string)...),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: {0: kgo.NewOffset().AtStart()}}))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for last := int64(-1); last < end-1; {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			t.Fatal(err)
		}
		fetches.EachRecord(func(r *kgo.Record) { last, found = r.Offset, append(found, r.Offset) })
	}
	return found
}
