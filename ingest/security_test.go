package ingest

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"headway/internal/testkit/authority"
	"headway/schema"
)

const (
	alicePassword = "Correct-Horse-1"
	bobPassword   = "Battery-Staple-2"
	wrongPassword = "Wrong-Wrong-3"
	clientName    = "headway-client"
)

// port says how a broker's port is protected.
type port struct{ tls, cert, user bool }

// secureCluster returns the address of a port, and where and how the test's
// own client gets in.
type secureCluster func(t *testing.T, p port) (addr, admin string, opts []kgo.Opt)

// keys are the files of a set-up that works.
type keys struct {
	ca                       *authority.Authority
	caFile, cert, key, other string
	password                 string
}

func newKeys(t *testing.T, ca *authority.Authority) keys {
	t.Helper()
	dir := t.TempDir()
	client := ca.Sign(t, clientName)
	file := func(name string, content []byte) string { return authority.File(t, filepath.Join(dir, name), content) }
	return keys{ca: ca, caFile: file("ca.pem", ca.PEM()), cert: file("client.pem", client.Cert), key: file("client.key", client.Key),
		other: file("other.pem", authority.New(t, "another authority").PEM()), password: file("password", []byte(alicePassword+"\n"))}
}

// reading reads a password file as the configuration does.
func reading(path string) func() (string, error) {
	return func() (string, error) {
		raw, err := os.ReadFile(path)
		return strings.TrimSpace(string(raw)), err
	}
}

// security fits a port.
func (k keys) security(p port, mechanism string) Security {
	s := Security{TLS: p.tls}
	if p.tls {
		s.CAFile = k.caFile
	}
	if p.cert {
		s.CertFile, s.KeyFile = k.cert, k.key
	}
	if mechanism != "" {
		s.Mechanism, s.Username, s.Password = mechanism, "alice", reading(k.password)
	}
	return s
}

// newSecureLab is newLab behind a protected port.
func newSecureLab(t *testing.T, cluster secureCluster, p port, partitions int32, safe Security) *lab {
	t.Helper()
	addr, admin, opts := cluster(t, p)
	l := newLab(t, admin, partitions, opts...)
	l.addr, l.safe = addr, safe
	t.Cleanup(func() { noSecret(t, "the log", l.log.String()) })
	return l
}

func noSecret(t *testing.T, where, text string) {
	t.Helper()
	for _, secret := range []string{alicePassword, bobPassword, wrongPassword} {
		if strings.Contains(text, secret) {
			t.Errorf("%s shows a password:\n%s", where, text)
		}
	}
}

// TestSecurity runs on kfake, or on Apache Kafka with the build tag kafka.
func TestSecurity(t *testing.T) {
	ca := authority.New(t, "headway test authority")
	cluster := startSecure(t, ca)
	t.Run("matrix", func(t *testing.T) { t.Parallel(); securityMatrix(t, cluster, ca) })
	t.Run("mended", func(t *testing.T) { t.Parallel(); refusalsAreMended(t, cluster, ca) })
	t.Run("settings", func(t *testing.T) { t.Parallel(); wrongSettingsAreNamed(t, cluster, ca) })
	t.Run("permissions", func(t *testing.T) { t.Parallel(); permissionsAreAwaited(t, cluster, ca) })
}

