package ingest

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"syscall"
	"time"
)

// dialer opens a connection.
type dialer func(ctx context.Context, network, addr string) (net.Conn, error)

func dialTCP(ctx context.Context, network, addr string) (net.Conn, error) {
	return (&net.Dialer{Timeout: requestLimit}).DialContext(ctx, network, addr)
}

// dial returns a dialer that protects what tcp opens.
func (s Security) dial(tcp dialer) dialer {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := tcp(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		safe, err := s.protect(ctx, conn, addr)
		if err != nil {
			_ = conn.Close() // it is of no use
			return nil, err
		}
		return &guarded{Conn: safe, tls: s.TLS, mechanism: s.Mechanism}, nil
	}
}

func (s Security) protect(ctx context.Context, conn net.Conn, addr string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("broker address %q: %w", addr, err)
	}
	if !s.TLS {
		if s.Mechanism == mechanismPlain && !isLoopback(conn.RemoteAddr()) {
			return nil, fmt.Errorf("%w: broker %s is not on this machine", errPlainText, addr)
		}
		return conn, nil
	}
	config, err := s.config(host)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, requestLimit)
	defer cancel()
	safe := tls.Client(conn, config)
	if err := safe.HandshakeContext(ctx); err != nil {
		return nil, &handshakeError{addr: addr, cause: err}
	}
	return safe, nil
}

// errPlainText refuses to send a password that others can read.
var errPlainText = errors.New("PLAIN without TLS sends the password in plain text")

func isLoopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// handshakeError is a TLS handshake that did not come about.
type handshakeError struct {
	addr  string
	cause error
}

func (e *handshakeError) Error() string {
	return fmt.Sprintf("TLS with broker %s: %v", e.addr, e.cause)
}
func (e *handshakeError) Unwrap() error { return e.cause }

// guarded is a connection that tells when a broker hangs up as it does on
// clients that lack TLS or a user, and on which nothing waits for ever: kafka-go
// lifts all time limits before it sends the password.
type guarded struct {
	net.Conn
	tls       bool
	mechanism string
	writing   atomic.Bool
	turns     atomic.Int32 // requests begun: versions, mechanism, password or two of SCRAM, then questions
	answered  atomic.Bool  // something came since the last request began
}

// Write counts requests: what is written after something was read begins one.
func (g *guarded) Write(p []byte) (int, error) {
	if g.writing.CompareAndSwap(false, true) {
		g.turns.Add(1)
		g.answered.Store(false)
	}
	n, err := g.Conn.Write(p)
	return n, g.explain(err)
}

// Read tells a refusal from a fault.
func (g *guarded) Read(p []byte) (int, error) {
	n, err := g.Conn.Read(p)
	if n > 0 {
		first := !g.answered.Swap(true) && g.turns.Load() == 1
		g.writing.Store(false)
		if first && !g.tls && n >= 2 && p[0] == tlsAlert && p[1] == tlsMajor {
			return 0, &hangUpError{hangUpTLS}
		}
	}
	return n, g.explain(err)
}

// The first bytes of a TLS alert, which is what TLS says to plain text.
const (
	tlsAlert = 0x15
	tlsMajor = 0x03
)

func (g *guarded) explain(err error) error {
	if err == nil || !isHangUp(err) || g.answered.Load() {
		return err
	}
	user := g.mechanism != ""
	switch turns := g.turns.Load(); {
	case turns == 1 && !g.tls:
		return &hangUpError{hangUpTLS}
	case turns == 2 && !user: // a broker with users answers what versions it speaks, and no more
		return &hangUpError{hangUpUser}
	case turns == 3 && user, turns == 4 && user && g.mechanism != mechanismPlain:
		return &hangUpError{hangUpPassword}
	}
	return err
}

func isHangUp(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// hangUpError is a connection that the broker closed before it was of use. It
// keeps no cause: kafka-go takes whatever is io.EOF for its own.
type hangUpError struct{ as hangUp }

// hangUp is what a broker's silence most likely means.
type hangUp string

const (
	hangUpTLS      hangUp = "the broker closed the connection at the first request, as it does when it expects TLS"
	hangUpUser     hangUp = "the broker closed the connection at the first question, as it does when it expects a user"
	hangUpPassword hangUp = "the broker closed the connection when it got the password, as it does with a wrong one"
)

func (e *hangUpError) Error() string { return string(e.as) }

// bounded replaces no limit by the usual one.
func bounded(t time.Time) time.Time {
	if t.IsZero() {
		return time.Now().Add(requestLimit)
	}
	return t
}

// SetDeadline bounds reading and writing.
func (g *guarded) SetDeadline(t time.Time) error { return g.Conn.SetDeadline(bounded(t)) }

// SetReadDeadline bounds reading.
func (g *guarded) SetReadDeadline(t time.Time) error { return g.Conn.SetReadDeadline(bounded(t)) }

// SetWriteDeadline bounds writing.
func (g *guarded) SetWriteDeadline(t time.Time) error { return g.Conn.SetWriteDeadline(bounded(t)) }
