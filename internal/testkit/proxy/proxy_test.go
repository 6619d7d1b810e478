package proxy

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"sync"
	"testing"
	"time"
)

// server is a peer that records what arrives and answers each line with
// "+" and the line.
type server struct {
	net.Listener
	mu    sync.Mutex
	got   bytes.Buffer
	ended int // connections whose end it has seen
	more  chan struct{}
}

func startServer(t *testing.T) *server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	s := &server{Listener: l, more: make(chan struct{}, 1000)}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go s.serve(c)
		}
	}()
	return s
}

func (s *server) serve(c net.Conn) {
	defer c.Close()
	b := make([]byte, 64<<10)
	for {
		n, err := c.Read(b)
		s.mu.Lock()
		s.got.Write(b[:n])
		if err != nil {
			s.ended++
		}
		s.mu.Unlock()
		s.more <- struct{}{}
		if err != nil {
			return
		}
		if _, err := c.Write(append([]byte("+"), b[:n]...)); err != nil {
			return
		}
	}
}

// until waits until what arrived meets a condition.
func (s *server) until(t *testing.T, what string, ok func(got string, ended int) bool) {
	t.Helper()
	late := time.After(10 * time.Second)
	for {
		s.mu.Lock()
		met := ok(s.got.String(), s.ended)
		s.mu.Unlock()
		if met {
			return
		}
		select {
		case <-s.more:
		case <-late:
			t.Fatalf("not in 10 s: %s", what)
		}
	}
}

func dial(t *testing.T, p *Proxy) net.Conn {
	t.Helper()
	c, err := net.DialTimeout("tcp", p.Addr(), 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return c
}

// ask sends a text and wants the server's answer to it.
func ask(t *testing.T, c net.Conn, text string) time.Duration {
	t.Helper()
	begin := time.Now()
	if got, err := tell(c, text); err != nil || got != "+"+text {
		t.Fatalf("answer to %q: %q, %v", text, got, err)
	}
	return time.Since(begin)
}

func tell(c net.Conn, text string) (string, error) {
	if _, err := io.WriteString(c, text); err != nil {
		return "", err
	}
	b := make([]byte, 1+len(text))
	n, err := io.ReadFull(c, b)
	return string(b[:n]), err
}

// silent fails the test if an answer comes within a short time.
func silent(t *testing.T, c net.Conn) {
	t.Helper()
	if err := c.SetReadDeadline(time.Now().Add(150 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if n, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("read %d bytes, %v; want silence on an open connection", n, err)
	}
	if err := c.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
}

func start(t *testing.T) (*server, *Proxy) {
	t.Helper()
	s := startServer(t)
	return s, Start(t, s.Addr().String(), Options{Seed: 1})
}

func TestNobodyListensAtTheTarget(t *testing.T) {
	t.Parallel()
	s, p := start(t)
	s.Close()
	if c, err := net.DialTimeout("tcp", p.Addr(), 5*time.Second); err == nil {
		defer c.Close()
		if got, err := tell(c, "x"); err == nil {
			t.Errorf("nobody answers %q", got)
		}
	}
	if n := p.Counts().Accepted; n != 0 {
		t.Errorf("%d connections count as accepted", n)
	}
}

func TestServerGoneIsSeenByTheClient(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		_, _ = io.WriteString(c, "last words") // the client checks them
		c.Close()
	}()
	c := dial(t, Start(t, l.Addr().String(), Options{}))
	if got, err := io.ReadAll(c); err != nil || string(got) != "last words" {
		t.Errorf("read %q, %v; want all that was said and then the end", got, err)
	}
}

func TestPassesBytesUnchanged(t *testing.T) {
	t.Parallel()
	s, p := start(t)
	c := dial(t, p)
	want := make([]byte, 3<<20)
	for i, r := 0, rand.New(rand.NewPCG(1, 2)); i < len(want); i++ {
		want[i] = byte(r.Uint32())
	}
	go func() { _, _ = io.Copy(io.Discard, c) }() // answers must not fill the pipe up
	if _, err := c.Write(want); err != nil {
		t.Fatal(err)
	}
	s.until(t, "all bytes, unchanged", func(got string, _ int) bool { return got == string(want) })
}

func TestDelay(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]Fault{
		"up": {Up: Lane{Delay: 120 * time.Millisecond}}, "down": {Down: Lane{Delay: 120 * time.Millisecond}},
		"jitter": {Up: Lane{Delay: 110 * time.Millisecond, Jitter: 20 * time.Millisecond}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, p := start(t)
			c := dial(t, p)
			ask(t, c, "before")
			p.Set(f)
			if took := ask(t, c, "slow"); took < 110*time.Millisecond {
				t.Errorf("answered after %s", took)
			}
			p.Set(Fault{})
			ask(t, c, "after")
		})
	}
}

