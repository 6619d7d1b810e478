package faults

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// flow is a producer at work: good records and, now and then, one that is no
// JSON, on every partition.
type flow struct {
	l      *lab
	client *kgo.Client
	base   []int64 // where each partition's log ended before
	stop   chan struct{}
	done   sync.WaitGroup

	mu  sync.Mutex
	n   []int64 // messages acknowledged, by partition: their offsets are base to base+n-1
	bad []int64 // of these no JSON
	err error
}

// begin produces rate messages a second until halt. day gives the day that
// each partition's requests are of.
func (l *lab) begin(rate int, day func(partition int32) time.Time) *flow {
	l.t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(l.broker.Addr()), kgo.DefaultProduceTopic(topic), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(client.Close)
	f := &flow{l: l, client: client, base: slices.Clone(l.ends), stop: make(chan struct{}), n: make([]int64, l.parts), bad: make([]int64, l.parts)}
	f.done.Go(func() { f.run(rate, day) })
	l.t.Cleanup(func() { f.halt() })
	return f
}

// now is the day of every partition in most tests.
func now(int32) time.Time { return time.Now() }

const beat = 50 * time.Millisecond

func (f *flow) run(rate int, day func(int32) time.Time) {
	tick := time.NewTicker(beat)
	defer tick.Stop()
	begun, sent := time.Now(), 0
	for {
		select {
		case <-tick.C:
		case <-f.stop:
			return
		}
		due := int(time.Since(begun).Seconds() * float64(rate))
		if err := f.send(sent, due, day); err != nil {
			f.mu.Lock()
			f.err = err
			f.mu.Unlock()
			return
		}
		sent = due
	}
}

// send produces the messages numbered from until before to, in turn over the
// partitions, and waits for their acknowledgements.
func (f *flow) send(from, to int, day func(int32) time.Time) error {
	var recs []*kgo.Record
	for i := from; i < to; i++ {
		part := int32(i) % f.l.parts
		value := message(i, day(part))
		if bad := i%97 == 96; f.l.badIn < 0 && bad || f.l.badIn == part && i%8 == 2 {
			value = "no JSON"
		}
		recs = append(recs, &kgo.Record{Partition: part, Value: []byte(value)})
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, r := range f.client.ProduceSync(ctx, recs...) {
		if r.Err != nil {
			return r.Err
		}
		f.mu.Lock()
		f.n[r.Record.Partition]++
		if len(r.Record.Value) < 10 {
			f.bad[r.Record.Partition]++
		}
		f.mu.Unlock()
	}
	return nil
}

func message(i int, at time.Time) string {
	return fmt.Sprintf(`{"v":1,"request_id":"r-%d","created_at":%q,"model":"m-%d","stream":true,"status":200,"outcome":"completed","other":{"timing":{"first_response_ms":420,"total_handler_ms":9810}}}`,
		i, at.UTC().Format("2006-01-02T15:04:05.000Z07:00"), i%7)
}

// halt stops producing; every message is acknowledged then.
func (f *flow) halt() {
	f.mu.Lock()
	select {
	case <-f.stop:
	default:
		close(f.stop)
	}
	f.mu.Unlock()
	f.done.Wait()
	for part, n := range f.n {
		f.l.ends[part] = f.base[part] + n
	}
	if f.err != nil {
		f.l.t.Errorf("producing: %v", f.err)
	}
}

// stored is what the tables hold of one partition.
type stored struct{ count, distinct, first, last, rejects int64 }

// stored reads the tables from from[partition] on.
func (l *lab) stored(from []int64) (map[int32]stored, error) {
	array := strings.ReplaceAll(fmt.Sprint(from), " ", ",")
	text, err := l.trySQL(`SELECT partition, count(), uniqExact(offset), min(offset), max(offset), sum(reject)
FROM (SELECT partition, offset, 0 AS reject FROM requests WHERE topic = '` + topic + `' UNION ALL SELECT partition, offset, 1 FROM rejects WHERE topic = '` + topic + `')
WHERE offset >= ` + array + `[partition + 1] GROUP BY partition`)
	if err != nil || text == "" {
		return nil, err
	}
	out := map[int32]stored{}
	for _, line := range strings.Split(text, "\n") {
		var v [6]int64
		for i, field := range strings.Split(line, "\t") {
			if v[i], err = strconv.ParseInt(field, 10, 64); err != nil {
				return nil, err
			}
		}
		out[int32(v[0])] = stored{v[1], v[2], v[3], v[4], v[5]}
	}
	return out, nil
}

// complete is nil when rows and rejects together hold every offset that was
// produced, each once, and nothing else; rejects only what is no JSON.
func (f *flow) complete() error {
	got, err := f.l.stored(f.base)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for part, n := range f.n {
		want := stored{count: n, distinct: n, first: f.base[part], last: f.base[part] + n - 1, rejects: f.bad[part]}
		if got[int32(part)] != want && n > 0 {
			return fmt.Errorf("partition %d holds %+v, want %+v", part, got[int32(part)], want)
		}
	}
	return nil
}

// settled waits until everything produced is in, once.
func (f *flow) settled() {
	f.l.t.Helper()
	f.halt()
	f.l.eventually("all records stored once", func() error { return f.complete() })
}
