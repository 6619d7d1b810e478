package api

import (
	"slices"
	"strings"
	"testing"

	"headway/classify"
)

// TestReferenceTraces: A, B and C of record.md get exactly their label, with
// neither model nor time.
func TestReferenceTraces(t *testing.T) {
	b := newBench(t, nil)
	for _, tc := range []struct {
		name, timing string
		want         classify.Label
	}{
		{"A", `"upstream_headers_ms":6100,"first_sse_event_ms":6300,"first_response_ms":6350,"first_text_delta_ms":6400,"total_handler_ms":9200,"visible_output_tps":42`, classify.UpstreamHeadersSlow},
		{"B", `"upstream_headers_ms":240,"first_sse_event_ms":310,"first_response_ms":2900,"first_text_delta_ms":8700,"total_handler_ms":10200,"visible_output_tps":55`, classify.VisibleTextLate},
		{"C", `"upstream_headers_ms":260,"first_sse_event_ms":330,"first_response_ms":420,"first_text_delta_ms":430,"total_handler_ms":20430,"visible_output_tps":9.8`, classify.GenerationSlowTPS},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := b.call("POST", "/api/v1/classify", strings.NewReader(`{"stream":true,"other":{"timing":{`+tc.timing+`}}}`))
			c := decode[Classified](t, w)
			if !slices.Equal(c.Labels, []classify.Label{tc.want}) || c.Primary != tc.want || len(c.Evidence) == 0 || c.RulesVersion == "" {
				t.Errorf("%s", w.Body)
			}
			if c.RequestID != nil || len(c.Flags) != 0 {
				t.Errorf("an id was made up: %s", w.Body)
			}
		})
	}
	if len(b.shelf.produced) != 0 {
		t.Error("classify stored a record")
	}
}

func TestClassifyDropsContent(t *testing.T) {
	b := newBench(t, nil)
	w := b.call("POST", "/api/v1/classify", strings.NewReader(`{"request_id":"r-1","messages":[{"content":"TOP-SECRET"}]}`))
	c := decode[Classified](t, w)
	if c.Meta.ContentDropped == 0 || len(c.Meta.Warnings) != 1 || c.RequestID == nil || *c.RequestID != "r-1" {
		t.Errorf("%s", w.Body)
	}
	if strings.Contains(w.Body.String()+b.log.String(), "TOP-SECRET") {
		t.Error("content was kept")
	}
}
