// Package kafka starts a real Apache Kafka broker for tests: one KRaft node on
// free loopback ports that dies with the test process. It downloads nothing
// (scripts/kafka/fetch does) and is never part of the binary.
package kafka

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
)

const (
	startLimit = 150 * time.Second // on two busy cores a start takes about 3 s; where all else runs too, a minute
	stopLimit  = 20 * time.Second
)

// ErrNotRunning is returned where a signal needs a running broker.
var ErrNotRunning = errors.New("the Kafka broker is not running; call Restart first")

// Options says how a broker differs from the default one.
type Options struct {
	// Properties are added to server.properties and win over its defaults,
	// for example {"num.partitions": "8"}.
	Properties map[string]string
	// Listeners are further listeners on ports of their own: protocol
	// (SSL, SASL_SSL, SASL_PLAINTEXT) by name. Their settings are Properties.
	Listeners map[string]string
}

// Broker is one Apache Kafka node with its data directory. Its methods may be
// called from any goroutine; two Restarts must not overlap.
type Broker struct {
	addr   string
	extra  map[string]string // address by name of a listener
	layout layout
	java   string
	jars   string

	mu   sync.Mutex
	proc *process
}

// Start formats a data directory in t.TempDir, starts a broker on it and waits
// until clients can use it. The broker ends with the test, and on Linux with
// the test process however that ends. It fails the test where Java or the jars
// are missing, naming the command that installs them.
func Start(t testing.TB, o Options) *Broker {
	t.Helper()
	b, err := New(t.TempDir(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Kill(); err != nil && !errors.Is(err, ErrNotRunning) {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("the Kafka broker's last words:\n%s", tail(b.layout.log, 20))
		}
	})
	if err := b.Restart(); err != nil {
		t.Fatal(err)
	}
	return b
}

// New formats a data directory below dir and returns its broker, which Restart
// starts and Stop or Kill must end: for benchmarks that are no test.
func New(dir string, o Options) (*Broker, error) {
	java, err := findJava(os.Getenv)
	if err != nil {
		return nil, err
	}
	wd, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("finding Apache Kafka's jars: %w", err)
	}
	jars, err := findJars(wd)
	if err != nil {
		return nil, err
	}
	ports, err := freePorts(2 + len(o.Listeners))
	if err != nil {
		return nil, err
	}
	b := &Broker{
		addr:   fmt.Sprintf("127.0.0.1:%d", ports[0]),
		layout: newLayout(dir),
		java:   java,
		jars:   filepath.Join(jars, "*"),
	}
	b.extra = map[string]string{}
	for name := range o.Listeners {
		b.extra[name] = fmt.Sprintf("127.0.0.1:%d", ports[2+len(b.extra)])
	}
	if err := b.layout.write(b.addr, fmt.Sprintf("127.0.0.1:%d", ports[1]), b.extra, o); err != nil {
		return nil, fmt.Errorf("writing the Kafka broker's configuration: %w", err)
	}
	return b, b.format()
}

// Addr returns the broker's host:port, the same over restarts.
func (b *Broker) Addr() string { return b.addr }

// Listener returns the host:port of one of Options.Listeners.
func (b *Broker) Listener(name string) string { return b.extra[name] }

// PID returns the broker's process id, 0 where it does not run.
func (b *Broker) PID() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.proc == nil {
		return 0
	}
	return b.proc.cmd.Process.Pid
}

// Stop ends the broker in order (SIGTERM) and waits for its end.
func (b *Broker) Stop() error { return b.end(syscall.SIGTERM) }

// Kill ends the broker at once (SIGKILL) and waits for its end.
func (b *Broker) Kill() error { return b.end(syscall.SIGKILL) }

// Pause freezes the broker (SIGSTOP): connections stay open, nothing answers.
func (b *Broker) Pause() error { return b.signal(syscall.SIGSTOP) }

// Continue lets a frozen broker go on (SIGCONT).
func (b *Broker) Continue() error { return b.signal(syscall.SIGCONT) }

// Restart starts the broker again on its data and port, ending a running one
// in order first. It returns when clients can use the broker.
func (b *Broker) Restart() error {
	if err := b.Stop(); err != nil && !errors.Is(err, ErrNotRunning) {
		return err
	}
	proc, err := b.begin()
	if err != nil {
		return err
	}
	if err := awaitReady(b.addr, proc.done, startLimit); err != nil {
		return fmt.Errorf("starting Apache Kafka on %s: %w; its log ends:\n%s", b.addr, err, tail(b.layout.log, 20))
	}
	return nil
}

// begin launches the process under the lock, but leaves the waiting to the
// caller, so that a broker can be killed while it starts.
func (b *Broker) begin() (*process, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	proc, err := b.launch()
	b.proc = proc
	return proc, err
}

func (b *Broker) end(how syscall.Signal) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.proc == nil {
		return ErrNotRunning
	}
	err := b.proc.end(how, stopLimit)
	b.proc = nil
	return err
}

func (b *Broker) signal(s syscall.Signal) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.proc == nil {
		return ErrNotRunning
	}
	return b.proc.cmd.Process.Signal(s)
}
