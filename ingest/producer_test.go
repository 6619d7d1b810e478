package ingest

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"headway/schema"
)

func producerIsAcknowledged(t *testing.T, l *lab) {
	p, err := NewProducer([]string{l.addr}, l.safe, l.topic)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	// A topic whose records are of another source: the header must win.
	r := l.start(func(c *Config) { c.Topics[0].Source = "thefastest" })
	now := time.Now().UTC().Truncate(time.Millisecond)
	const n = 3000
	records := make([][]byte, 0, 2*n)
	for i := range n {
		rec := schema.Record{Source: "headway", StartPoint: schema.StartHandler, RequestID: fmt.Sprint("id-", i), Model: "m", CreatedAt: now, Role: schema.RolePrimary}
		records = append(records, schema.AppendJSON(nil, &rec))
		rec.Role = schema.RoleBackup
		records = append(records, schema.AppendJSON(nil, &rec))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	if err := p.Produce(ctx, records); err != nil {
		t.Fatal(err)
	}
	offsets, err := Offsets(ctx, []string{l.addr}, l.safe, l.topic, l.topic)
	if err != nil {
		t.Fatal(err)
	}
	total, used := int64(0), 0
	for _, o := range offsets {
		total += o.End - o.Start
		if o.End > 0 {
			used++
		}
	}
	unseen, err := Offsets(ctx, []string{l.addr}, l.safe, "a group that nobody joined", l.topic)
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range unseen {
		if o.Committed != -1 || o.Lag() != offsets[i].End {
			t.Errorf("a group that nobody joined stands at %+v, want the whole log before it", o)
		}
	}
	if total != 2*n || used != 3 {
		t.Errorf("after Produce %d records lie in %d partitions, want %d in 3", total, used, 2*n)
	}
	l.sink.untilLanded(t, 2*n)
	where := map[string]int32{}
	for o, recs := range l.sink.rows {
		id := recs[0].RequestID
		if p, ok := where[id]; ok && p != o.Partition {
			t.Errorf("attempts of %s lie in partitions %d and %d", id, p, o.Partition)
		}
		where[id] = o.Partition
	}
	if len(where) != n || r.counter(t, "headway_records_received_total", "source=headway") != 2*n {
		t.Errorf("%d ids landed as source headway, want %d", len(where), n)
	}
}

func TestProducerSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	addr := startCluster(t)
	l := newLab(t, addr, 1)
	for _, c := range []struct {
		name, addr, topic string
		record            []byte
		want              []string
	}{
		{"no broker listens", "127.0.0.1:1", l.topic, []byte("{}"), []string{"127.0.0.1:1", "1 of 1 records", "no broker listens there"}},
		{"no such topic", addr, "no-such-topic", []byte("{}"), []string{"no-such-topic", "create the topic first"}},
		{"record too large", addr, l.topic, bytes.Repeat([]byte("x"), 2_000_000), []string{"message.max.bytes"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, err := NewProducer([]string{c.addr}, Security{}, c.topic)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
			defer cancel()
			err = p.Produce(ctx, [][]byte{c.record})
			for _, want := range c.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("error %v, want %q in it", err, want)
				}
			}
		})
	}
	if _, err := NewProducer(nil, Security{}, "t"); err == nil || !strings.Contains(err.Error(), "host:port") {
		t.Errorf("without brokers: %v", err)
	}
	if _, err := NewProducer([]string{"x:1"}, Security{}, ""); err == nil || !strings.Contains(err.Error(), "topic") {
		t.Errorf("without topic: %v", err)
	}
}

func TestOffsetsTellMissingFromUnreachable(t *testing.T) {
	t.Parallel()
	addr := startCluster(t)
	if _, err := Offsets(t.Context(), []string{addr}, Security{}, "g", "no-such-topic"); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("missing topic: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if _, err := Offsets(ctx, []string{"127.0.0.1:1"}, Security{}, "g", "t"); err == nil || !strings.Contains(err.Error(), "check that a broker listens on 127.0.0.1:1") {
		t.Errorf("unreachable broker: %v", err)
	}
}
