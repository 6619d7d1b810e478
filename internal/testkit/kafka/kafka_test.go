//go:build kafka

package kafka

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const topic = "self-test"

func TestRecordsSurviveEveryEnd(t *testing.T) {
	t.Parallel()
	b := Start(t, Options{})
	addr := b.Addr()
	want := 0
	for _, step := range []struct {
		name string
		end  func() error
	}{
		{"stop", b.Stop},
		{"kill", b.Kill},
		{"restart while running", func() error { return nil }},
	} {
		produce(t, addr, want, 100)
		want += 100
		if err := step.end(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if err := b.Restart(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if b.Addr() != addr {
			t.Fatalf("%s: address %s became %s", step.name, addr, b.Addr())
		}
		if got := consume(t, addr, want); got != want {
			t.Fatalf("%s: %d records came back, want %d", step.name, got, want)
		}
	}
}

func TestPausedBrokerAnswersOnlyAfterContinue(t *testing.T) {
	t.Parallel()
	b := Start(t, Options{Properties: map[string]string{"num.partitions": "3"}})
	if err := b.Pause(); err != nil {
		t.Fatal(err)
	}
	client := newClient(t, b.Addr(), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	acked := make(chan error, 1)
	client.Produce(t.Context(), &kgo.Record{Topic: topic, Partition: 2, Value: []byte("late")}, func(_ *kgo.Record, err error) { acked <- err })
	select {
	case err := <-acked:
		t.Fatalf("a paused broker acknowledged (error %v)", err)
	case <-time.After(time.Second):
	}
	if err := b.Continue(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-acked:
		if err != nil {
			t.Fatalf("after Continue: %v", err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("no acknowledgement 30 s after Continue")
	}
	if err := b.Pause(); err != nil {
		t.Fatal(err)
	}
	if err := b.Stop(); err != nil {
		t.Errorf("stopping a paused broker: %v", err)
	}
	if err := b.Pause(); !errors.Is(err, ErrNotRunning) {
		t.Errorf("pausing a stopped broker: %v, want ErrNotRunning", err)
	}
}

func TestFailedStartTellsTheBrokersWords(t *testing.T) {
	t.Parallel()
	t.Run("wrong setting", func(t *testing.T) {
		_, err := New(t.TempDir(), Options{Properties: map[string]string{"num.partitions": "many"}})
		if err == nil || !strings.Contains(err.Error(), "num.partitions") {
			t.Errorf("error %v, want one that names num.partitions", err)
		}
	})
	t.Run("taken port", func(t *testing.T) {
		b, err := New(t.TempDir(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		taken, err := net.Listen("tcp", b.Addr())
		if err != nil {
			t.Fatal(err)
		}
		defer taken.Close()
		err = b.Restart()
		if !errors.Is(err, errEnded) || !strings.Contains(err.Error(), "Address already in use") {
			t.Errorf("error %v, want errEnded with the log's end", err)
		}
	})
}

// parentVar makes the test binary start a broker and wait to be killed.
const parentVar = "HEADWAY_TEST_KAFKA_PARENT"

func TestBrokerDiesWithItsParent(t *testing.T) {
	if os.Getenv(parentVar) != "" {
		fmt.Printf("addr %s\n", Start(t, Options{}).Addr())
		<-t.Context().Done() // until killed
		return
	}
	t.Parallel()
	parent := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestBrokerDiesWithItsParent$", "-test.timeout=2m")
	parent.Env = append(os.Environ(), parentVar+"=1", "TMPDIR="+t.TempDir())
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	addr := ""
	for lines := bufio.NewScanner(out); addr == "" && lines.Scan(); {
		addr, _ = strings.CutPrefix(lines.Text(), "addr ")
	}
	if addr == "" {
		t.Fatalf("the parent told no address (%v)", parent.Wait())
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait() // killed, so an error by design
	deadline := time.Now().Add(10 * time.Second)
	for {
		conn, err := net.DialTimeout("tcp", addr, time.Second)
		if err != nil {
			return // the port is closed: the broker is gone
		}
		conn.Close()
		if time.Now().After(deadline) {
			t.Fatalf("the broker at %s still listens 10 s after its parent was killed", addr)
		}
	}
}

func newClient(t *testing.T, addr string, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	client, err := kgo.NewClient(append(opts, kgo.SeedBrokers(addr), kgo.AllowAutoTopicCreation())...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func produce(t *testing.T, addr string, from, n int) {
	t.Helper()
	client := newClient(t, addr, kgo.RequiredAcks(kgo.AllISRAcks()))
	defer client.Close()
	var records []*kgo.Record
	for i := from; i < from+n; i++ {
		records = append(records, &kgo.Record{Topic: topic, Value: fmt.Append(nil, i)})
	}
	if err := client.ProduceSync(t.Context(), records...).FirstErr(); err != nil {
		t.Fatalf("producing records %d to %d: %v", from, from+n-1, err)
	}
}

// consume reads the topic from its start until it has seen n different values,
// and fails on one that was never produced or came twice.
func consume(t *testing.T, addr string, n int) int {
	t.Helper()
	client := newClient(t, addr, kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	defer client.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	seen := map[string]bool{}
	for len(seen) < n && ctx.Err() == nil {
		client.PollFetches(ctx).EachRecord(func(r *kgo.Record) {
			if seen[string(r.Value)] {
				t.Errorf("record %s came twice", r.Value)
			}
			seen[string(r.Value)] = true
		})
	}
	for i := range n {
		if !seen[fmt.Sprint(i)] {
			t.Errorf("record %d is lost", i)
		}
	}
	return len(seen)
}
