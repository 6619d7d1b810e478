// Package proxy stands between a client and a server on the loopback and
// breaks what lies between them: delays, cuts, refusals, lost answers, black
// holes, little bandwidth. It is for tests and changes no byte but the
// address that a Kafka broker tells its clients.
package proxy

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Options says how a proxy differs from one that passes on bytes.
type Options struct {
	// Kafka is true where the target speaks Kafka's protocol. Requests are
	// then passed on whole, and where the broker's answers name the target as
	// the address to connect to, they name the proxy instead. So any number of
	// proxies, each with faults of its own, may lead to one broker.
	Kafka bool

	// Seed decides all that is random; the same seed gives the same jitter.
	Seed uint64
}

// Proxy is a port of 127.0.0.1 that leads to a target. Its methods may be
// called from any goroutine.
type Proxy struct {
	listener net.Listener
	target   string
	rewrite  func([]byte) // of a Kafka broker's answers; nil elsewhere
	ctx      context.Context
	cancel   context.CancelFunc
	wg       sync.WaitGroup

	mu      sync.Mutex
	fault   Fault
	changed chan struct{} // closed by the next Set
	lost    int           // requests that Loss met since the last Set
	dice    *rand.Rand
	open    map[*pair]struct{}

	accepted, refused, losses atomic.Int64
}

// dialLimit bounds connecting to the target.
const dialLimit = 5 * time.Second

// Start opens a proxy to target, a host:port that need not listen yet. It
// passes everything on until Set says otherwise, and ends with the test.
func Start(t testing.TB, target string, o Options) *Proxy {
	t.Helper()
	p, err := open(target, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func open(target string, o Options) (*Proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("opening a proxy to %s: %w", target, err)
	}
	p := &Proxy{listener: l, target: target, changed: make(chan struct{}), open: map[*pair]struct{}{},
		dice: rand.New(rand.NewPCG(o.Seed, 0))}
	if o.Kafka {
		if p.rewrite, err = renaming(target, l.Addr().String()); err != nil {
			return nil, fmt.Errorf("opening a proxy to %s: %w", target, err)
		}
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.wg.Go(p.accept)
	return p, nil
}

// Addr is the host:port to give to clients instead of the target's.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Set replaces the fault in force, for open connections and new ones. The
// zero Fault passes everything on; what a hole held back then goes through.
func (p *Proxy) Set(f Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault, p.lost = f, 0
	close(p.changed)
	p.changed = make(chan struct{})
}

// Cut resets every open connection, on both sides, and returns how many that
// were. New ones are served.
func (p *Proxy) Cut() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open {
		c.reset()
	}
	return len(p.open)
}

// Counts are events since the start.
type Counts struct {
	Accepted int64 // connections that led to the target
	Refused  int64 // connections reset at once
	Lost     int64 // requests that Loss met: lost, held, or their answers lost
}

// Counts returns what has happened so far.
func (p *Proxy) Counts() Counts {
	return Counts{Accepted: p.accepted.Load(), Refused: p.refused.Load(), Lost: p.losses.Load()}
}

// Close frees the port and resets every connection.
func (p *Proxy) Close() {
	p.cancel()
	_ = p.listener.Close() // a second Close has nothing left to do
	p.Cut()
	p.wg.Wait()
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return // closed; a test has no other reason to fail here
		}
		if f, _ := p.state(); f.Refuse {
			p.refused.Add(1)
			reset(client)
			continue
		}
		p.wg.Go(func() { p.serve(client) })
	}
}

func (p *Proxy) serve(client net.Conn) {
	server, err := (&net.Dialer{Timeout: dialLimit}).DialContext(p.ctx, "tcp", p.target)
	if err != nil {
		reset(client)
		return
	}
	p.accepted.Add(1)
	c := &pair{proxy: p, client: client, server: server}
	c.ctx, c.cancel = context.WithCancel(p.ctx)
	p.mu.Lock()
	p.open[c] = struct{}{}
	p.mu.Unlock()
	c.run()
	p.mu.Lock()
	delete(p.open, c)
	p.mu.Unlock()
}

// state returns the fault in force and what is closed when it is replaced.
func (p *Proxy) state() (Fault, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fault, p.changed
}

// reset ends a connection as a dying host does: with RST, not in order.
func reset(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // a connection that is gone already needs no reset
	}
	_ = c.Close()
}
