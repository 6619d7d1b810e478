//go:build !kafka

package chaos

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"headway/engine"
)

const brokerName = "kfake"

// brokerKeepsGhosts: a member whose connection breaks while it waits for a
// rebalance gets no session time-out from kfake (its group.reply starts the
// timer only where the answer could be sent). It then owns partitions until
// the next rebalance, which nothing but another join or leave brings about.
// Apache Kafka expels it.
const brokerKeepsGhosts = true

// brokerVariable makes the test binary the broker of headway up, in a process
// of its own: its value is the port, the first argument the data directory.
const brokerVariable = "HEADWAY_CHAOS_BROKER"

func isBroker() bool { return os.Getenv(brokerVariable) != "" }

// brokerMain serves until it is killed or its input ends.
func brokerMain() int {
	port, err := strconv.Atoi(os.Getenv(brokerVariable))
	if err == nil {
		var b *engine.Broker
		if b, err = engine.StartBroker(context.Background(), engine.BrokerOptions{DataDir: os.Args[1], Port: port}); err == nil {
			fmt.Println("serves")
			_, _ = io.Copy(io.Discard, os.Stdin) // however it ends
			err = b.Close()
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// fake is the broker of headway up.
type fake struct {
	dir  string
	port int

	mu   sync.Mutex
	proc *process
}

func startBroker(t *testing.T) broker {
	t.Helper()
	port, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	b := &fake{dir: t.TempDir(), port: port}
	t.Cleanup(func() {
		_ = b.Kill() // it has no errors to return
		if t.Failed() && b.proc != nil {
			t.Logf("the broker's last words:\n%s", b.proc.log())
		}
	})
	if err := b.Restart(); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *fake) Addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(b.port)) }

func (b *fake) running() *process {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.proc
}

func (b *fake) Kill() error {
	if p := b.running(); p != nil {
		p.kill()
	}
	return nil
}

func (b *fake) Stop() error {
	p := b.running()
	if p == nil {
		return nil
	}
	p.signal(syscall.SIGCONT)
	_ = p.stdin.Close() // it may be gone
	if !p.endsWithin(20 * time.Second) {
		p.kill()
		return fmt.Errorf("the broker did not end in 20 s:\n%s", p.log())
	}
	return nil
}

func (b *fake) Restart() error {
	if err := b.Stop(); err != nil {
		return err
	}
	p, err := launch(os.Args[0], []string{brokerVariable + "=" + strconv.Itoa(b.port)}, b.dir)
	if err != nil {
		return err
	}
	b.mu.Lock()
	b.proc = p
	b.mu.Unlock()
	return p.await("serves", 30*time.Second)
}

func (b *fake) Pause() error    { b.running().signal(syscall.SIGSTOP); return nil }
func (b *fake) Continue() error { b.running().signal(syscall.SIGCONT); return nil }
