package faults

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"headway/engine"
	"headway/internal/testkit/binary"
)

const topic = "llm-timing"

// lab is a broker, a ClickHouse and one `headway ingest` between them, each
// its own process but the broker.
type lab struct {
	t      testing.TB
	dir    string // the engine's data directory
	opts   engine.Options
	db     *engine.ClickHouse
	broker *engine.Broker
	badIn  int32   // the one partition with messages that are no JSON; below 0, each has some
	parts  int32   // partitions of the topic
	ends   []int64 // where their logs end, once producing is halted
	p      *binary.Process
}

// newLab starts broker and engine, with tables unless bare is true.
func newLab(t testing.TB, dir string, bare bool) *lab {
	t.Helper()
	l := &lab{t: t, dir: dir, parts: 4, badIn: -1, ends: make([]int64, 4), opts: engine.Options{DataDir: dir, TCPPort: freePort(t), HTTPPort: freePort(t), NoFsync: true,
		Logger: slog.New(slog.DiscardHandler)}}
	b, err := engine.StartBroker(t.Context(), engine.BrokerOptions{Topics: []engine.Topic{{Name: topic, Partitions: int(l.parts)}},
		Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	l.broker = b
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	l.startEngine()
	t.Cleanup(l.stopEngine)
	if !bare {
		l.migrate()
	}
	return l
}

func freePort(t testing.TB) int {
	t.Helper()
	c, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	return c.Addr().(*net.TCPAddr).Port
}

func (l *lab) startEngine() {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	var err error
	if l.db, err = engine.StartClickHouse(ctx, l.opts); err != nil {
		l.t.Fatal(err)
	}
}

func (l *lab) stopEngine() {
	l.t.Helper()
	if err := l.db.Close(); err != nil {
		l.t.Error(err)
	}
}

// reboot kills the engine and waits until it serves again, with what the test
// has put into its configuration folders meanwhile.
func (l *lab) reboot() {
	l.t.Helper()
	l.db.Kill()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := l.db.Ready(ctx); err != nil {
		l.t.Fatal(err)
	}
}

// configure puts a file beside users.xml or config.xml that the engine merges
// into it at its next start; an empty text removes it.
func (l *lab) configure(folder, text string) {
	l.t.Helper()
	path := filepath.Join(l.dir, folder, "fault.xml")
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	switch {
	case err != nil:
	case text == "":
		err = os.Remove(path)
	default:
		err = os.WriteFile(path, []byte(text), 0o600)
	}
	if err != nil {
		l.t.Fatal(err)
	}
}

func (l *lab) env() []string {
	return []string{"HEADWAY_CLICKHOUSE_ADDR=" + l.db.NativeAddr(), "HEADWAY_CLICKHOUSE_USER=" + l.db.User(),
		"HEADWAY_CLICKHOUSE_PASSWORD=" + l.db.Password(), "HEADWAY_CLICKHOUSE_DATABASE=" + l.db.Database(),
		"HEADWAY_KAFKA_BROKERS=" + l.broker.Addr(), "HEADWAY_KAFKA_TOPIC=" + topic}
}

func (l *lab) migrate() string {
	l.t.Helper()
	out, errs, code := binary.Run(l.t, headway, l.env(), "", "migrate")
	if code != 0 {
		l.t.Fatalf("headway migrate: exit code %d\n%s%s", code, out, errs)
	}
	return out
}

// ingest starts the ingester, with more settings of ingest; it stays the same
// process until the test ends.
func (l *lab) ingest(more ...string) {
	l.t.Helper()
	config := filepath.Join(l.t.TempDir(), "headway.yaml")
	if err := os.WriteFile(config, []byte("ingest: {"+strings.Join(append(more, "batch_age: 200ms"), ", ")+"}\n"), 0o600); err != nil {
		l.t.Fatal(err)
	}
	l.p = binary.Listen(l.t, headway, l.env(), "ingest", "--config", config, "--listen", "127.0.0.1:0")
	l.t.Cleanup(func() {
		if l.t.Failed() {
			l.t.Logf("headway ingest said:\n%s", l.p.Log())
		}
	})
}

// sql runs a statement as the working account.
func (l *lab) sql(statement string) string {
	l.t.Helper()
	out, err := l.trySQL(statement)
	if err != nil {
		l.t.Fatalf("%s: %v", statement, err)
	}
	return out
}

func (l *lab) trySQL(statement string) (string, error) {
	req, err := http.NewRequest(http.MethodPost, l.db.HTTPURL()+"/?database="+l.db.Database(), strings.NewReader(statement))
	if err != nil {
		return "", err
	}
	req.SetBasicAuth(l.db.User(), l.db.Password())
	status, body, err := answer(req)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("status %d: %s", status, body)
	}
	return strings.TrimSpace(body), err
}

// answer sends a request over a connection of its own.
func answer(req *http.Request) (status int, body string, err error) {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 30 * time.Second}
	resp, err := client.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(raw), err
}

// eventually waits until check returns nil, for two minutes.
func (l *lab) eventually(what string, check func() error) {
	l.t.Helper()
	l.within(2*time.Minute, what, check)
}

func (l *lab) within(limit time.Duration, what string, check func() error) {
	l.t.Helper()
	deadline := time.Now().Add(limit)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := check()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			l.t.Fatalf("%s: not in %s: %v", what, limit, err)
		}
		<-tick.C
	}
}
