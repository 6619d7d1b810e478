package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"headway/query"
)

func (s *shelf) Topics() []string { return []string{"llm-timing", "other"} }

func (s *shelf) Verify(_ context.Context, q query.Verify) (query.Verification, error) {
	return query.Verification{Topic: q.Topic, Produced: 12, Rows: 10, MissingMessages: 2,
		Missing: []query.OffsetRange{{Partition: 1, First: 4, Last: 5}}, Doubled: []query.OffsetRange{}, Warnings: []string{"w"},
		Partitions: []query.VerifiedPartition{{Partition: 1, End: 12, Compared: 12, Rows: 10, Missing: 2}}}, s.err
}

func TestVerifyMistakes(t *testing.T) {
	b := newBench(t, nil)
	for target, want := range map[string]string{
		"verify":                              "name the Kafka topic to verify: llm-timing, other",
		"verify?topic=llm-timings":            "nearest: llm-timing",
		"verify?topic=llm-timing&limit=0":     "limit",
		"verify?topic=llm-timing&model=m":     "verify takes no filters",
		"verify?topic=llm-timing&kafka=h:1":   "unknown parameter",
		"verify?topic=llm-timing&from=now-1h": "unknown parameter",
		"verify?topic=llm-timing&topic=other": "topic",
		"verify?topic=":                       "topic",
	} {
		w := b.get("/api/v1/" + target)
		if w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d, want 422 with %q\n%s", target, w.Code, want, w.Body)
		}
	}
}

func TestVerifyAnswers(t *testing.T) {
	b := newBench(t, nil)
	w := b.get("/api/v1/verify?topic=llm-timing")
	var v query.Verification
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil || w.Code != 200 || v.Clean() || v.Missing[0].Last != 5 {
		t.Errorf("%d, %v\n%s", w.Code, err, w.Body)
	}
	if !strings.Contains(w.Body.String(), `"doubled":[]`) {
		t.Errorf("no empty list in\n%s", w.Body)
	}
	w = b.get("/api/v1/verify?topic=llm-timing&format=csv")
	if !strings.Contains(w.Body.String(), "\n1,0,0,12,12,10,0,") {
		t.Errorf("%d\n%s", w.Code, w.Body)
	}
}

// TestVerifyKeepsAddresses: what a broker's error says stays in the log.
func TestVerifyKeepsAddresses(t *testing.T) {
	b := newBench(t, nil)
	b.shelf.err = errors.New("dial tcp 10.1.2.3:9092: connection refused")
	w := b.get("/api/v1/verify?topic=llm-timing")
	if w.Code != http.StatusServiceUnavailable || strings.Contains(w.Body.String(), "10.1.2.3") || !strings.Contains(b.log.String(), "10.1.2.3") {
		t.Errorf("%d\n%s\nlog %s", w.Code, w.Body, b.log)
	}
}
