//go:build kafka

package e2e

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"headway/engine"
	"headway/internal/testkit/authority"
	"headway/internal/testkit/binary"
	"headway/internal/testkit/kafka"
)

const (
	rightPassword = "Right-Right-1"
	wrongPassword = "Wrong-Wrong-2"
)

// TestProtectedKafka runs the processes as an operator would, against a broker
// that asks for TLS and a SCRAM user: wrong authority, then wrong password,
// then no permission, then all is well, without a restart. No password may
// show anywhere.
func TestProtectedKafka(t *testing.T) {
	ca := authority.New(t, "headway test authority")
	b := kafka.Start(t, kafka.Secure(t, ca, "nobody", nil))
	b.AddUser(t, "headway", rightPassword)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	createTopic(ctx, t, b.Addr(), "llm-timing")
	db, err := engine.StartClickHouse(ctx, engine.Options{DataDir: t.TempDir(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	dir := t.TempDir()
	caFile := authority.File(t, filepath.Join(dir, "ca.pem"), authority.New(t, "another").PEM())
	password := authority.File(t, filepath.Join(dir, "password"), []byte(wrongPassword+"\n"))
	config := filepath.Join(dir, "headway.yaml")
	text := fmt.Sprintf(`clickhouse: {addr: %q, user: %q, database: %q}
kafka:
  brokers: [%q]
  tls: {enabled: true, ca_file: %s}
  sasl: {mechanism: SCRAM-SHA-512, username: headway, password_file: %s}
`, db.NativeAddr(), db.User(), db.Database(), b.Listener(kafka.ListenerTLSUser), caFile, password)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := secured{t: t, config: config, env: []string{"HEADWAY_CLICKHOUSE_PASSWORD=" + db.Password()}, addr: b.Listener(kafka.ListenerTLSUser)}
	s.do(0, "migrate")
	ingest := binary.Listen(t, headway, s.env, "ingest", "--config", config, "--listen", "127.0.0.1:0")
	serve := binary.Start(t, headway, s.env, "serve", "--config", config, "--listen", "127.0.0.1:0")

	s.refused(ingest, "kafka.tls.ca_file")
	authority.File(t, caFile, ca.PEM())
	s.refused(ingest, "kafka.sasl.username")
	authority.File(t, password, []byte(rightPassword+"\n"))
	s.refused(ingest, "on the topic")
	allow(ctx, t, b.Addr(), "User:headway")
	s.send(0)
	awaitRows(t, serve, 500)
	importText(t, serve, leaky("uploaded"))
	awaitRows(t, serve, 501)
	eventually(t, ingest, "readiness", func() bool { code, _ := fetch(t, ingest, "/readyz", nil); return code == 200 })
	s.do(0, "doctor")
	s.do(0, "verify", "--topic", "llm-timing", "--wait", "1m")
	s.do(0, "doctor", "--dump")
	for _, p := range []*binary.Process{ingest, serve} {
		s.hidden("the log", p.Log())
		for _, path := range []string{"/metrics", "/readyz", "/healthz"} {
			_, raw := fetch(t, p, path, nil)
			s.hidden(path, string(raw))
		}
	}
}

// secured runs commands with one configuration and watches what they say.
type secured struct {
	t      *testing.T
	config string
	env    []string
	addr   string
}

func (s secured) do(want int, args ...string) string {
	s.t.Helper()
	out, errs, code := binary.Run(s.t, headway, s.env, "", append(args, "--config", s.config)...)
	if code != want {
		s.t.Errorf("headway %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), code, want, out, errs)
	}
	s.hidden(strings.Join(args, " "), out+errs)
	return out + errs
}

func (s secured) send(want int) string {
	s.t.Helper()
	return s.do(want, "gen", "--records", "500", "--from", "now-2h", "--to", "now-1h", "--out", "kafka://"+s.addr+"/llm-timing")
}

// refused waits until readiness, doctor and a producer name what to mend.
func (s secured) refused(p *binary.Process, remedy string) {
	s.t.Helper()
	eventually(s.t, p, "readiness that says "+remedy, func() bool {
		code, raw := fetch(s.t, p, "/readyz", nil)
		return code == 503 && strings.Contains(string(raw), remedy)
	})
	for _, said := range []string{s.do(1, "doctor"), s.send(1)} {
		if !strings.Contains(said, remedy) {
			s.t.Errorf("a command says, without %q:\n%s", remedy, said)
		}
	}
}

func (s secured) hidden(where, text string) {
	s.t.Helper()
	for _, secret := range []string{rightPassword, wrongPassword} {
		if strings.Contains(text, secret) {
			s.t.Errorf("%s shows a password:\n%s", where, text)
		}
	}
}

// allow gives a principal what docs/operating.md says that it needs.
func allow(ctx context.Context, t *testing.T, broker, principal string) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(broker))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for _, b := range []*kadm.ACLBuilder{
		kadm.NewACLs().Topics("llm-timing").Operations(kadm.OpRead, kadm.OpWrite, kadm.OpDescribe),
		kadm.NewACLs().Groups("headway").Operations(kadm.OpRead, kadm.OpDescribe),
	} {
		if _, err := kadm.NewClient(client).CreateACLs(ctx, b.Allow(principal).AllowHosts("*").ResourcePatternType(kadm.ACLPatternLiteral)); err != nil {
			t.Fatal(err)
		}
	}
}
