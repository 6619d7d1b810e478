package ingest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/segmentio/kafka-go/protocol"
	fetchAPI "github.com/segmentio/kafka-go/protocol/fetch"

	"headway/classify"
	"headway/schema"
)

func TestCut(t *testing.T) {
	begin := time.Date(2026, 11, 30, 3, 0, 0, 0, time.UTC)
	l := limits{rows: 10, bytes: 1000, age: time.Second}
	for _, c := range []struct {
		name        string
		rows, bytes int
		age         time.Duration
		due         bool
		wait        time.Duration
	}{
		{"empty and old", 0, 0, time.Hour, false, 0},
		{"young", 1, 10, 300 * time.Millisecond, false, 700 * time.Millisecond},
		{"old", 1, 10, time.Second, true, 0},
		{"full of rows", 10, 10, 0, true, 0},
		{"one row short", 9, 999, 0, false, time.Second},
		{"full of bytes", 2, 1000, 0, true, 0},
		{"empty messages are messages", 3, 0, time.Second, true, 0},
	} {
		due, wait := l.cut(fill{rows: c.rows, bytes: c.bytes, oldest: begin}, begin.Add(c.age))
		if due != c.due || wait != c.wait {
			t.Errorf("%s: due %v, wait %s; want %v, %s", c.name, due, wait, c.due, c.wait)
		}
	}
}

