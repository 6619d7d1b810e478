package chaos

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"headway/internal/testkit/proxy"
)

// member is one headway ingest with a line of its own to ClickHouse and one to
// the broker. After its end it can be started again in the same place.
type member struct {
	name          string
	config        string
	env           []string
	toDB, toKafka *proxy.Proxy

	mu   sync.Mutex
	proc *process
}

// session is what members are silent before they are expelled: the least that
// either broker allows.
const session = 6 * time.Second

// newMember prepares a member and does not start it.
func (l *lab) newMember() *member {
	l.t.Helper()
	n := len(l.members)
	m := &member{name: fmt.Sprintf("%s-%d", l.topic, n), config: filepath.Join(l.t.TempDir(), "headway.yaml")}
	m.toDB = proxy.Start(l.t, l.db.current().NativeAddr(), proxy.Options{Seed: l.seed + uint64(n)})
	m.toKafka = proxy.Start(l.t, l.broker.Addr(), proxy.Options{Kafka: true, Seed: l.seed + uint64(n)})
	m.env = append(l.db.env(), "HEADWAY_CLICKHOUSE_ADDR="+m.toDB.Addr())
	text := fmt.Sprintf(`clickhouse: {retention_days: 400}
kafka:
  brokers: [%s]
  group: %s
  topics: [{name: %s, source: headway}]
  upload_topic: %s
  session_timeout: %s
ingest: {batch_rows: %d, batch_age: 200ms, memory_mb: 16}
`, m.toKafka.Addr(), l.topic, l.topic, l.topic, session, batchRows)
	if err := os.WriteFile(m.config, []byte(text), 0o600); err != nil {
		l.t.Fatal(err)
	}
	l.members = append(l.members, m)
	l.t.Cleanup(func() {
		m.kill()
		if p := m.current(); l.t.Failed() && p != nil {
			l.t.Logf("%s said:\n%s", m.name, lastLines(p.log(), 15))
		}
	})
	return m
}

// batchRows keeps batches small, so that many of them are under way.
const batchRows = 300

// startMembers starts n new members.
func (l *lab) startMembers(n int) {
	l.t.Helper()
	for range n {
		l.start(l.newMember())
	}
}

func (l *lab) start(m *member) {
	if err := m.start(); err != nil {
		l.t.Error(err)
	}
}

func (m *member) start() error {
	p, err := launch(headway, m.env, "ingest", "--config", m.config, "--listen", "127.0.0.1:0")
	if err != nil {
		return err
	}
	m.mu.Lock()
	m.proc = p
	m.mu.Unlock()
	return nil
}

func (m *member) current() *process {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.proc
}

// runs says whether the member is a living process, frozen or not.
func (m *member) runs() bool { p := m.current(); return p != nil && !p.ended() }

func (m *member) kill() {
	if m.runs() {
		m.current().kill()
	}
}

func (m *member) freeze() { m.current().signal(syscall.SIGSTOP) }
func (m *member) thaw()   { m.current().signal(syscall.SIGCONT) }

// heal takes every fault from the member's lines.
func (m *member) heal() {
	m.toDB.Set(proxy.Fault{})
	m.toKafka.Set(proxy.Fault{})
}

// serving is what a member writes when it has got so far that signals end it
// in order.
const serving = "listening http://"

// stopLimit is what the specification gives a member to flush, commit and
// leave.
const stopLimit = 10 * time.Second

// stop ends the member as an operator does: in order, in time, with success.
func (m *member) stop(t testing.TB) {
	t.Helper()
	p := m.current()
	if !m.runs() {
		return
	}
	if err := p.await(serving, time.Minute); err != nil {
		t.Errorf("%s: %v", m.name, err)
	}
	begin := time.Now()
	p.signal(syscall.SIGTERM)
	if !p.endsWithin(stopLimit) {
		p.signal(syscall.SIGQUIT) // it says what it waits for
		if !p.endsWithin(5 * time.Second) {
			p.kill()
		}
		t.Errorf("%s did not stop in %s, but in %s:\n%s", m.name, stopLimit, time.Since(begin), lastLines(p.log(), 400))
		return
	}
	if p.err != nil {
		t.Errorf("%s stopped with %v:\n%s", m.name, p.err, lastLines(p.log(), 15))
	}
}
