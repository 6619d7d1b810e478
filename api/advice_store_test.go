package api

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"
	"time"

	"headway/query"
)

func TestAdviceIsStoredOnceAndMadeAgain(t *testing.T) {
	now := clock
	b := policyBench(t, &now, nil)
	b.shelf.waits = []query.Waits{heavyTail(1000, 7)}
	made := decode[MadeAdvice](t, b.call(http.MethodPost, "/api/v1/hedge/advice", nil))
	if made.New != 1 || len(made.Advice) != 1 || len(b.shelf.advice) != 1 {
		t.Fatalf("%+v", made)
	}
	now = clock.Add(time.Hour) // the same window: the same piece
	again := decode[MadeAdvice](t, b.call(http.MethodPost, "/api/v1/hedge/advice", nil))
	if again.New != 0 || again.Advice[0].AdviceID != made.Advice[0].AdviceID || again.Advice[0].MadeAt != made.Advice[0].MadeAt || len(b.shelf.advice) != 1 {
		t.Errorf("%+v", again)
	}
	id := made.Advice[0].AdviceID
	one := decode[StoredAdvice](t, b.get("/api/v1/hedge/advice/"+id))
	if one.Version != adviceVersion || one.Answer.Verdict == "" || one.MadeBy != "local" || len(one.Fingerprint) != 64 || !strings.Contains(one.Question, "metric=first_response_ms") {
		t.Errorf("%+v", one)
	}
	if r := decode[Reproduction](t, b.get("/api/v1/hedge/advice/"+id+"/reproduction")); !r.Same || !r.SameRows || !r.SameAnswer {
		t.Errorf("%+v", r)
	}
	b.Hedge.Rho = 0.1 // settings of now don't matter
	if r := decode[Reproduction](t, b.get("/api/v1/hedge/advice/"+id+"/reproduction")); !r.Same {
		t.Errorf("after the configuration changed: %s", r.Explanation)
	}
	b.shelf.waits[0].Micros[5]++
	if r := decode[Reproduction](t, b.get("/api/v1/hedge/advice/"+id+"/reproduction")); r.Same || r.SameRows || !strings.Contains(r.Explanation, "others than then") {
		t.Errorf("with another row: %+v", r)
	}
	b.shelf.waits = nil
	if r := decode[Reproduction](t, b.get("/api/v1/hedge/advice/"+id+"/reproduction")); r.Same || !strings.Contains(r.Explanation, "no rows") {
		t.Errorf("without rows: %+v", r)
	}
	for _, path := range []string{"adv-none", "adv-none/reproduction"} {
		if w := b.get("/api/v1/hedge/advice/" + path); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	if w := b.call(http.MethodPost, "/api/v1/hedge/advice?targt=p95", nil); w.Code != http.StatusUnprocessableEntity {
		t.Errorf("unknown parameter: %d", w.Code)
	}
}

// TestAdviceBesideLastWeeks: a week later the answer says what changed.
func TestAdviceBesideLastWeeks(t *testing.T) {
	now := clock.Add(-week)
	b := newBench(t, func(o *Options) { o.Now = func() time.Time { return now } })
	b.shelf.waits = []query.Waits{heavyTail(1000, 7)}
	if r := decode[Recommendation](t, b.get("/api/v1/hedge/recommendation")); r.Keys[0].Last != nil {
		t.Errorf("before any: %+v", r.Keys[0].Last)
	}
	then := decode[MadeAdvice](t, b.call(http.MethodPost, "/api/v1/hedge/advice", nil)).Advice[0]
	now = clock
	for i := range b.shelf.waits[0].Micros {
		b.shelf.waits[0].Micros[i] *= 100
	}
	l := decode[Recommendation](t, b.get("/api/v1/hedge/recommendation")).Keys[0].Last
	if l == nil || l.AdviceID != then.AdviceID || !near(l.ChangeMs, 99**then.HedgeAfter) || !near(l.ChangeShare, 99) || !*l.Beyond {
		t.Errorf("%+v", l)
	}
}

func TestRoutesWithAMetricAreAskedApart(t *testing.T) {
	h := HedgeSettings{Routes: map[string]RouteSettings{"a": {}, "b": {Metric: "first_text_delta_ms"}, "c": {Metric: "first_text_delta_ms"}}}
	all := h.byMetric(query.Hedge{})
	if len(all) != 3 || len(all[0].Where) != 2 || all[0].Where[0].Op != query.OpNotIn || all[1].Where[0].Values[0] != "b" || all[2].Where[0].Values[0] != "c" || len(all[2].Where) != 1 {
		t.Errorf("%+v", all)
	}
	for _, q := range []query.Hedge{{Metric: "first_response_ms"}, {Selection: query.Selection{Where: []query.Condition{{Dimension: "route", Op: query.OpIn, Values: []string{"b"}}}}}} {
		if got := h.byMetric(q); len(got) != 1 {
			t.Errorf("%+v", got)
		}
	}
}

// TestAdviceVersionNamesItsRules fails when the same rows give another answer
// than they gave under this version: change adviceVersion then, and the
// fingerprint here, so that stored advice is told from that of other rules.
func TestAdviceVersionNamesItsRules(t *testing.T) {
	now := clock
	b := policyBench(t, &now, nil)
	b.shelf.waits, b.shelf.pairs = []query.Waits{heavyTail(1000, 7)}, pairsOf(60, 500_000, 12_000_000, 300_000)
	b.call(http.MethodPost, "/api/v1/hedge/advice", nil)
	if len(b.shelf.advice) != 1 {
		t.Fatalf("%d pieces", len(b.shelf.advice))
	}
	sum := sha256.Sum256([]byte(b.shelf.advice[0].Answer))
	if got := hex.EncodeToString(sum[:8]); adviceVersion != "hedge-2" || got != "88a1f95b849605d9" {
		t.Errorf("the rules %s answer %s", adviceVersion, got)
	}
}