func TestConfigErrorsNameTheRemedy(t *testing.T) {
	good := Config{Brokers: []string{"b:1"}, Group: "g", Topics: []Topic{{Name: "t", Source: "headway"}}}
	for _, c := range []struct {
		name string
		bad  func(*Config)
		want string
	}{
		{"no broker", func(c *Config) { c.Brokers = nil }, "set kafka.brokers"},
		{"no group", func(c *Config) { c.Group = "" }, "set kafka.group"},
		{"no topic", func(c *Config) { c.Topics = nil }, "set kafka.topics"},
		{"nameless topic", func(c *Config) { c.Topics[0].Name = "" }, "name it"},
		{"topic twice", func(c *Config) { c.Topics = append(c.Topics, c.Topics[0]) }, "list it once"},
		{"unknown source", func(c *Config) { c.Topics[0].Source = "nginx" }, "use one of headway"},
		{"batch above a block", func(c *Config) { c.BatchRows = 2_000_000 }, "choose 1 to 1000000"},
		{"negative batch", func(c *Config) { c.BatchBytes = -1 }, "at least 1"},
		{"negative time", func(c *Config) { c.BatchAge = -1 }, "leave it out"},
		{"pauses upside down", func(c *Config) { c.BackoffMin, c.BackoffMax = time.Minute, time.Second }, "raise it"},
		{"rare heartbeats", func(c *Config) { c.Heartbeat = 8 * time.Second }, "two heartbeats"},
		{"no memory", func(c *Config) { c.MemoryBytes = -5 }, "at least 1"},
		{"no models", func(c *Config) { c.DailyModels = -5 }, "at least 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := good
			cfg.Topics = append([]Topic(nil), good.Topics...)
			c.bad(&cfg)
			if _, err := cfg.withDefaults(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
	if c, err := good.withDefaults(); err != nil || c.BatchRows != 65_536 || c.BatchAge != time.Second {
		t.Errorf("defaults %+v (%v)", c, err)
	}
	if _, err := New(good, Deps{}); err == nil || !strings.Contains(err.Error(), "Deps") {
		t.Errorf("New without dependencies: %v", err)
	}
	judge, err := classify.New(classify.DefaultRules())
	if err != nil {
		t.Fatal(err)
	}
	deps := Deps{Sink: newRecorder(), Classifier: judge, Metrics: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler), Now: time.Now}
	if _, err := New(good, deps); err == nil || !strings.Contains(err.Error(), "NewID") {
		t.Errorf("New without an id generator: %v", err)
	}
}

func TestBudgetLetsReadersWait(t *testing.T) {
	b := newBudget(100)
	never := func() bool { return false }
	if err := b.wait(t.Context(), never); err != nil {
		t.Fatal(err)
	}
	b.take(150)
	ctx, cancel := context.WithCancel(t.Context())
	waited := make(chan error, 2)
	go func() { waited <- b.wait(ctx, never) }()
	go func() { waited <- b.wait(t.Context(), never) }()
	if err := b.wait(t.Context(), func() bool { return true }); err != nil {
		t.Errorf("a partition with nothing in flight got %v", err)
	}
	cancel()
	if err := <-waited; !errors.Is(err, context.Canceled) {
		t.Errorf("a reader that gave up got %v", err)
	}
	b.take(-40) // still above
	b.take(-20)
	if err := <-waited; err != nil {
		t.Errorf("a reader with room got %v", err)
	}
	if n := b.inUse(); n != 90 {
		t.Errorf("%d in use, want 90", n)
	}
}

func TestBackoffGrowsToItsLimit(t *testing.T) {
	b := backoff{min: 100 * time.Millisecond, max: time.Second}
	want := []time.Duration{100, 200, 400, 800, 1000, 1000}
	for i, w := range want {
		if got := b.next(); got != w*time.Millisecond {
			t.Errorf("pause %d is %s, want %s", i, got, w*time.Millisecond)
		}
	}
}

func TestFreshnessIsMissingBeforeTheFirstRow(t *testing.T) {
	now := time.Date(2026, 11, 30, 3, 0, 10, 0, time.UTC)
	r := &running{reg: prometheus.NewRegistry()}
	m := newMetrics(r.reg, func() time.Time { return now }, func() int64 { return 7 })
	if v := r.counter(t, "headway_freshness_seconds"); !math.IsNaN(v) {
		t.Errorf("freshness %v before the first row, want NaN", v)
	}
	landed := func(ages ...time.Duration) {
		b := &batch{rows: &recorded{}}
		for _, age := range ages {
			b.keep(&classify.Row{Record: schema.Record{CreatedAt: now.Add(-age)}}, 1)
		}
		m.landed(b, time.Second)
	}
	landed(4*time.Second, 9*time.Second)
	landed(time.Hour)
	if v := r.counter(t, "headway_freshness_seconds"); v != 4 {
		t.Errorf("freshness %v, want 4", v)
	}
}

func TestAttest(t *testing.T) {
	at := time.Date(2026, 11, 30, 3, 0, 0, 0, time.UTC)
	stored := schema.Record{RequestID: "a", CreatedAt: at}
	for _, c := range []struct {
		name string
		read schema.Record
		want witness
	}{
		{"the same", stored, witnessSame},
		{"generated id", schema.Record{RequestID: "b", CreatedAt: at}, witnessSame},
		{"replaced time", schema.Record{RequestID: "a", CreatedAt: at.Add(time.Hour)}, witnessSame},
		{"another record", schema.Record{RequestID: "b", CreatedAt: at.Add(time.Hour)}, witnessOther},
	} {
		if got := attest(&stored, &c.read); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestLargeValuesAreNotTakenOver keeps the neighbours of a value above the
// limit, and of itself the size alone.
func TestLargeValuesAreNotTakenOver(t *testing.T) {
	batch := &protocol.RecordBatch{BaseOffset: 5, Records: protocol.NewRecordReader(
		protocol.Record{Offset: 5, Value: protocol.NewBytes([]byte("abc"))},
		protocol.Record{Offset: 6, Value: protocol.NewBytes([]byte(strings.Repeat("x", 11)))},
		protocol.Record{Offset: 7, Value: protocol.NewBytes([]byte(strings.Repeat("y", 10)))},
		protocol.Record{Offset: 8})}
	part := &fetchAPI.ResponsePartition{LastStableOffset: 100,
		RecordSet: protocol.RecordSet{Records: &protocol.RecordStream{Records: []protocol.RecordReader{batch}}}}
	got, err := unpack(part, 5, 10, chunk{})
	if err != nil {
		t.Fatal(err)
	}
	var shape []string
	for _, m := range got.msgs {
		shape = append(shape, fmt.Sprintf("%d:%d/%d", m.offset, len(m.value), m.size))
	}
	if want := "5:3/3 6:0/11 7:10/10 8:0/0"; strings.Join(shape, " ") != want || got.bytes != 13 || got.next != 9 {
		t.Errorf("messages %q, %d bytes, next %d; want %q, 13 and 9", shape, got.bytes, got.next, want)
	}
}

// TestAbortedTransactions covers fetches that begin in the middle of a
// transaction, which no broker can be made to cut at will.
func TestAbortedTransactions(t *testing.T) {
	const p, q = 7, 8
	data := func(producer, base int64) protocol.RecordReader {
		return &protocol.RecordBatch{Attributes: protocol.Transactional, ProducerID: producer, BaseOffset: base,
			Records: protocol.NewRecordReader(protocol.Record{Offset: base, Value: protocol.NewBytes([]byte("x"))})}
	}
	marker := func(producer, offset int64) protocol.RecordReader {
		b := protocol.NewControlBatch(protocol.ControlRecord{Offset: offset})
		b.ProducerID, b.BaseOffset = producer, offset
		return b
	}
	for _, c := range []struct {
		name    string
		from    int64
		aborted []fetchAPI.ResponseTransaction
		batches []protocol.RecordReader
		want    []int64
		next    int64
	}{
		{"aborted, then committed, by one producer", 10, []fetchAPI.ResponseTransaction{{ProducerID: p, FirstOffset: 10}},
			[]protocol.RecordReader{data(p, 10), marker(p, 11), data(p, 12), marker(p, 13)}, []int64{12}, 14},
		{"fetch begins at the abort marker", 11, []fetchAPI.ResponseTransaction{{ProducerID: p, FirstOffset: 5}},
			[]protocol.RecordReader{marker(p, 11), data(p, 12), marker(p, 13)}, []int64{12}, 14},
		{"interleaved producers", 10, []fetchAPI.ResponseTransaction{{ProducerID: p, FirstOffset: 10}},
			[]protocol.RecordReader{data(p, 10), data(q, 11), data(p, 12), marker(q, 13), marker(p, 14)}, []int64{11}, 15},
		{"committed before the same producer's abort", 10, []fetchAPI.ResponseTransaction{{ProducerID: p, FirstOffset: 12}},
			[]protocol.RecordReader{data(p, 10), marker(p, 11), data(p, 12), marker(p, 13)}, []int64{10}, 14},
		{"only markers", 10, nil, []protocol.RecordReader{marker(p, 10), marker(q, 11)}, nil, 12},
		{"batch from before", 10, nil, []protocol.RecordReader{data(p, 9), data(p, 10)}, []int64{10}, 11},
		{"hole at the end of a batch", 10, nil, []protocol.RecordReader{data(p, 9)}, nil, 11},
	} {
		t.Run(c.name, func(t *testing.T) {
			part := &fetchAPI.ResponsePartition{LastStableOffset: 100, AbortedTransactions: c.aborted,
				RecordSet: protocol.RecordSet{Records: &protocol.RecordStream{Records: c.batches}}}
			got, err := unpack(part, c.from, 1<<20, chunk{})
			if err != nil {
				t.Fatal(err)
			}
			var offsets []int64
			for _, m := range got.msgs {
				offsets = append(offsets, m.offset)
			}
			if len(offsets) != len(c.want) || len(offsets) > 0 && offsets[0] != c.want[0] || got.next != c.next {
				t.Errorf("messages %v then %d, want %v then %d", offsets, got.next, c.want, c.next)
			}
		})
	}
}
