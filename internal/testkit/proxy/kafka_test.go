package proxy

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestKafkaNeedsOneHost(t *testing.T) {
	for _, target := range []string{"localhost:9092", "127.0.0.1", "127.0.0.1:x"} {
		if p, err := open(target, Options{Kafka: true}); err == nil {
			p.Close()
			t.Errorf("%s: accepted, though its answers can't be renamed", target)
		}
	}
}

func TestFramesComeWhole(t *testing.T) {
	frame := func(n int) []byte {
		return append(binary.BigEndian.AppendUint32(nil, uint32(n)), bytes.Repeat([]byte{'x'}, n)...)
	}
	large := frame(largestFrame + 1)
	input := slices.Concat(frame(10), frame(0), large, frame(100_000), frame(50)[:20])
	next := frames(bufio.NewReader(bytes.NewReader(input)))
	var sizes []int
	var all []byte
	for {
		b, err := next()
		all = append(all, b...)
		if len(b) != readSize && len(b) > 0 {
			sizes = append(sizes, len(b))
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				t.Error(err)
			}
			break
		}
	}
	if !bytes.Equal(all, input) {
		t.Error("other bytes came out")
	}
	if want := []int{14, 4, len(large) % readSize, 100_004, 20}; !slices.Equal(sizes, want) {
		t.Errorf("pieces of %v bytes, want %v", sizes, want)
	}
}

// TestKafkaThroughTheProxyAlone has a client that knows only the proxy do
// everything that makes it connect to a named broker.
func TestKafkaThroughTheProxyAlone(t *testing.T) {
	t.Parallel()
	fake, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(2, "t"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(fake.Close)
	p := Start(t, fake.ListenAddrs()[0], Options{Kafka: true})
	client, err := kgo.NewClient(kgo.SeedBrokers(p.Addr()), kgo.ConsumerGroup("g"), kgo.ConsumeTopics("t"),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.DisableAutoCommit())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := client.ProduceSync(ctx, &kgo.Record{Topic: "t", Value: []byte("v")}).FirstErr(); err != nil {
		t.Fatal(err)
	}
	got := client.PollRecords(ctx, 1).Records()
	if len(got) != 1 || client.CommitRecords(ctx, got...) != nil {
		t.Fatalf("%d records came, or their commit failed", len(got))
	}
	meta, err := kadm.NewClient(client).BrokerMetadata(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range meta.Brokers {
		if addr := net.JoinHostPort(b.Host, strconv.Itoa(int(b.Port))); addr != p.Addr() {
			t.Errorf("the broker names itself as %s, the proxy is %s", addr, p.Addr())
		}
	}
}

func TestKafkaLossOfACommit(t *testing.T) {
	t.Parallel()
	fake, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "t"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(fake.Close)
	p := Start(t, fake.ListenAddrs()[0], Options{Kafka: true})
	p.Set(Fault{Loss: &Loss{Times: 1, Request: func(b []byte) bool { return KafkaKey(b) == int(kmsg.OffsetCommit) }}})
	client, err := kgo.NewClient(kgo.SeedBrokers(p.Addr()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	admin := kadm.NewClient(client)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	// kgo itself repeats a commit whose answer was lost.
	if err := admin.CommitAllOffsets(ctx, "g", kadm.OffsetsFromRecords(kgo.Record{Topic: "t", Offset: 6})); err != nil {
		t.Fatal(err)
	}
	if n := p.Counts().Lost; n != 1 {
		t.Errorf("%d answers lost, want 1", n)
	}
	have, err := admin.FetchOffsets(ctx, "g")
	if o, ok := have.Lookup("t", 0); err != nil || !ok || o.At != 7 {
		t.Errorf("committed %+v, %v; want 7", o, err)
	}
}
