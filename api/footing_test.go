package api

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"headway/query"
	"headway/schema"
)

// TestMetricsThatNoSourceRecordsAreSaid: n = 0 because nothing records the
// metric must not look like n = 0 because nothing happened.
func TestMetricsThatNoSourceRecordsAreSaid(t *testing.T) {
	probes := []query.ValueCount{{Value: "thefastest", N: 70}, {Value: "llmperf", N: 30}}
	for _, tc := range []struct {
		name, target string
		sources      []query.ValueCount
		n            int64
		want         string // of the one warning; empty for none
	}{
		{"bare ttft", "latency?metric=ttft", probes, 0, "ttft is first_response_ms here; these sources record first_text_delta_ms: ask with metric=first_text_delta_ms"},
		{"named", "latency?metric=first_response_ms", probes, 0, "first_response_ms: these sources record first_text_delta_ms"},
		{"an alias", "latency?metric=first_response", probes, 0, "first_response is first_response_ms here; these"},
		{"a list", "requests?sort=slow&metric=ttft", probes, 0, "these sources record first_text_delta_ms"},
		{"a list by time is not sorted by it", "requests?metric=ttft", probes, 0, ""},
		{"no first token", "latency?metric=auth_ms", probes, 0, "auth_ms: none of the 100 rows has a value that counts"},
		{"a gateway may record both", "latency?metric=first_text_delta_ms", []query.ValueCount{{Value: "headway", N: 5}}, 0, "none of the 5 rows"},
		{"rows count", "latency?metric=first_text_delta_ms", probes, 100, ""},
		{"no rows at all", "latency?metric=ttft", nil, 0, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newBench(t, nil)
			b.shelf.values.Values = tc.sources
			b.shelf.latency.Meta.N, b.shelf.requests.Meta.N = tc.n, tc.n
			var m Meta
			if err := json.Unmarshal([]byte(b.get("/api/v1/"+tc.target+"&format=csv").Header().Get("Headway-Meta")), &m); err != nil {
				t.Fatal(err)
			}
			if w := m.Warnings; tc.want == "" && len(w) > 0 || tc.want != "" && (len(w) != 1 || !strings.Contains(w[0], tc.want)) {
				t.Errorf("warnings %q, want %q", w, tc.want)
			}
		})
	}
}

// TestUnfinishedAttemptsOfSlowLists carry how long they were waited for.
func TestUnfinishedAttemptsOfSlowLists(t *testing.T) {
	b := newBench(t, nil)
	b.shelf.requests.Attempts = []query.Attempt{
		{Record: schema.Record{RequestID: "a", CreatedAt: clock}, AtLeast: ptr(60*time.Second + 500*time.Microsecond)},
		{Record: schema.Record{RequestID: "b", CreatedAt: clock}},
	}
	a := decode[Requests](t, b.get("/api/v1/requests?sort=slow")).Attempts
	if a[0].AtLeastMs == nil || *a[0].AtLeastMs != 60_000.5 || a[1].AtLeastMs != nil {
		t.Errorf("%+v", a)
	}
	lines := strings.Split(b.get("/api/v1/requests?sort=slow&format=csv").Body.String(), "\n")
	if !strings.HasSuffix(lines[0], ",stage,at_least_ms") || !strings.HasSuffix(lines[1], ",60000.5") || !strings.HasSuffix(lines[2], ",") {
		t.Errorf("%q", lines)
	}
}
