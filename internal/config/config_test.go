package config

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func none(string) string { return "" }

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "headway.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLoadRefusesMistakesWithARemedy(t *testing.T) {
	for _, tc := range []struct{ name, yaml, want string }{
		{"unknown key", "lisen: 127.0.0.1:1\n", "lisen"},
		{"listen without port", "listen: localhost\n", "host:port"},
		{"port too large", "listen: 127.0.0.1:99999\n", "0 to 65535"},
		{"no brokers", "kafka: {brokers: []}\n", "at least one broker"},
		{"broker without port", "kafka: {brokers: [kafka]}\n", "kafka.brokers[0]"},
		{"no topics", "kafka: {topics: []}\n", "at least one topic"},
		{"topic without source", "kafka: {topics: [{name: a}], upload_topic: \"\"}\n", "both name and source"},
		{"upload topic not read", "kafka: {upload_topic: other}\n", "one of kafka.topics"},
		{"session", "kafka: {session_timeout: 100ms}\n", "kafka.session_timeout 100ms"},
		{"zero batch", "ingest: {batch_rows: 0}\n", "ingest.batch_rows 0"},
		{"content mode", "records: {content: keep}\n", "drop or reject"},
		{"database default", "clickhouse: {database: default}\n", "database of its own"},
		{"floor", "hedge: {default: {floor: 10ms}}\n", "raise it"},
		{"negative time-out", "hedge: {routes: {core: {timeout: -5s}}}\n", "hedge.routes.core.timeout"},
		{"negative delay", "hedge: {default: {hedge_after: -1s}}\n", "hedge.default.hedge_after"},
		{"cap below the least floor", "hedge: {default: {cap: 50ms}}\n", "below the floor 100ms"},
		{"correlation", "hedge: {rho: 2}\n", "hedge.rho"},
		{"metric", "query: {metric: nope}\n", "query.metric"},
		{"retention", "clickhouse: {retention_days: 200000}\n", "36500"},
		{"route target", "hedge: {routes: {core: {target: p42}}}\n", "hedge.routes.core.target"},
		{"unknown threshold", "classify: {default: {upstream_headers_slow: 3000}}\n", "no threshold has this name"},
		{"threshold of a model", "classify: {models: {m: {upstream_headers_ms: -1}}}\n", "classify: models.m"},
		{"mechanism", "kafka: {sasl: {mechanism: GSSAPI, username: u, password_file: f}}\n", "SCRAM-SHA-512"},
		{"user without mechanism", "kafka: {sasl: {username: u}}\n", "without mechanism"},
		{"mechanism without user", "kafka: {sasl: {mechanism: PLAIN, password_file: f}}\n", "kafka.sasl.username"},
		{"user without password", "kafka: {sasl: {mechanism: PLAIN, username: u}}\n", "HEADWAY_KAFKA_PASSWORD"},
		{"authority without TLS", "kafka: {tls: {ca_file: ca.pem}}\n", "enabled: true"},
		{"certificate without key", "kafka: {tls: {enabled: true, cert_file: c.pem}}\n", "both cert_file and key_file"},
		{"password in plain text", "kafka: {brokers: ['kafka.test:9092'], sasl: {mechanism: PLAIN, username: u, password_file: f}}\n", "kafka.tls.enabled"},
		{"not yaml", "listen: [\n", "configuration"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Load(write(t, tc.yaml), none)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("error %v, want one with %q", err, tc.want)
			}
		})
	}
}

func TestLoadFileThenEnvironment(t *testing.T) {
	path := write(t, "listen: 127.0.0.1:9999\nhedge:\n  routes:\n    core: {cap: 5s, side_effects: true}\n")
	env := map[string]string{"HEADWAY_CLICKHOUSE_PASSWORD": "s3cret", "HEADWAY_KAFKA_BROKERS": "a:1, b:2,", "HEADWAY_KAFKA_TOPIC": "t"}
	c, err := Load(path, func(k string) string { return env[k] })
	if err != nil {
		t.Fatal(err)
	}
	if c.Listen != "127.0.0.1:9999" || len(c.Kafka.Brokers) != 2 || c.Kafka.Brokers[1] != "b:2" || c.Kafka.Topics[0].Name != "t" || c.Kafka.UploadTopic != "t" {
		t.Errorf("config %+v", c)
	}
	if r := c.Hedge.Routes["core"]; r.Cap != 5*time.Second || !r.SideEffects {
		t.Errorf("route %+v", r)
	}
	var out bytes.Buffer
	if err := c.Dump(&out); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "s3cret") {
		t.Error("the dump shows the password")
	}
	again, err := Load(write(t, out.String()), none)
	if err != nil {
		t.Fatalf("the dump can't be read back: %v", err)
	}
	if again.Hedge.Routes["core"].Cap != 5*time.Second {
		t.Errorf("round trip lost the cap: %+v", again.Hedge)
	}
}