func securityMatrix(t *testing.T, cluster secureCluster, ca *authority.Authority) {
	type row struct {
		name string
		port
		mechanism string
	}
	rows := []row{{"TLS", port{tls: true}, ""}, {"client certificate", port{tls: true, cert: true}, ""}}
	for _, m := range []string{mechanismPlain, mechanismSCRAM2, mechanismSCRAM5} {
		rows = append(rows, row{m, port{user: true}, m}, row{m + " over TLS", port{tls: true, user: true}, m})
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			l := newSecureLab(t, cluster, r.port, 2, newKeys(t, ca).security(r.port, r.mechanism))
			l.start()
			produced := append(l.produce(0, numbered("a", 120)...), l.produce(1, numbered("b", 30)...)...)
			p, err := NewProducer([]string{l.addr}, l.safe, l.topic)
			if err != nil {
				t.Fatal(err)
			}
			records := make([][]byte, 0, 50)
			for _, text := range numbered("c", 50) {
				records = append(records, []byte(text))
			}
			if err := errors.Join(p.Produce(t.Context(), records), p.Close()); err != nil {
				t.Fatal(err)
			}
			l.sink.untilLanded(t, len(produced)+50)
			l.settled()
		})
	}
}

// refusalsAreMended breaks one thing at a time and mends it in place.
func refusalsAreMended(t *testing.T, cluster secureCluster, ca *authority.Authority) {
	both := port{tls: true, user: true}
	for _, c := range []struct {
		name, mechanism string
		port            port
		broken          func(*testing.T, *Security, keys) (mend func())
		class, remedy   string
	}{
		{"wrong PLAIN password", mechanismPlain, both, wrongThenRight, "authentication", "password"},
		{"wrong SCRAM-SHA-256 password", mechanismSCRAM2, both, wrongThenRight, "authentication", "password"},
		{"wrong SCRAM-SHA-512 password", mechanismSCRAM5, both, wrongThenRight, "authentication", "password"},
		{"wrong password without TLS", mechanismSCRAM5, port{user: true}, wrongThenRight, "authentication", "password"},
		{"unknown authority", "", port{tls: true}, func(t *testing.T, s *Security, k keys) func() {
			authority.File(t, k.caFile, authority.New(t, "unknown").PEM())
			return func() { authority.File(t, k.caFile, k.ca.PEM()) }
		}, "certificate", "kafka.tls.ca_file"},
		{"client certificate of another authority", "", port{tls: true, cert: true}, func(t *testing.T, s *Security, k keys) func() {
			foreign, own := authority.New(t, "foreign").Sign(t, clientName), k.ca.Sign(t, clientName)
			put := func(p authority.Pair) { authority.File(t, k.cert, p.Cert); authority.File(t, k.key, p.Key) }
			put(foreign)
			return func() { put(own) }
		}, "client_certificate", "kafka.tls.cert_file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k := newKeys(t, ca)
			safe := k.security(c.port, c.mechanism)
			mend := c.broken(t, &safe, k)
			l := newSecureLab(t, cluster, c.port, 1, safe)
			r := l.start()
			produced := l.produce(0, numbered("a", 30)...)
			untilReported(t, l, r, c.class)
			err := r.Ready(t.Context())
			if err == nil || !strings.Contains(err.Error(), c.remedy) || !strings.Contains(err.Error(), "by itself") {
				t.Fatalf("readiness says %v, want the remedy with %q", err, c.remedy)
			}
			noSecret(t, "readiness", err.Error())
			if n := r.counter(t, "headway_ingest_waits", "component=kafka", "class="+c.class); n != 1 {
				t.Errorf("headway_ingest_waits is %v for %s, want 1", n, c.class)
			}
			if n := r.counter(t, "headway_kafka_errors_total", "class="+c.class); n < 1 {
				t.Errorf("%v errors counted as %s", n, c.class)
			}
			if _, err := Offsets(t.Context(), []string{l.addr}, l.safe, l.topic, l.topic); err == nil || !strings.Contains(err.Error(), c.remedy) {
				t.Errorf("Offsets says %v, want the remedy", err)
			}
			p, err := NewProducer([]string{l.addr}, l.safe, l.topic)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			err = p.Produce(t.Context(), [][]byte{[]byte(numbered("b", 1)[0])})
			if err == nil || !strings.Contains(err.Error(), c.remedy) {
				t.Errorf("Produce says %v, want the remedy", err)
			}
			mend()
			l.sink.untilLanded(t, len(produced))
			l.settled()
			l.sink.exactly(t, produced)
			l.ready(r)
			if n := strings.Count(l.log.String(), "ingestion waits"); n != 1 {
				t.Errorf("%d lines for one refusal", n)
			}
			if n := r.counter(t, "headway_ingest_waits"); n != 0 {
				t.Errorf("headway_ingest_waits is %v after all", n)
			}
			if n := len(l.sink.rejects); n > 0 {
				t.Errorf("a refusal made %d rejects", n)
			}
		})
	}
}

