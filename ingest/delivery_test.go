package ingest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/twmb/franz-go/pkg/kgo"

	"headway/classify"
	"headway/schema"
)

func everyRecordLandsOnce(t *testing.T, l *lab) {
	var produced []schema.Origin
	codecs := []kgo.CompressionCodec{kgo.NoCompression(), kgo.GzipCompression(), kgo.SnappyCompression(), kgo.Lz4Compression(), kgo.ZstdCompression()}
	r := l.start()
	for i, codec := range codecs {
		client, err := kgo.NewClient(kgo.SeedBrokers(l.addr), kgo.ProducerBatchCompression(codec))
		if err != nil {
			t.Fatal(err)
		}
		var recs []*kgo.Record
		for j, p := range numbered(string(rune('a'+i)), 2000) {
			recs = append(recs, &kgo.Record{Topic: l.topic, Key: []byte{byte(j), byte(j >> 8)}, Value: []byte(p),
				Headers: []kgo.RecordHeader{{Key: "trace", Value: []byte("x")}}})
		}
		produced = append(produced, l.send(client, recs)...)
		client.Close()
	}
	l.sink.untilLanded(t, len(produced))
	l.settled()
	l.sink.exactly(t, produced)
	for name, want := range map[string]float64{
		"headway_rows_inserted_total": 10_000, "headway_records_received_total": 10_000,
		"headway_records_rejected_total": 0, "headway_records_flagged_total": 0,
		"headway_lag_records": 0, "headway_insert_errors_total": 0, "headway_rows_landed_again_total": 0,
		"headway_oldest_waiting_seconds": 0, "headway_ingest_waits": 0, "headway_takeovers_total": 4,
	} {
		l.untilCounter(r, want, name)
	}
	if n := r.counter(t, "headway_batch_rows"); n < 100 {
		t.Errorf("%v batches of at most 100 rows for 10,000 records", n)
	}
	if n := r.counter(t, "headway_freshness_seconds"); !(n > -60 && n < 60) {
		t.Errorf("freshness %v s, records are of now", n)
	}
	l.untilCounter(r, 0, "headway_in_flight_bytes")
	for _, p := range r.Status().Partitions {
		if p.Landed != p.End || p.End == 0 {
			t.Errorf("status %+v, want all landed", p)
		}
	}
}