func TestLoadNamesMissingFiles(t *testing.T) {
	if _, err := Load(filepath.Join(t.TempDir(), "absent.yaml"), none); err == nil || !strings.Contains(err.Error(), "--config") {
		t.Errorf("error %v, want the flag named", err)
	}
	env := func(k string) string {
		if k == "HEADWAY_CLICKHOUSE_PASSWORD_FILE" {
			return filepath.Join(t.TempDir(), "absent")
		}
		return ""
	}
	if _, err := Load("", env); err == nil || !strings.Contains(err.Error(), "PASSWORD_FILE") {
		t.Errorf("error %v, want the variable named", err)
	}
}

// TestSecretsStayHidden: a password that was written into the file by mistake
// is refused, and not shown.
func TestSecretsStayHidden(t *testing.T) {
	for _, text := range []string{
		"kafka:\n  sasl:\n    password: s3cret\n", "kafka: {sasl: {password: s3cret}}\n", "clickhouse:\n  password: s3cret\n",
		"kafka:\n  tls: {enabled: s3cret}\n", "kafka:\n  sasl: s3cret\n", "kafka:\n  sasl: {mechanism: PLAIN, username: u, password: s3cret\n",
	} {
		_, err := Load(write(t, text), none)
		if err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: error %v, want a refusal without the value", text, err)
		}
	}
}

func TestKafkaSecurityFromFileAndEnvironment(t *testing.T) {
	password := write(t, "from-file\r\n")
	path := write(t, "kafka:\n  brokers: [kafka.test:9093]\n  tls: {enabled: true, ca_file: ca.pem, cert_file: c.pem, key_file: k.pem, server_name: kafka}\n"+
		"  sasl: {mechanism: SCRAM-SHA-512, username: u, password_file: "+password+"}\n")
	c, err := Load(path, none)
	if err != nil {
		t.Fatal(err)
	}
	if want := (KafkaTLS{true, "ca.pem", "c.pem", "k.pem", "kafka"}); c.Kafka.TLS != want {
		t.Errorf("TLS %+v, want %+v", c.Kafka.TLS, want)
	}
	if got, err := c.Kafka.SASL.ReadPassword(); err != nil || got != "from-file" {
		t.Errorf("password %q (%v), want that of the file", got, err)
	}
	env := map[string]string{"HEADWAY_KAFKA_TLS": "true", "HEADWAY_KAFKA_CA_FILE": "other.pem", "HEADWAY_KAFKA_SASL": "PLAIN", "HEADWAY_KAFKA_USER": "v", "HEADWAY_KAFKA_PASSWORD": "s3cret"}
	if c, err = Load(path, func(k string) string { return env[k] }); err != nil {
		t.Fatal(err)
	}
	if got, err := c.Kafka.SASL.ReadPassword(); err != nil || got != "s3cret" || c.Kafka.SASL.Username != "v" || c.Kafka.SASL.Mechanism != "PLAIN" || c.Kafka.TLS.CAFile != "other.pem" {
		t.Errorf("%+v with %q (%v), want the environment to win", c.Kafka, got, err)
	}
	var out bytes.Buffer
	if err := c.Dump(&out); err != nil || strings.Contains(out.String(), "s3cret") || !strings.Contains(out.String(), "username: v") {
		t.Errorf("the dump (%v):\n%s", err, out.String())
	}
	k, err := LoadKafka("", func(k string) string { return env[k] }, "127.0.0.1:7")
	if err != nil || len(k.Brokers) != 1 || k.Brokers[0] != "127.0.0.1:7" || k.SASL.Username != "v" {
		t.Errorf("%+v (%v), want the broker given with the user of the environment", k, err)
	}
	delete(env, "HEADWAY_KAFKA_TLS")
	delete(env, "HEADWAY_KAFKA_CA_FILE")
	if _, err := LoadKafka("", func(k string) string { return env[k] }, "kafka.test:7"); err == nil || !strings.Contains(err.Error(), "plain text") {
		t.Errorf("error %v, want PLAIN in plain text refused", err)
	}
	if _, err := Load("", func(k string) string { return map[string]string{"HEADWAY_KAFKA_TLS": "perhaps"}[k] }); err == nil || !strings.Contains(err.Error(), "HEADWAY_KAFKA_TLS") {
		t.Errorf("error %v, want the variable named", err)
	}
	absent := SASL{PasswordFile: filepath.Join(t.TempDir(), "absent")}
	if _, err := absent.ReadPassword(); err == nil || !strings.Contains(err.Error(), "kafka.sasl.password_file") {
		t.Errorf("error %v, want the key named", err)
	}
}
