package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// spot is where a message lies in the log.
type spot struct {
	partition int32
	offset    int64
}

// producer puts messages of every kind on all partitions, and remembers which
// of them were acknowledged by all replicas, and where.
type producer struct {
	topic  string
	client *kgo.Client
	cancel context.CancelFunc
	wg     sync.WaitGroup
	sent   atomic.Int64

	mu    sync.Mutex
	acked map[spot]uint64 // digest of the value
}

// newProducer connects past the proxies. A message whose acknowledgement was
// lost may be produced twice: the log is the truth, not what was sent.
func (l *lab) newProducer() *producer {
	l.t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(l.broker.Addr()), kgo.RequiredAcks(kgo.AllISRAcks()), kgo.DisableIdempotentWrite(),
		kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerLinger(10*time.Millisecond), kgo.RecordDeliveryTimeout(20*time.Second),
		kgo.RetryTimeout(20*time.Second), kgo.MetadataMinAge(50*time.Millisecond), kgo.MaxBufferedRecords(5000), kgo.UnknownTopicRetries(20))
	if err != nil {
		l.t.Fatal(err)
	}
	p := &producer{topic: l.topic, client: client, cancel: func() {}, acked: map[spot]uint64{}}
	l.t.Cleanup(func() { p.end() })
	return p
}

// send produces values on one partition without waiting for them.
func (p *producer) send(partition int32, values ...string) {
	for _, v := range values {
		p.sent.Add(1)
		p.client.TryProduce(context.Background(), &kgo.Record{Topic: p.topic, Partition: partition, Value: []byte(v)}, func(r *kgo.Record, err error) {
			if err != nil {
				return // not acknowledged: it may be in the log or not
			}
			p.mu.Lock()
			p.acked[spot{r.Partition, r.Offset}] = digest(r.Value)
			p.mu.Unlock()
		})
	}
}

// flush waits until each message is acknowledged or given up.
func (p *producer) flush() {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	_ = p.client.Flush(ctx) // what is left is not acknowledged
}

// run produces about rate messages a second, spread over partitions, until
// end.
func (p *producer) run(rng *rand.Rand, partitions, rate int) {
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	p.wg.Go(func() {
		const ticks = 20 // a second
		tick := time.NewTicker(time.Second / ticks)
		defer tick.Stop()
		mix := newMix(rng, p.topic)
		for {
			select {
			case <-tick.C:
				for part := range partitions {
					p.send(int32(part), mix.values(rng.IntN(1+2*rate/ticks/partitions))...)
				}
			case <-ctx.Done():
				return
			}
		}
	})
}

// halt stops producing and waits for the last acknowledgements.
func (p *producer) halt() {
	p.cancel()
	p.wg.Wait()
	p.flush()
}

func (p *producer) end() {
	p.cancel()
	p.wg.Wait()
	p.client.Close()
}

// acknowledged returns a copy of what was acknowledged so far.
func (p *producer) acknowledged() map[spot]uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make(map[spot]uint64, len(p.acked))
	for k, v := range p.acked {
		out[k] = v
	}
	return out
}

func digest(value []byte) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(value) // it takes every write
	return h.Sum64()
}

// mix makes messages: most are good records of a few days, some repeat the one
// before, some can only be rejected.
type mix struct {
	rng    *rand.Rand
	prefix string
	n      int
	last   string
}

func newMix(rng *rand.Rand, prefix string) *mix { return &mix{rng: rng, prefix: prefix} }

func (m *mix) values(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = m.value()
	}
	return out
}

func (m *mix) value() string {
	m.n++
	id := fmt.Sprintf("%s-%d", m.prefix, m.n)
	switch dice := m.rng.IntN(100); {
	case dice < 3:
		return "not JSON: " + id
	case dice < 4:
		return ""
	case dice < 6:
		return fmt.Sprintf(`{"v":1,"request_id":%q,"model":"m"}`, id)
	case dice < 10 && m.last != "":
		return m.last
	}
	days := max(0, m.rng.IntN(12)-8) // today, mostly
	m.last = record(id, time.Now().AddDate(0, 0, -days))
	return m.last
}

func record(id string, at time.Time) string {
	return fmt.Sprintf(`{"v":1,"request_id":%q,"created_at":%q,"model":"m","stream":true,"status":200,"outcome":"completed","other":{"timing":{"first_response_ms":420,"total_handler_ms":9810}}}`,
		id, at.UTC().Format("2006-01-02T15:04:05.000Z07:00"))
}

// rowID is the request that a message becomes a row of; empty where it can
// only be rejected.
func rowID(value []byte) string {
	var v struct {
		ID string `json:"request_id"`
		At string `json:"created_at"`
	}
	if json.Unmarshal(value, &v) != nil || v.At == "" {
		return ""
	}
	return v.ID
}

func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
