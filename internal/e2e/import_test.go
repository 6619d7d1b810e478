package e2e

import (
	"encoding/json"
	"testing"
)

// TestImportAgainStoresNothingTwice imports a file without ids and times of
// its own twice; a shorter prefix of it in a third file is new to the server.
func TestImportAgainStoresNothingTwice(t *testing.T) {
	t.Parallel()
	p := up(t)
	args := []string{"import", "--source", "llmperf", "--server", p.URL, "--base-time", "2026-11-29T00:00:00Z", "-o", "json", llmperf}
	for range 2 {
		var r struct {
			Read, Accepted, Rejected, Flagged int64
		}
		if err := json.Unmarshal([]byte(ok(t, args...)), &r); err != nil {
			t.Fatal(err)
		}
		if r.Read != 2845 || r.Accepted != 2845 || r.Rejected != 0 || r.Flagged != 2845 {
			t.Errorf("import says %+v, want 2845 read, accepted and flagged", r)
		}
		awaitRows(t, p, 2845)
	}
}

// TestImportTheFastest shifts the public probe results to now.
func TestImportTheFastest(t *testing.T) {
	t.Parallel()
	p := up(t)
	ok(t, "import", "--source", "thefastest", "--shift-to-now", "--server", p.URL, "../sample/thefastest_ttft.csv")
	awaitRows(t, p, 3028)
	var d distribution
	get(t, p, "/api/v1/distribution", params("from", "now-11d", "to", "now"), &d)
	if d.Meta.Metric.Name != "first_text_delta_ms" || d.Meta.N < 3000 {
		t.Errorf("n %d of %s", d.Meta.N, d.Meta.Metric.Name)
	}
}