func wrongThenRight(t *testing.T, s *Security, k keys) func() {
	authority.File(t, k.password, []byte(wrongPassword))
	return func() { authority.File(t, k.password, []byte(alicePassword)) }
}

// wrongSettingsAreNamed: what only a change of the configuration mends.
func wrongSettingsAreNamed(t *testing.T, cluster secureCluster, ca *authority.Authority) {
	for _, c := range []struct {
		name          string
		port          port
		safe          func(keys) Security
		class, remedy string
	}{
		{"plain text to a TLS port", port{tls: true}, func(keys) Security { return Security{} }, "tls_expected", "kafka.tls.enabled"},
		{"TLS to a plain port", port{}, func(k keys) Security { return k.security(port{tls: true}, "") }, "tls", "switch kafka.tls.enabled off"},
		{"no user on a port for users", port{user: true}, func(k keys) Security { return Security{} }, "user_expected", "kafka.sasl.mechanism"},
		{"no client certificate", port{tls: true, cert: true}, func(k keys) Security { return k.security(port{tls: true}, "") }, "client_certificate", "kafka.tls.cert_file"},
		{"another server name", port{tls: true}, func(k keys) Security {
			s := k.security(port{tls: true}, "")
			s.ServerName = "elsewhere.test"
			return s
		}, "certificate", "kafka.tls.server_name"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newSecureLab(t, cluster, c.port, 1, c.safe(newKeys(t, ca)))
			r := l.start()
			untilReported(t, l, r, c.class)
			if err := r.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), c.remedy) {
				t.Errorf("readiness says %v, want %q", err, c.remedy)
			}
		})
	}
	t.Run("server name of the certificate", func(t *testing.T) {
		t.Parallel()
		safe := newKeys(t, ca).security(port{tls: true}, "")
		safe.ServerName = "broker.test"
		l := newSecureLab(t, cluster, port{tls: true}, 1, safe)
		l.start()
		l.produce(0, numbered("a", 10)...)
		l.sink.untilLanded(t, 10)
	})
}

