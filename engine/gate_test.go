package engine

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"
)

func hail(texts ...string) []byte {
	b := []byte{packetHello}
	text := func(s string) { b = append(binary.AppendUvarint(b, uint64(len(s))), s...) }
	text("client")
	b = append(b, 1, 1, 0xbc, 0xa9, 0x03)
	for _, s := range texts {
		text(s)
	}
	return b
}

func TestReadHello(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", maxHelloText+1)
	tests := []struct {
		name string
		in   []byte
		want hello
		err  string
	}{
		{"complete", hail("db", "me", "pw"), hello{database: "db", user: "me", password: "pw"}, ""},
		{"empty texts", hail("", "", ""), hello{}, ""},
		{"more after it", append(hail("db", "me", "pw"), 1, 2, 3), hello{database: "db", user: "me", password: "pw"}, ""},
		{"HTTP", []byte("GET / HTTP/1.1\r\n\r\n"), hello{}, errNotNative.Error()},
		{"nothing", nil, hello{}, "EOF"},
		{"cut short in a text", hail("db", "me", "pw")[:14], hello{}, "EOF"},
		{"text too long", hail("db", "me", long), hello{}, "4097 bytes"},
		{"endless number", append([]byte{0}, bytes.Repeat([]byte{0xff}, 20)...), hello{}, "overflow"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := readHello(bufio.NewReader(bytes.NewReader(tt.in)))
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("error %v, want %q", err, tt.err)
				}
				return
			}
			if err != nil || got.database != tt.want.database || got.user != tt.want.user || got.password != tt.want.password {
				t.Errorf("got %+v, %v", got, err)
			}
			if !bytes.HasPrefix(tt.in, got.raw) || len(got.raw) != len(hail(tt.want.database, tt.want.user, tt.want.password)) {
				t.Errorf("raw bytes are %q of %q", got.raw, tt.in)
			}
		})
	}
}

// Whatever arrives, what is handed on must be exactly what came.
func FuzzReadHello(f *testing.F) {
	f.Add(hail("db", "me", "pw"))
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"))
	f.Add([]byte{0, 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, in []byte) {
		r := bufio.NewReader(bytes.NewReader(in))
		h, err := readHello(r)
		if err != nil {
			return
		}
		rest, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(append(bytes.Clone(h.raw), rest...), in) {
			t.Errorf("%q became %q and %q, %v", in, h.raw, rest, err)
		}
	})
}

// echoGate is a gate before a server that sends back what it gets.
func echoGate(t *testing.T) *gate {
	t.Helper()
	server, err := listen(loopback, 0, "echo")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	go func() {
		for {
			c, err := server.Accept()
			if err != nil {
				return
			}
			go func() { io.Copy(c, c); c.Close() }()
		}
	}()
	l, err := listen(loopback, 0, "gate")
	if err != nil {
		t.Fatal(err)
	}
	g := openGate(l, slog.New(slog.DiscardHandler), nil)
	t.Cleanup(g.close)
	g.lead(server.Addr().String())
	return g
}

func dial(t *testing.T, g *gate) *net.TCPConn {
	t.Helper()
	c, err := net.Dial("tcp", g.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return c.(*net.TCPConn)
}

func TestGatePassesBytesBothWays(t *testing.T) {
	t.Parallel()
	c := dial(t, echoGate(t))
	sent := bytes.Repeat([]byte("0123456789abcdef"), 1<<17)
	written := make(chan error, 1)
	go func() {
		_, err := c.Write(sent)
		written <- errors.Join(err, c.CloseWrite())
	}()
	got, err := io.ReadAll(c)
	if err := errors.Join(err, <-written); err != nil || !bytes.Equal(got, sent) {
		t.Errorf("sent %d bytes, got %d back, %v", len(sent), len(got), err)
	}
}

func TestGateTurnsAwayWhileTheEngineIsDown(t *testing.T) {
	t.Parallel()
	g := echoGate(t)
	target := g.target
	g.lead("")
	if _, err := dial(t, g).Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("read %v, want EOF", err)
	}
	g.lead(target)
	c := dial(t, g)
	if _, err := c.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if n, err := c.Read(make([]byte, 1)); n != 1 {
		t.Errorf("read %d, %v after the engine came back", n, err)
	}
}

func TestGateCloseEndsConnections(t *testing.T) {
	t.Parallel()
	g := echoGate(t)
	c := dial(t, g)
	if _, err := c.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	g.close()
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("the connection goes on")
	}
	if c, err := net.Dial("tcp", g.listener.Addr().String()); err == nil {
		c.Close()
		t.Error("the port still takes connections")
	}
}
