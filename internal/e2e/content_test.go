package e2e

import (
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"headway/internal/testkit/binary"
)

// mark is a string that no answer, file, log or metric may hold afterwards.
const mark = "ZEBRA-QUARTZ-7741"

// leaky is a record that carries the mark wherever a gateway might leak it.
func leaky(id string) string {
	at := time.Now().UTC().Add(-time.Minute).Format(time.RFC3339)
	return `{"v":1,"request_id":"` + id + `","created_at":"` + at + `","model":"m","prompt":"` + mark + `","messages":[{"role":"user","content":"` + mark + `"}],` +
		`"api_key":"` + mark + `","unknown_key":"` + mark + `","other":{"input":"` + mark + `","timing":{"first_response_ms":100,"note":"` + mark + `"}}}`
}

// TestContentLeavesNoTrace feeds marked content through every way in and then
// looks for it in the database's files, the log, the metrics and the answers.
func TestContentLeavesNoTrace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := binary.Start(t, headway, nil, "up", "--data-dir", dir, "--listen", "127.0.0.1:0", "--kafka-listen", "127.0.0.1:0", "--sample=false", "--log-level", "debug")
	refused := `{"created_at":"2026-11-30T00:00:00Z","prompt":"` + mark + `"}`
	broken := `{"model":"m","prompt":"` + mark
	importText(t, p, leaky("via-cli")+"\n"+refused+"\n"+broken+"\n")
	if status, raw := post(t, p, "/api/v1/records", "application/x-ndjson", leaky("via-http")+"\n"+refused+"\n"+broken+"\n"); status != http.StatusOK || strings.Contains(string(raw), mark) {
		t.Errorf("POST records: %d %s", status, raw)
	}
	produceRaw(t, p.Kafka, "llm-timing", leaky("via-kafka"), refused, broken)
	if status, raw := post(t, p, "/api/v1/classify", "application/json", leaky("judged")); status != http.StatusOK || strings.Contains(string(raw), mark) {
		t.Errorf("POST classify: %d %s", status, raw)
	}
	if status, raw := post(t, p, "/api/v1/classify", "application/json", broken); status < 400 || strings.Contains(string(raw), mark) {
		t.Errorf("POST classify of broken JSON: %d %s", status, raw)
	}
	eventually(t, p, "three rows and two rejects", func() bool {
		rows, rejected := quality(t, p)
		return rows == 3 && rejected["no_model"] == 1 && rejected["not_json"] == 1
	})
	for _, path := range []string{"/metrics", "/api/v1/quality", "/api/v1/requests", "/api/v1/requests/via-kafka", "/api/v1/requests/via-cli", "/readyz", "/api/v1/fields/model/values"} {
		q := url.Values{}
		if strings.HasPrefix(path, "/api/v1/") && !strings.Contains(path, "requests/") {
			q = params("from", "now-1d", "to", "now")
		}
		status, raw := fetch(t, p, path, q)
		if status != http.StatusOK {
			t.Errorf("GET %s: %d %s", path, status, raw)
		}
		if strings.Contains(string(raw), mark) {
			t.Errorf("GET %s shows the content", path)
		}
		if path == "/metrics" && !strings.Contains(string(raw), "headway_content_dropped_total") {
			t.Error("the dropped content is not counted in the metrics")
		}
	}
	p.Stop(t)
	if strings.Contains(p.Log(), mark) {
		t.Error("the log shows the content")
	}
	searchFiles(t, filepath.Join(dir, "clickhouse"))
}

// searchFiles looks for the mark in every file below dir. Tables are
// compressed, but a string of this length and rarity stays literal in LZ4 and
// ZSTD frames of a few rows; the answers above cover the rest.
func searchFiles(t *testing.T, dir string) {
	t.Helper()
	seen := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(path)
		seen++
		if strings.Contains(string(raw), mark) {
			t.Errorf("%s holds the content", path)
		}
		return err
	})
	if err != nil || seen == 0 {
		t.Errorf("searching %s: %d files, %v", dir, seen, err)
	}
}
