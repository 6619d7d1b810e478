//go:build !kafka

package ingest

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kfake"

	"headway/classify"
	"headway/schema"
)

// counting is a sink that only counts: what is measured is everything before
// the store.
type counting struct {
	*recorder
	n    atomic.Int64
	want int64
	done chan struct{}
}

func (c *counting) Land(_ context.Context, _ schema.Range, rows Rows, rejects []schema.Reject, _ bool) error {
	if c.n.Add(int64(rows.Len()+len(rejects))) >= c.want {
		close(c.done)
	}
	return nil
}

// BenchmarkIngest moves records of about 600 bytes from kfake, in this process,
// to a sink that counts: go test -run - -bench Ingest -benchtime 500000x ./ingest
func BenchmarkIngest(b *testing.B) {
	fake, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(2, "bench"))
	if err != nil {
		b.Fatal(err)
	}
	defer fake.Close()
	addr := fake.ListenAddrs()
	p, err := NewProducer(addr, Security{}, "bench")
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	begin := time.Now()
	bytes := 0
	for at := 0; at < b.N; at += 10_000 {
		records := make([][]byte, min(10_000, b.N-at))
		for i := range records {
			rec := sampleRecord(at + i)
			records[i] = schema.AppendJSON(nil, &rec)
			bytes += len(records[i])
		}
		if err := p.Produce(b.Context(), records); err != nil {
			b.Fatal(err)
		}
	}
	produced := float64(b.N) / time.Since(begin).Seconds()
	judge, err := classify.New(classify.DefaultRules())
	if err != nil {
		b.Fatal(err)
	}
	sink := &counting{recorder: newRecorder(), want: int64(b.N), done: make(chan struct{})}
	in, err := New(Config{Brokers: addr, Group: "bench", Topics: []Topic{{Name: "bench", Source: "headway"}},
		Decode: schema.Config{NewID: func() string { return "made" }}},
		Deps{Sink: sink, Classifier: judge, Metrics: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler), Now: time.Now})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	b.SetBytes(int64(bytes / b.N))
	b.ReportAllocs()
	b.ResetTimer()
	go func() { <-sink.done; b.StopTimer(); cancel() }()
	if err := in.Run(ctx); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(produced, "produced/s")
	b.ReportMetric(float64(unsafe.Sizeof(classify.Row{})), "B/row")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
}

func sampleRecord(i int) schema.Record {
	some := func(ms int) schema.Opt[time.Duration] { return schema.Some(time.Duration(ms) * time.Millisecond) }
	return schema.Record{Source: "headway", StartPoint: schema.StartHandler, RequestID: fmt.Sprintf("01J%023d", i), Role: schema.RolePrimary,
		CreatedAt: time.Now().UTC().Truncate(time.Millisecond), Gateway: "gw-1", Model: "gpt-4o-mini", Route: "default",
		Channel: fmt.Sprint("ch-", i%40), Provider: "openai", Region: "us-east-1", Operation: "chat", Stream: schema.Some(true),
		Status: schema.Some[int32](200), Outcome: schema.OutcomeCompleted, InputTokens: schema.Some(int64(i % 9000)), OutputTokens: schema.Some(int64(230)),
		StreamEvents: schema.Some(int64(241)), TextDeltas: schema.Some(int64(230)), MaxGap: some(310),
		Timing: schema.Timing{Auth: some(1), Distribution: some(1), BodyRead: some(3), UpstreamHeaders: some(240), FirstSSEEvent: some(310),
			FirstResponse: some(420), FirstTextDelta: some(430), UpstreamDone: some(9800), TotalHandler: some(9810)}}
}
