package ingest

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"strings"
	"testing"
	"time"
)

// remote is a connection that claims to lead elsewhere.
type remote struct {
	net.Conn
	wrote int
}

func (r *remote) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 7), Port: 9092} }
func (r *remote) Write(p []byte) (int, error) {
	r.wrote += len(p)
	return r.Conn.Write(p)
}

func TestPlainTextPasswordStaysOnThisMachine(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	conn := &remote{Conn: near}
	s := Security{Mechanism: mechanismPlain, Username: "a", Password: func() (string, error) { return alicePassword, nil }}
	_, err := s.dial(func(context.Context, string, string) (net.Conn, error) { return conn, nil })(t.Context(), "tcp", "kafka.test:9092")
	if !errors.Is(err, errPlainText) || conn.wrote > 0 {
		t.Errorf("error %v after %d bytes, want a refusal before the first", err, conn.wrote)
	}
	if class, remedy := kafkaFault(err); class != "plain_text" || !strings.Contains(remedy, "kafka.tls.enabled") {
		t.Errorf("class %s, remedy %s", class, remedy)
	}
}

// TestNoWaitIsWithoutLimit: kafka-go lifts the limits of a connection before
// it sends the password.
func TestNoWaitIsWithoutLimit(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	conn := &limited{Conn: near}
	g, err := Security{}.dial(func(context.Context, string, string) (net.Conn, error) { return conn, nil })(t.Context(), "tcp", "kafka.test:9092")
	if err != nil {
		t.Fatal(err)
	}
	own := time.Now().Add(time.Hour)
	for _, c := range []struct {
		name       string
		set        func(time.Time) error
		give, most time.Time
	}{
		{"both", g.SetDeadline, time.Time{}, time.Now().Add(requestLimit + time.Second)},
		{"reading", g.SetReadDeadline, time.Time{}, time.Now().Add(requestLimit + time.Second)},
		{"writing", g.SetWriteDeadline, time.Time{}, time.Now().Add(requestLimit + time.Second)},
		{"given", g.SetDeadline, own, own},
	} {
		if err := c.set(c.give); err != nil || conn.limit.IsZero() || conn.limit.After(c.most) {
			t.Errorf("%s: limit %v (%v), want one until %v", c.name, conn.limit, err, c.most)
		}
	}
	if !conn.limit.Equal(own) {
		t.Errorf("limit %v, want what was given, %v", conn.limit, own)
	}
}

// limited remembers the limit that was set.
type limited struct {
	net.Conn
	limit time.Time
}

func (l *limited) SetDeadline(t time.Time) error      { l.limit = t; return nil }
func (l *limited) SetReadDeadline(t time.Time) error  { l.limit = t; return nil }
func (l *limited) SetWriteDeadline(t time.Time) error { l.limit = t; return nil }

// TestSilentHandshakeEnds: a port that accepts and says nothing holds nobody
// for longer than the context.
func TestSilentHandshakeEnds(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = (Security{TLS: true}).dial(dialTCP)(ctx, "tcp", l.Addr().String())
	var handshake *handshakeError
	if !errors.As(err, &handshake) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want a handshake that ran out of time", err)
	}
	var verify *tls.CertificateVerificationError
	if errors.As(err, &verify) {
		t.Error("silence passes for a certificate")
	}
}
