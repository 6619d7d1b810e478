package engine

import (
	"bufio"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// gate holds one public port for as long as the ClickHouse lives, over every
// restart of the engine behind it, and hands connections on to the engine.
//
// It is there because libchdb ends the whole process when a native client
// gives a wrong password or names a database that does not exist (its handler
// for uncaught exceptions in connection threads is std::terminate). So the
// gate for the native port reads the hello packet and answers those itself.
type gate struct {
	listener net.Listener
	log      *slog.Logger
	// admit looks at the start of a connection and returns the bytes to hand
	// on first, or false when the connection was answered and is over.
	admit func(ctx context.Context, client net.Conn, r *bufio.Reader) ([]byte, bool)

	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu     sync.Mutex
	target string
	open   map[net.Conn]struct{}
}

// helloPatience is how long a client may take to introduce itself.
const helloPatience = 10 * time.Second

func listen(host string, port int, what string) (net.Listener, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%w: %s on %s:%d: stop what listens there, or choose another port (0 picks a free one)", ErrPortTaken, what, host, port)
	}
	if err != nil {
		return nil, fmt.Errorf("listen for %s on %s:%d: %w; choose an address of this machine", what, host, port, err)
	}
	return l, nil
}

func openGate(l net.Listener, log *slog.Logger, admit func(context.Context, net.Conn, *bufio.Reader) ([]byte, bool)) *gate {
	g := &gate{listener: l, log: log, admit: admit, open: map[net.Conn]struct{}{}}
	g.ctx, g.cancel = context.WithCancel(context.Background())
	g.wg.Go(g.accept)
	return g
}

// lead sets where connections go from now on; "" while the engine is down,
// when each is closed at once.
func (g *gate) lead(target string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.target = target
}

func (g *gate) port() int { return g.listener.Addr().(*net.TCPAddr).Port }

// close ends the listener and every connection.
func (g *gate) close() {
	g.cancel()
	g.listener.Close()
	g.mu.Lock()
	for c := range g.open {
		c.Close()
	}
	g.mu.Unlock()
	g.wg.Wait()
}

func (g *gate) accept() {
	for {
		c, err := g.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			// Out of descriptors, most likely: wait until some are closed.
			g.log.Warn("accept a database connection", "err", err)
			select {
			case <-time.After(100 * time.Millisecond):
			case <-g.ctx.Done():
				return
			}
			continue
		}
		g.wg.Go(func() { g.serve(c) })
	}
}

// track remembers a connection so that close can end it; false means that the
// gate is closing already.
func (g *gate) track(c net.Conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ctx.Err() != nil {
		return false
	}
	g.open[c] = struct{}{}
	return true
}

func (g *gate) forget(c net.Conn) {
	c.Close()
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.open, c)
}

func (g *gate) serve(client net.Conn) {
	defer g.forget(client)
	if !g.track(client) {
		return
	}
	g.mu.Lock()
	target := g.target
	g.mu.Unlock()
	if target == "" {
		return
	}
	var first []byte
	if g.admit != nil {
		var ok bool
		if first, ok = g.introduce(client); !ok {
			return
		}
	}
	server, err := (&net.Dialer{}).DialContext(g.ctx, "tcp", target)
	if err != nil {
		return
	}
	defer g.forget(server)
	if !g.track(server) {
		return
	}
	if _, err := server.Write(first); err != nil {
		return
	}
	splice(client.(*net.TCPConn), server.(*net.TCPConn))
}

// introduce lets admit read the client's first packet, within a time limit.
func (g *gate) introduce(client net.Conn) ([]byte, bool) {
	if err := client.SetDeadline(time.Now().Add(helloPatience)); err != nil {
		return nil, false
	}
	r := bufio.NewReaderSize(client, 1024)
	first, ok := g.admit(g.ctx, client, r)
	if !ok {
		return nil, false
	}
	rest, err := r.Peek(r.Buffered())
	if err != nil || client.SetDeadline(time.Time{}) != nil {
		return nil, false
	}
	return append(first, rest...), true
}

// splice copies both ways until both have ended; a broken side ends the other
// at once, so that the engine sees its client go. Between two TCP connections
// Linux copies without passing the bytes through this process.
func splice(a, b *net.TCPConn) {
	var wg sync.WaitGroup
	copyHalf := func(dst, src *net.TCPConn) {
		if _, err := dst.ReadFrom(src); err != nil {
			a.Close()
			b.Close()
			return
		}
		// Nothing is left to say when the other side is closed already.
		_ = dst.CloseWrite()
	}
	wg.Go(func() { copyHalf(a, b) })
	wg.Go(func() { copyHalf(b, a) })
	wg.Wait()
}

// nativeAdmission checks a native client's account and database the way the
// server would.
func nativeAdmission(password string, httpPort int, exists func(ctx context.Context, database string) (bool, error)) func(context.Context, net.Conn, *bufio.Reader) ([]byte, bool) {
	return func(ctx context.Context, client net.Conn, r *bufio.Reader) ([]byte, bool) {
		// A client that has gone does not read why it was refused.
		refuse := func(answer []byte) ([]byte, bool) { _, _ = client.Write(answer); return nil, false }
		h, err := readHello(r)
		switch {
		case errors.Is(err, errNotNative):
			return refuse([]byte(fmt.Sprintf("HTTP/1.0 400 Bad Request\r\n\r\nThis port is for native ClickHouse clients; HTTP is on port %d.\n", httpPort)))
		case err != nil:
			return nil, false
		}
		right := subtle.ConstantTimeCompare([]byte(h.password), []byte(password)) == 1
		if h.user != User || !right {
			return refuse(exceptionPacket(codeAuthenticationFailed, "Authentication failed: password is incorrect, or there is no user with such name. (AUTHENTICATION_FAILED)"))
		}
		if h.database == "" || h.database == "default" {
			return h.raw, true
		}
		there, err := exists(ctx, h.database)
		if err != nil {
			return nil, false // the engine is gone: so is the connection
		}
		if !there {
			return refuse(exceptionPacket(codeUnknownDatabase, "Database "+h.database+" does not exist. (UNKNOWN_DATABASE)"))
		}
		return h.raw, true
	}
}
