package e2e

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"headway/internal/testkit/binary"
)

// TestMistakesGetOneLineWithTheRemedy checks what a person sees who calls a
// command wrongly: exit code 2 for usage, 1 otherwise, and what to do.
func TestMistakesGetOneLineWithTheRemedy(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { taken.Close() })
	closed := closedPort(t)
	bad := filepath.Join(t.TempDir(), "bad.yaml")
	if err := os.WriteFile(bad, []byte("lisen: x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name string
		args []string
		env  []string
		code int
		want string
	}{
		{"unknown command", []string{"upp"}, nil, 2, "did you mean up"},
		{"unknown flag", []string{"gen", "--sed", "3"}, nil, 2, "unknown flag: --sed"},
		{"unknown question", []string{"query", "latencies"}, nil, 2, "did you mean latency"},
		{"no question", []string{"query"}, nil, 2, "name a question"},
		{"bad output", []string{"query", "latency", "-o", "xml"}, nil, 2, "table, json, csv or ndjson"},
		{"no file", []string{"import", "--source", "headway", "absent.ndjson"}, nil, 1, "readable file"},
		{"unknown source", []string{"import", "--source", "nope", "x"}, nil, 2, "headway, thefastest, llmperf"},
		{"no base time", []string{"import", "--source", "llmperf", llmperf}, nil, 2, "--base-time"},
		{"shift of standard input", []string{"import", "--shift-to-now", "-"}, nil, 2, "write it to a file first"},
		{"no server", []string{"query", "latency", "--server", "http://" + closed}, nil, 1, "headway up"},
		{"bad server", []string{"query", "latency", "--server", "nope"}, nil, 2, "http://127.0.0.1:8080"},
		{"no broker", []string{"gen", "--records", "10", "--out", "kafka://" + closed + "/t"}, nil, 1, closed},
		{"bad topic", []string{"gen", "--records", "10", "--out", "kafka://x"}, nil, 2, "kafka://HOST:PORT/TOPIC"},
		{"no records", []string{"gen"}, nil, 2, "rate"},
		{"unknown incident", []string{"gen", "--records", "10", "--incident", "nope"}, nil, 2, "slow_decode"},
		{"bad configuration", []string{"serve", "--config", bad}, nil, 2, "lisen"},
		{"port too large", []string{"up", "--data-dir", t.TempDir(), "--listen", "127.0.0.1:99999"}, nil, 2, "0 to 65535"},
		{"Kafka port too large", []string{"up", "--data-dir", t.TempDir(), "--listen", "127.0.0.1:0", "--kafka-listen", "127.0.0.1:99999"}, nil, 2, "0 to 65535"},
		{"severity without incident", []string{"gen", "--records", "5", "--severity", "mild"}, nil, 2, "--incident"},
		{"nothing to judge", []string{"classify", os.DevNull}, nil, 1, "no record"},
		{"taken port", []string{"up", "--data-dir", t.TempDir(), "--listen", taken.Addr().String()}, nil, 1, "choose another port"},
		{"taken Kafka port", []string{"up", "--data-dir", t.TempDir(), "--listen", "127.0.0.1:0", "--kafka-listen", taken.Addr().String()}, nil, 1, "port"},
		{"open to all without tokens", []string{"up", "--data-dir", t.TempDir(), "--listen", "0.0.0.0:0"}, nil, 2, "tokens"},
		{"library missing", []string{"up", "--data-dir", t.TempDir(), "--listen", "127.0.0.1:0"}, []string{"HEADWAY_LIBCHDB=/nowhere/libchdb.so"}, 1, "HEADWAY_LIBCHDB"},
		{"no database to migrate", []string{"migrate"}, []string{"HEADWAY_CLICKHOUSE_ADDR=" + closed}, 1, closed},
		{"simulate without column", []string{"simulate", "--input", llmperf}, nil, 2, "--value-column"},
		{"simulate on an absent file", []string{"simulate", "--input", "absent.csv", "--value-column", "x", "--unit", "s"}, nil, 1, "readable file"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, code := binary.Run(t, headway, tc.env, "", tc.args...)
			if code != tc.code || !strings.Contains(stderr, tc.want) {
				t.Errorf("exit code %d, want %d; standard error %q, want %q in it", code, tc.code, stderr, tc.want)
			}
			if strings.Contains(stderr, "goroutine ") || stdout != "" {
				t.Errorf("a mistake gets words only: %q, %q", stdout, stderr)
			}
		})
	}
}

// TestEveryCommandTeaches asks every command for help.
func TestEveryCommandTeaches(t *testing.T) {
	t.Parallel()
	for _, cmd := range []string{"up", "serve", "ingest", "migrate", "import", "query", "simulate", "classify", "gen", "doctor"} {
		out := ok(t, cmd, "--help")
		if !strings.Contains(out, "Examples:") || !strings.Contains(out, "Usage:") {
			t.Errorf("headway %s --help shows no example:\n%s", cmd, out)
		}
	}
}

func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