func onlyCommittedTransactionsLand(t *testing.T, l *lab) {
	client, err := kgo.NewClient(kgo.SeedBrokers(l.addr), kgo.TransactionalID(l.topic), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	r := l.start()
	var produced []schema.Origin
	for i, end := range []kgo.TransactionEndTry{kgo.TryCommit, kgo.TryAbort, kgo.TryCommit, kgo.TryAbort, kgo.TryCommit} {
		if err := client.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		var recs []*kgo.Record
		for _, p := range numbered(string(rune('a'+i)), 50) {
			recs = append(recs, &kgo.Record{Topic: l.topic, Value: []byte(p)})
		}
		at := l.send(client, recs)
		if err := client.EndTransaction(ctx, end); err != nil {
			t.Fatal(err)
		}
		if end == kgo.TryCommit {
			produced = append(produced, at...)
		}
	}
	l.sink.untilLanded(t, len(produced))
	l.settled() // beyond the last marker
	l.sink.exactly(t, produced)
	if n := r.counter(t, "headway_records_rejected_total"); n != 0 {
		t.Errorf("%v rejects: markers or aborted messages passed for records", n)
	}
}

func slowSinkPausesReadingNotHeartbeats(t *testing.T, l *lab) {
	free := l.sink.hold()
	const bound = 1 << 20
	r := l.start(func(c *Config) { c.MemoryBytes = bound })
	produced := append(l.produce(0, numbered("a", 6000)...), l.produce(1, numbered("b", 6000)...)...)
	l.sink.until(t, "landing under way", func() bool { return l.sink.busy == 2 })
	// Longer than the session time-out: without heartbeats the member would be
	// expelled, and another generation begin.
	if err := pause(t.Context(), 7*time.Second); err != nil {
		t.Fatal(err)
	}
	// Each partition may exceed the bound by the fetch that crossed it.
	if n := r.budget.inUse(); n > bound+2*6000*(int64(unsafe.Sizeof(classify.Row{}))+messageCost+300) {
		t.Errorf("%d bytes in flight, the bound is %d", n, bound)
	}
	// What comes while reading pauses is seen all the same.
	produced = append(produced, l.produce(0, numbered("c", 500)...)...)
	l.untilCounter(r, 12_500, "headway_lag_records")
	if n := r.counter(t, "headway_partitions_paused"); n != 2 {
		t.Errorf("%v partitions are paused, want both", n)
	}
	if n := r.counter(t, "headway_oldest_waiting_seconds", "partition=0"); n < 7 || n > 60 {
		t.Errorf("the oldest waiting record is %v s old, want some 7", n)
	}
	close(free)
	l.sink.untilLanded(t, len(produced))
	l.settled()
	l.sink.exactly(t, produced)
	if n := r.counter(t, "headway_group_generations_total"); n != 1 {
		t.Errorf("%v generations: the member was expelled", n)
	}
	if n := r.counter(t, "headway_paused_seconds_total"); n < 10 {
		t.Errorf("%v s paused over two partitions, want some 14", n)
	}
	l.untilCounter(r, 0, "headway_oldest_waiting_seconds")
}

// batchesGrowWhileTheSinkIsBusy: what comes during a slow landing lands
// together, however old it gets meanwhile.
func batchesGrowWhileTheSinkIsBusy(t *testing.T, l *lab) {
	free := l.sink.hold()
	r := l.start(func(c *Config) { c.BatchRows = 1000 })
	produced := l.produce(0, numbered("first", 1)...)
	l.sink.until(t, "landing under way", func() bool { return l.sink.busy == 1 })
	for i := range 20 { // each older than the batch age when the next comes
		produced = append(produced, l.produce(0, numbered(fmt.Sprint("later-", i), 7)...)...)
		if err := pause(t.Context(), 60*time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
	l.untilCounter(r, 141, "headway_records_received_total")
	close(free)
	l.sink.untilLanded(t, len(produced))
	l.settled()
	l.sink.exactly(t, produced)
	if n := len(l.sink.lands); n != 2 {
		t.Errorf("%d landings, want 2: the first record, and all that came while it landed", n)
	}
}

// frozenPartitionStarvesNoOther: memory is full of what can't land, and the
// other partition goes on.
func frozenPartitionStarvesNoOther(t *testing.T, l *lab) {
	free := make(chan struct{})
	l.sink.hooks(func(ctx context.Context, c landCall) error {
		if c.span.Partition == 1 {
			return nil
		}
		select {
		case <-free:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}, nil)
	r := l.start(func(c *Config) { c.MemoryBytes = 1 })
	produced := l.produce(0, numbered("a", 500)...)
	l.sink.until(t, "landing under way", func() bool { return l.sink.busy == 1 })
	for i := range 5 {
		produced = append(produced, l.produce(1, numbered(string(rune('b'+i)), 500)...)...)
	}
	l.sink.untilLanded(t, 2500)
	l.untilCounter(r, 500, "headway_lag_records", "partition=0")
	close(free)
	l.sink.untilLanded(t, 3000)
	l.settled()
	l.sink.exactly(t, produced)
}

func stopLandsWhatWasRead(t *testing.T, l *lab) {
	r := l.start(func(c *Config) { c.BatchRows, c.BatchAge = 10_000, time.Hour })
	l.ready(r)
	produced := append(l.produce(0, numbered("a", 700)...), l.produce(1, numbered("b", 500)...)...)
	l.eventually("reading", func(context.Context) error {
		if n := r.counter(t, "headway_records_received_total"); n < 1200 {
			return errors.New("not read")
		}
		return nil
	})
	if len(l.sink.lands) > 0 {
		t.Fatal("a batch landed before it was due")
	}
	r.stop()
	l.sink.exactly(t, produced)
	l.settled()
	if err := r.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), "left") {
		t.Errorf("a stopped ingester says %v", err)
	}
}

func idlePartitionsOverRestart(t *testing.T, l *lab) {
	first := l.start()
	produced := l.produce(1, numbered("a", 300)...)
	l.sink.untilLanded(t, 300)
	l.settled()
	first.stop()
	second := l.start()
	l.ready(second)
	produced = append(produced, l.produce(0, numbered("b", 200)...)...)
	produced = append(produced, l.produce(1, numbered("c", 100)...)...)
	l.sink.untilLanded(t, 600)
	l.settled()
	l.sink.exactly(t, produced)
	for _, c := range l.sink.lands {
		if c.check {
			t.Errorf("range %+v was landed with a check though nothing was under way", c.span)
		}
	}
}

func membersComeAndGo(t *testing.T, l *lab) {
	steady := l.start()
	l.ready(steady)
	var produced []schema.Origin
	for round := range 4 {
		guest := l.start()
		for p := range int32(6) {
			produced = append(produced, l.produce(p, numbered(string(rune('a'+round)), 300)...)...)
		}
		l.eventually("sharing the partitions", func(context.Context) error {
			if n, m := len(guest.Status().Partitions), len(steady.Status().Partitions); n != 3 || m != 3 {
				return errors.New("not shared")
			}
			return nil
		})
		for p := range int32(6) {
			produced = append(produced, l.produce(p, numbered(string(rune('n'+round)), 300)...)...)
		}
		guest.stop()
	}
	l.sink.untilLanded(t, len(produced))
	l.settled()
	l.sink.exactly(t, produced)
	if n := steady.counter(t, "headway_group_generations_total"); n < 5 {
		t.Errorf("%v generations in four visits", n)
	}
}