func TestJitterFollowsTheSeed(t *testing.T) {
	t.Parallel()
	draw := func(seed uint64) (all [8]time.Duration) {
		p := Start(t, "127.0.0.1:1", Options{Seed: seed})
		for i := range all {
			all[i] = p.wait(Lane{Delay: time.Second, Jitter: time.Second})
		}
		return all
	}
	a, b, other := draw(7), draw(7), draw(8)
	if a != b || a == other {
		t.Errorf("seed 7 twice: %v, %v; seed 8: %v", a, b, other)
	}
	for _, d := range a {
		if d < time.Second || d >= 2*time.Second {
			t.Errorf("delay %s of 1 s to 2 s", d)
		}
	}
}

func TestThrottle(t *testing.T) {
	t.Parallel()
	s, p := start(t)
	c := dial(t, p)
	p.Set(Fault{Up: Lane{Rate: 200_000}})
	begin := time.Now()
	if _, err := c.Write(make([]byte, 60_000)); err != nil {
		t.Fatal(err)
	}
	s.until(t, "all bytes", func(got string, _ int) bool { return len(got) == 60_000 })
	if took := time.Since(begin); took < 280*time.Millisecond {
		t.Errorf("60 kB at 200 kB/s took %s", took)
	}
}

func TestCutEndsOpenConnectionsAlone(t *testing.T) {
	t.Parallel()
	s, p := start(t)
	first, second := dial(t, p), dial(t, p)
	ask(t, first, "a")
	ask(t, second, "b")
	if n := p.Cut(); n != 2 {
		t.Errorf("%d connections cut, want 2", n)
	}
	for _, c := range []net.Conn{first, second} {
		if _, err := tell(c, "x"); err == nil {
			t.Error("a cut connection answers")
		}
	}
	s.until(t, "the server's side ended", func(_ string, ended int) bool { return ended == 2 })
	ask(t, dial(t, p), "c")
}

func TestRefuseLeavesOpenConnectionsAlone(t *testing.T) {
	t.Parallel()
	_, p := start(t)
	open := dial(t, p)
	ask(t, open, "a")
	p.Set(Fault{Refuse: true})
	c, err := net.DialTimeout("tcp", p.Addr(), 5*time.Second)
	if err == nil {
		defer c.Close()
		if _, err = tell(c, "x"); err == nil {
			t.Error("a refused connection answers")
		}
	}
	ask(t, open, "b")
	p.Set(Fault{})
	ask(t, dial(t, p), "c")
	if n := p.Counts(); n.Refused != 1 || n.Accepted != 2 {
		t.Errorf("counts %+v", n)
	}
}

func TestHole(t *testing.T) {
	t.Parallel()
	t.Run("both ways", func(t *testing.T) {
		t.Parallel()
		s, p := start(t)
		c := dial(t, p)
		ask(t, c, "a")
		p.Set(Hole())
		if _, err := io.WriteString(c, "held"); err != nil {
			t.Fatal(err)
		}
		silent(t, c)
		silent(t, dial(t, p)) // new ones are taken, and hear nothing
		s.until(t, "nothing more", func(got string, _ int) bool { return got == "a" })
		p.Set(Fault{})
		s.until(t, "what was held", func(got string, _ int) bool { return got == "aheld" })
	})
	t.Run("answers only", func(t *testing.T) {
		t.Parallel()
		s, p := start(t)
		c := dial(t, p)
		p.Set(Fault{Down: Lane{Hole: true}})
		if _, err := io.WriteString(c, "done"); err != nil {
			t.Fatal(err)
		}
		s.until(t, "the request", func(got string, _ int) bool { return got == "done" })
		silent(t, c)
		p.Set(Fault{})
		b := make([]byte, 5)
		if _, err := io.ReadFull(c, b); err != nil || string(b) != "+done" {
			t.Errorf("answer %q, %v", b, err)
		}
	})
	t.Run("a client's end stays unseen", func(t *testing.T) {
		t.Parallel()
		s, p := start(t)
		c := dial(t, p)
		ask(t, c, "a")
		p.Set(Hole())
		c.Close()
		silent(t, dial(t, p)) // time for the end to come through, if it did
		s.until(t, "no end seen", func(_ string, ended int) bool { return ended == 0 })
		p.Set(Fault{})
		s.until(t, "the end", func(_ string, ended int) bool { return ended >= 1 })
	})
}

func TestCloseEndsEverything(t *testing.T) {
	t.Parallel()
	_, p := start(t)
	open, held := dial(t, p), dial(t, p)
	ask(t, open, "a")
	p.Set(Hole())
	if _, err := io.WriteString(held, "x"); err != nil {
		t.Fatal(err)
	}
	p.Close()
	for _, c := range []net.Conn{open, held} {
		if _, err := c.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("after Close: %v", err)
		}
	}
	if c, err := net.DialTimeout("tcp", p.Addr(), time.Second); err == nil {
		c.Close()
		t.Error("the port still listens")
	}
}
