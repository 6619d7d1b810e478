package ingest

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"headway/classify"
	"headway/schema"
)

// lab is one scenario's topic, group and sink on a broker.
type lab struct {
	t     *testing.T
	addr  string
	safe  Security
	topic string
	sink  *recorder
	kafka *kgo.Client
	log   *logBuffer
}

func newLab(t *testing.T, addr string, partitions int32, opts ...kgo.Opt) *lab {
	t.Helper()
	client, err := kgo.NewClient(append(opts, kgo.SeedBrokers(addr), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerBatchMaxBytes(20<<20),
		kgo.MetadataMinAge(50*time.Millisecond), kgo.UnknownTopicRetries(20))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	l := &lab{t: t, addr: addr, topic: topicName(t.Name()), sink: newRecorder(), kafka: client, log: &logBuffer{}}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("ingestion said:\n%s", l.log.String())
		}
	})
	if partitions > 0 {
		l.createTopic(partitions)
	}
	return l
}

// topicName is a test's name as brokers allow it.
func topicName(test string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.' {
			return r
		}
		return '-'
	}, strings.ToLower(test))
}

func (l *lab) createTopic(partitions int32) {
	l.t.Helper()
	req := kmsg.NewPtrCreateTopicsRequest()
	topic := kmsg.NewCreateTopicsRequestTopic()
	topic.Topic, topic.NumPartitions, topic.ReplicationFactor = l.topic, partitions, 1
	req.Topics = append(req.Topics, topic)
	l.eventually("creating the topic", func(ctx context.Context) error {
		res, err := req.RequestWith(ctx, l.kafka)
		if err == nil && res.Topics[0].ErrorCode != 0 {
			err = fmt.Errorf("code %d", res.Topics[0].ErrorCode)
		}
		return err
	})
	l.eventually("seeing the topic", func(ctx context.Context) error { // a broker knows of it a little later
		req := kmsg.NewPtrMetadataRequest()
		topic := kmsg.NewMetadataRequestTopic()
		topic.Topic = kmsg.StringPtr(l.topic)
		req.Topics = append(req.Topics, topic)
		res, err := req.RequestWith(ctx, l.kafka)
		if err != nil {
			return err
		}
		if t := res.Topics[0]; t.ErrorCode != 0 || len(t.Partitions) != int(partitions) {
			return fmt.Errorf("code %d, %d partitions", t.ErrorCode, len(t.Partitions))
		}
		return nil
	})
}

func (l *lab) deleteTopic() {
	l.t.Helper()
	req := kmsg.NewPtrDeleteTopicsRequest()
	topic := kmsg.NewDeleteTopicsRequestTopic()
	topic.Topic = kmsg.StringPtr(l.topic)
	req.Topics, req.TopicNames = append(req.Topics, topic), []string{l.topic}
	l.eventually("deleting the topic", func(ctx context.Context) error {
		res, err := req.RequestWith(ctx, l.kafka)
		if err == nil && res.Topics[0].ErrorCode != 0 {
			err = fmt.Errorf("code %d", res.Topics[0].ErrorCode)
		}
		return err
	})
	l.kafka.PurgeTopicsFromClient(l.topic)
}

// expire removes what lies before an offset, as retention does.
func (l *lab) expire(partition int32, before int64) {
	l.t.Helper()
	req := kmsg.NewPtrDeleteRecordsRequest()
	topic := kmsg.NewDeleteRecordsRequestTopic()
	part := kmsg.NewDeleteRecordsRequestTopicPartition()
	topic.Topic, part.Partition, part.Offset = l.topic, partition, before
	topic.Partitions = append(topic.Partitions, part)
	req.Topics, req.TimeoutMillis = append(req.Topics, topic), 5000
	l.eventually("removing old records", func(ctx context.Context) error {
		res, err := req.RequestWith(ctx, l.kafka)
		if err == nil && res.Topics[0].Partitions[0].ErrorCode != 0 {
			err = fmt.Errorf("code %d", res.Topics[0].Partitions[0].ErrorCode)
		}
		return err
	})
}

// eventually repeats what brokers do in their own time.
func (l *lab) eventually(what string, do func(context.Context) error) {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), 60*time.Second)
	defer cancel()
	for {
		err := do(ctx)
		if err == nil {
			return
		}
		if pause(ctx, 20*time.Millisecond) != nil {
			l.t.Fatalf("%s: %v", what, err)
		}
	}
}

// produce puts payloads on a partition and returns where they lie.
func (l *lab) produce(partition int32, payloads ...string) []schema.Origin {
	l.t.Helper()
	recs := make([]*kgo.Record, len(payloads))
	for i, p := range payloads {
		recs[i] = &kgo.Record{Topic: l.topic, Partition: partition, Value: []byte(p)}
	}
	return l.send(l.kafka, recs)
}

