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