// permissionsAreAwaited: bob gets what he lacks one permission after another.
func permissionsAreAwaited(t *testing.T, cluster secureCluster, ca *authority.Authority) {
	p := port{tls: true, user: true}
	k := newKeys(t, ca)
	safe := k.security(p, mechanismSCRAM5)
	safe.Username, safe.Password = "bob", func() (string, error) { return bobPassword, nil }
	l := newSecureLab(t, cluster, p, 1, safe)
	allow := func(b *kadm.ACLBuilder, ops ...kadm.ACLOperation) {
		t.Helper()
		b = b.Allow("User:bob").AllowHosts("*").Operations(ops...).ResourcePatternType(kadm.ACLPatternLiteral)
		l.eventually("allowing", func(ctx context.Context) error {
			_, err := kadm.NewClient(l.kafka).CreateACLs(ctx, b)
			return err
		})
	}
	r := l.start()
	var produced []schema.Origin
	produced = append(produced, l.produce(0, numbered("a", 30)...)...)
	refusedBy := func(class, component, remedy string) {
		t.Helper()
		if p := untilReported(t, l, r, class); p.Component != component || !strings.Contains(p.Remedy, remedy) {
			t.Errorf("problem %+v, want one of %s with %q", p, component, remedy)
		}
	}
	refusedBy("topic_authorization", onTopic, "on the topic")
	allow(kadm.NewACLs().Topics(l.topic), kadm.OpDescribe)
	refusedBy("group_authorization", onKafka, "kafka.group")
	allow(kadm.NewACLs().Groups(l.topic), kadm.OpDescribe, kadm.OpRead)
	refusedBy("topic_authorization", onKafka, "Read and Describe")
	allow(kadm.NewACLs().Topics(l.topic), kadm.OpRead)
	l.sink.untilLanded(t, len(produced))
	l.settled()
	l.sink.exactly(t, produced)
	l.ready(r)
	sender, err := NewProducer([]string{l.addr}, safe, l.topic)
	if err != nil {
		t.Fatal(err)
	}
	defer sender.Close()
	if err := sender.Produce(t.Context(), [][]byte{[]byte(numbered("b", 1)[0])}); err == nil || !strings.Contains(err.Error(), "Write and Describe") {
		t.Errorf("Produce without permission says %v", err)
	}
	r.stop()
	r = l.start(func(c *Config) { c.Topics = append(c.Topics, Topic{Name: "forbidden", Source: "headway"}) })
	produced = append(produced, l.produce(0, numbered("c", 30)...)...)
	l.sink.untilLanded(t, len(produced)) // one topic that is refused holds no other up
	if p := untilReported(t, l, r, "topic_authorization"); !strings.Contains(p.What, "forbidden") {
		t.Errorf("problem %+v, want the topic named", p)
	}
}

func TestSecurityCheckNamesTheRemedy(t *testing.T) {
	k := newKeys(t, authority.New(t, "ca"))
	secret := func() (string, error) { return alicePassword, nil }
	for _, c := range []struct {
		name string
		s    Security
		want string
	}{
		{"no such authority", Security{TLS: true, CAFile: "/nowhere/ca.pem"}, "kafka.tls.ca_file"},
		{"authority is no PEM", Security{TLS: true, CAFile: k.password}, "no certificate in PEM"},
		{"certificate without key", Security{TLS: true, CertFile: k.cert}, "give both"},
		{"key of another kind", Security{TLS: true, CertFile: k.cert, KeyFile: k.password}, "kafka.tls.key_file"},
		{"files without TLS", Security{CAFile: k.caFile}, "kafka.tls.enabled"},
		{"user without mechanism", Security{Username: "a"}, "kafka.sasl.mechanism"},
		{"unknown mechanism", Security{Mechanism: "GSSAPI", Username: "a", Password: secret}, "SCRAM-SHA-256"},
		{"no user", Security{Mechanism: mechanismPlain, Password: secret}, "kafka.sasl.username"},
		{"no password", Security{Mechanism: mechanismPlain, Username: "a"}, "HEADWAY_KAFKA_PASSWORD"},
		{"empty password", Security{Mechanism: mechanismPlain, Username: "a", Password: func() (string, error) { return "", nil }}, "is empty"},
		{"unreadable password", Security{Mechanism: mechanismPlain, Username: "a", Password: func() (string, error) { return "", io.ErrClosedPipe }}, "closed pipe"},
		{"password that SCRAM can't carry", Security{Mechanism: mechanismSCRAM2, Username: "a", Password: func() (string, error) { return alicePassword + "\x07", nil }}, "can't carry"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for what, err := range map[string]error{"Check": c.s.Check(), "NewProducer": producerError(c.s)} {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Fatalf("%s says %v, want %q", what, err, c.want)
				}
				noSecret(t, what, err.Error())
			}
		})
	}
	for name, s := range map[string]Security{"none": {}, "all": {TLS: true, CAFile: k.caFile, CertFile: k.cert, KeyFile: k.key, Mechanism: mechanismSCRAM5, Username: "a", Password: secret}} {
		if err := s.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func producerError(s Security) error {
	_, err := NewProducer([]string{"127.0.0.1:1"}, s, "t")
	return err
}