func (l *lab) send(client *kgo.Client, recs []*kgo.Record) []schema.Origin {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), 60*time.Second)
	defer cancel()
	var out []schema.Origin
	for _, r := range client.ProduceSync(ctx, recs...) {
		if r.Err != nil {
			l.t.Fatal(r.Err)
		}
		out = append(out, schema.Origin{Topic: l.topic, Partition: r.Record.Partition, Offset: r.Record.Offset})
	}
	return out
}

// numbered returns n good records with ids prefix-0 and on.
func numbered(prefix string, n int) []string {
	out := make([]string, n)
	now := time.Now().UTC()
	for i := range out {
		out[i] = record(fmt.Sprintf("%s-%d", prefix, i), now.Add(time.Duration(i)*time.Millisecond))
	}
	return out
}

func record(id string, at time.Time) string {
	return fmt.Sprintf(`{"v":1,"request_id":%q,"created_at":%q,"model":"m","stream":true,"status":200,"outcome":"completed","other":{"timing":{"first_response_ms":420,"total_handler_ms":9810}}}`,
		id, at.Format("2006-01-02T15:04:05.000Z07:00"))
}

// running is an Ingester at work.
type running struct {
	*Ingester
	reg  *prometheus.Registry
	stop func() // waits for the end of Run
}

var serial atomic.Int64

func (l *lab) config() Config {
	return Config{Brokers: []string{l.addr}, Security: l.safe, Group: l.topic, Topics: []Topic{{Name: l.topic, Source: "headway"}},
		BatchRows: 100, BatchAge: 50 * time.Millisecond, Session: 6 * time.Second, Heartbeat: 500 * time.Millisecond,
		BackoffMin: 20 * time.Millisecond, BackoffMax: 200 * time.Millisecond, Watch: 200 * time.Millisecond, StopWithin: 6 * time.Second,
		Decode: schema.Config{NewID: func() string { return fmt.Sprintf("made-%d", serial.Add(1)) }}}
}

// start runs an Ingester until the test ends or stop is called.
func (l *lab) start(adjust ...func(*Config)) *running {
	l.t.Helper()
	cfg := l.config()
	for _, a := range adjust {
		a(&cfg)
	}
	judge, err := classify.New(classify.DefaultRules())
	if err != nil {
		l.t.Fatal(err)
	}
	r := &running{reg: prometheus.NewRegistry()}
	r.Ingester, err = New(cfg, Deps{Sink: l.sink, Classifier: judge, Metrics: r.reg, Log: slog.New(slog.NewTextHandler(l.log, nil)), Now: time.Now})
	if err != nil {
		l.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	var once sync.Once
	r.stop = func() {
		once.Do(func() {
			begin := time.Now()
			cancel()
			if err := <-done; err != nil {
				l.t.Errorf("Run: %v", err)
			}
			if took := time.Since(begin); took > cfg.StopWithin+2*time.Second {
				l.t.Errorf("stopping took %s, want %s", took, cfg.StopWithin)
			}
		})
	}
	l.t.Cleanup(r.stop)
	return r
}

// ready waits until nothing is reported to be wrong.
func (l *lab) ready(r *running) {
	l.t.Helper()
	l.eventually("getting ready", r.Ready)
}

// settled waits until the group's commits say that all has landed.
func (l *lab) settled() {
	l.t.Helper()
	l.eventually("committing everything", func(ctx context.Context) error {
		parts, err := Offsets(ctx, []string{l.addr}, l.safe, l.topic, l.topic)
		if err != nil {
			return err
		}
		for _, p := range parts {
			if p.Committed != p.End && (p.Committed >= 0 || p.End > 0) || p.Landing {
				return fmt.Errorf("%+v", p)
			}
		}
		return nil
	})
}

// untilCounter waits for a value of counter: what follows a landing and its
// commit may be told a moment after them.
func (l *lab) untilCounter(r *running, want float64, name string, labels ...string) {
	l.t.Helper()
	l.eventually(name, func(context.Context) error {
		if n := r.counter(l.t, name, labels...); n != want {
			return fmt.Errorf("it is %v, want %v", n, want)
		}
		return nil
	})
}

// counter returns the sum of a counter or gauge over the series whose labels
// contain those given as name=value.
func (r *running) counter(t *testing.T, name string, labels ...string) float64 {
	t.Helper()
	families, err := r.reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
	series:
		for _, m := range f.GetMetric() {
			for _, want := range labels {
				found := false
				for _, l := range m.GetLabel() {
					found = found || l.GetName()+"="+l.GetValue() == want
				}
				if !found {
					continue series
				}
			}
			sum += m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	return sum
}

// logBuffer keeps what is logged.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
