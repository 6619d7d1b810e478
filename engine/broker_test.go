package engine_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"headway/engine"
)

func broker(t *testing.T, o engine.BrokerOptions) *engine.Broker {
	t.Helper()
	o.Logger = slog.New(slog.NewTextHandler(testWriter{t}, nil))
	b, err := engine.StartBroker(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func client(t *testing.T, addr string, o ...kgo.Opt) *kgo.Client {
	t.Helper()
	c, err := kgo.NewClient(append(o, kgo.SeedBrokers(addr))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func limited(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// produce writes the records from .. to-1 to a topic, acknowledged by all.
func produce(t *testing.T, addr, topic string, from, to int) {
	t.Helper()
	c := client(t, addr, kgo.RequiredAcks(kgo.AllISRAcks()))
	defer c.Close()
	var records []*kgo.Record
	for i := from; i < to; i++ {
		records = append(records, &kgo.Record{Topic: topic, Key: fmt.Append(nil, i), Value: fmt.Append(nil, "value ", i)})
	}
	if err := c.ProduceSync(limited(t), records...).FirstErr(); err != nil {
		t.Fatal(err)
	}
}

// consume joins a group, reads n records, commits after each poll and leaves.
func consume(t *testing.T, addr, topic, group string, n int) map[string]int {
	t.Helper()
	c := client(t, addr, kgo.ConsumeTopics(topic), kgo.ConsumerGroup(group), kgo.DisableAutoCommit(), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	defer c.Close()
	seen := map[string]int{}
	for total := 0; total < n; {
		fetches := c.PollRecords(limited(t), n-total)
		if err := errors.Join(fetches.Err(), fetches.Err0()); err != nil {
			t.Fatalf("after %d of %d records: %v", total, n, err)
		}
		fetches.EachRecord(func(r *kgo.Record) { seen[string(r.Value)]++; total++ })
		if err := c.CommitUncommittedOffsets(limited(t)); err != nil {
			t.Fatal(err)
		}
	}
	return seen
}

func mustSee(t *testing.T, seen map[string]int, from, to int) {
	t.Helper()
	if len(seen) != to-from {
		t.Errorf("%d different records, want %d", len(seen), to-from)
	}
	for i := from; i < to; i++ {
		if n := seen[fmt.Sprint("value ", i)]; n != 1 {
			t.Errorf("record %d seen %d times", i, n)
		}
	}
}

// partitions asks the broker how many partitions a topic has; 0 if none.
func partitions(t *testing.T, addr, topic string) int {
	t.Helper()
	req := kmsg.NewPtrMetadataRequest()
	req.Topics = []kmsg.MetadataRequestTopic{{Topic: kmsg.StringPtr(topic)}}
	resp, err := req.RequestWith(limited(t), client(t, addr))
	if err != nil {
		t.Fatal(err)
	}
	return len(resp.Topics[0].Partitions)
}

func TestBrokerRefuses(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	broken := t.TempDir()
	if err := os.WriteFile(broken+"/meta.json", []byte("no JSON"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		o    engine.BrokerOptions
		is   error
		says []string
	}{
		{"taken port", engine.BrokerOptions{Port: l.Addr().(*net.TCPAddr).Port}, engine.ErrPortTaken, []string{l.Addr().String(), "another port"}},
		{"all addresses", engine.BrokerOptions{Host: "0.0.0.0"}, nil, []string{"0.0.0.0", "concrete"}},
		{"host name", engine.BrokerOptions{Host: "kafka.example"}, nil, []string{"kafka.example", "127.0.0.1"}},
		{"port out of range", engine.BrokerOptions{Port: 65536}, nil, []string{"65536", "1 to 65535"}},
		{"topic without partitions", engine.BrokerOptions{Topics: []engine.Topic{{Name: "a"}}}, nil, []string{"topic a", "at least 1 partition"}},
		{"topic with a bad name", engine.BrokerOptions{Topics: []engine.Topic{{Name: "a b", Partitions: 1}}}, nil, []string{`"a b"`, "letters"}},
		{"topic without a name", engine.BrokerOptions{Topics: []engine.Topic{{Partitions: 1}}}, nil, []string{`""`, "letters"}},
		{"negative retention", engine.BrokerOptions{Topics: []engine.Topic{{Name: "a", Partitions: 1, Retention: -1}}}, nil, []string{"retention -1ns"}},
		{"directory is a file", engine.BrokerOptions{DataDir: file(t, "data", 0o644, nil)}, nil, []string{"not a directory", "--data-dir"}},
		{"damaged data", engine.BrokerOptions{DataDir: broken}, nil, []string{broken, "meta.json", "move the directory away"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, err := engine.StartBroker(t.Context(), tt.o)
			if err == nil {
				b.Close()
				t.Fatal("started")
			}
			if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("error %v, want %v", err, tt.is)
			}
			mustSay(t, err, tt.says...)
		})
	}
}

func TestBrokerRefusesDirectoryInUse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	broker(t, engine.BrokerOptions{DataDir: dir})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := engine.StartBroker(ctx, engine.BrokerOptions{DataDir: dir}); !errors.Is(err, engine.ErrDataDirInUse) {
		t.Errorf("error %v, want ErrDataDirInUse", err)
	}
}

func TestBrokerTopics(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := broker(t, engine.BrokerOptions{DataDir: dir, Topics: []engine.Topic{{Name: "three", Partitions: 3}}})
	if n := partitions(t, b.Addr(), "three"); n != 3 {
		t.Errorf("%d partitions, want 3", n)
	}
	if n := partitions(t, b.Addr(), "unasked"); n != 0 {
		t.Errorf("a topic nobody created has %d partitions", n)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	// A topic keeps its partitions, and new ones can be added later.
	b = broker(t, engine.BrokerOptions{DataDir: dir,
		Topics: []engine.Topic{{Name: "three", Partitions: 5}, {Name: "later", Partitions: 4}}})
	for topic, want := range map[string]int{"three": 3, "later": 4, "unasked": 0} {
		if n := partitions(t, b.Addr(), topic); n != want {
			t.Errorf("topic %s has %d partitions, want %d", topic, n, want)
		}
	}
}

func TestBrokerRemembersRecordsAndOffsets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := engine.BrokerOptions{DataDir: dir, Topics: []engine.Topic{{Name: "records", Partitions: 4}}}
	b := broker(t, o)
	addr := b.Addr()
	produce(t, addr, "records", 0, 500)
	mustSee(t, consume(t, addr, "records", "g", 500), 0, 500)
	produce(t, addr, "records", 500, 700)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}

	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(port, &o.Port); err != nil {
		t.Fatal(err)
	}
	b = broker(t, o)
	if b.Addr() != addr {
		t.Errorf("address %s, want %s", b.Addr(), addr)
	}
	mustSee(t, consume(t, addr, "records", "g", 200), 500, 700)
	mustSee(t, consume(t, addr, "records", "another group", 700), 0, 700)
}

func TestBrokerSurvivesKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd, _, addr := parent(t, "broker", dir)
	produce(t, addr, "records", 0, 300)
	mustSee(t, consume(t, addr, "records", "g", 300), 0, 300)
	produce(t, addr, "records", 300, 400)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	b := broker(t, engine.BrokerOptions{DataDir: dir})
	mustSee(t, consume(t, b.Addr(), "records", "g", 100), 300, 400)
}

func TestBrokerInMemory(t *testing.T) {
	t.Parallel()
	b := broker(t, engine.BrokerOptions{Topics: []engine.Topic{{Name: "a", Partitions: 1}}})
	if !strings.HasPrefix(b.Addr(), "127.0.0.1:") {
		t.Errorf("listens on %s", b.Addr())
	}
	produce(t, b.Addr(), "a", 0, 10)
	mustSee(t, consume(t, b.Addr(), "a", "g", 10), 0, 10)
}
