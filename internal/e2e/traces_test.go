package e2e

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// traces are the reference traces of the specification: synthetic, in ms.
var traces = []struct {
	id, timing, label, stage string
}{
	{"trace-a", `{"upstream_headers_ms":6100,"first_sse_event_ms":6300,"first_response_ms":6350,"first_text_delta_ms":6400,"total_handler_ms":9200,"visible_output_tps":42}`, "upstream_headers_slow", "headers"},
	{"trace-b", `{"upstream_headers_ms":240,"first_sse_event_ms":310,"first_response_ms":2900,"first_text_delta_ms":8700,"total_handler_ms":10200,"visible_output_tps":55}`, "visible_text_late", "text_wait"},
	{"trace-c", `{"upstream_headers_ms":260,"first_sse_event_ms":330,"first_response_ms":420,"first_text_delta_ms":430,"total_handler_ms":20430,"visible_output_tps":9.8}`, "generation_slow_tps", "generation"},
}

func traceRecord(id, timing string) string {
	return `{"v":1,"request_id":"` + id + `","created_at":"` + time.Now().UTC().Add(-time.Minute).Format(time.RFC3339) +
		`","model":"m","route":"r","stream":true,"status":200,"outcome":"completed","other":{"timing":` + timing + `}}`
}

// TestTracesGetTheirLabels asks for the verdicts over POST classify, over the
// command line, and through Kafka into the stored rows.
func TestTracesGetTheirLabels(t *testing.T) {
	t.Parallel()
	p := up(t)
	var all bytes.Buffer
	for _, tr := range traces {
		all.WriteString(traceRecord(tr.id, tr.timing) + "\n")
		status, raw := post(t, p, "/api/v1/classify", "application/json", traceRecord(tr.id, tr.timing))
		var v verdict
		if status != http.StatusOK || json.Unmarshal(raw, &v) != nil {
			t.Fatalf("%s: POST classify: %d %s", tr.id, status, raw)
		}
		v.check(t, tr.id+" over HTTP", tr.label, tr.stage)
	}
	stdout, stderr, code := run(t, all.String(), "classify", "-")
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if code != 0 || len(lines) != len(traces) {
		t.Fatalf("headway classify: exit code %d, %d lines\n%s", code, len(lines), stderr)
	}
	for i, line := range lines {
		var v verdict
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		v.check(t, traces[i].id+" on the command line", traces[i].label, traces[i].stage)
	}
	importText(t, p, all.String())
	awaitRows(t, p, int64(len(traces)))
	for _, tr := range traces {
		var r struct {
			Attempts []struct {
				Labels  []string `json:"labels"`
				Stage   string   `json:"stage"`
				Verdict verdict  `json:"verdict"`
			} `json:"attempts"`
		}
		get(t, p, "/api/v1/requests/"+tr.id, nil, &r)
		if len(r.Attempts) != 1 || !slices.Equal(r.Attempts[0].Labels, []string{tr.label}) || r.Attempts[0].Stage != tr.stage {
			t.Errorf("%s stored as %+v, want only %s, stage %s", tr.id, r.Attempts, tr.label, tr.stage)
		}
	}
}

type verdict struct {
	RequestID string   `json:"request_id"`
	Labels    []string `json:"labels"`
	Primary   string   `json:"primary"`
	Stage     string   `json:"stage"`
	Rules     string   `json:"rules_version"`
}

func (v verdict) check(t *testing.T, what, label, stage string) {
	t.Helper()
	if !slices.Equal(v.Labels, []string{label}) || v.Primary != label || v.Stage != stage || v.Rules == "" {
		t.Errorf("%s: %+v, want only %s, stage %s", what, v, label, stage)
	}
}
