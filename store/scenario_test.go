package store_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"headway/classify"
	"headway/query"
	"headway/schema"
	"headway/store"
)

var update = flag.Bool("update", false, "write the answers and statements that the tests compare with")

// scenarioNow is when the scenarios' questions are asked.
var scenarioNow = time.Date(2026, 11, 9, 4, 0, 0, 0, time.UTC)

// TestScenarios runs testdata/scenarios: records as a gateway writes them,
// then questions as a URL writes them, each with its answer.
func TestScenarios(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/scenarios/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			runScenario(t, path)
		})
	}
}

func runScenario(t *testing.T, path string) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, cfg := migrated(t)
	cfg.Now = func() time.Time { return scenarioNow }
	s := open(t, cfg)
	asked := ""
	for i, f := range archive.Files {
		switch f.Name {
		case "rows":
			landJSON(t, s, f.Data)
		case "question":
			asked = strings.TrimSpace(string(f.Data))
		case "answer":
			got := answer(t, s, asked)
			if *update {
				archive.Files[i].Data = []byte(got)
			} else if got != string(f.Data) {
				t.Errorf("%s\n got\n%s\nwant\n%s", asked, got, f.Data)
			}
		default:
			t.Fatalf("%s: a scenario has rows, question and answer, not %q", path, f.Name)
		}
	}
	if *update {
		if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// landJSON decodes, judges and lands records, one a line, as ingestion does.
func landJSON(t *testing.T, s *store.Store, lines []byte) {
	t.Helper()
	source, err := schema.NewSources().Need("headway")
	if err != nil {
		t.Fatal(err)
	}
	d, err := schema.NewDecoder(schema.Config{Source: source, NewID: func() string { return "generated" }})
	if err != nil {
		t.Fatal(err)
	}
	judge, err := classify.New(classify.DefaultRules())
	if err != nil {
		t.Fatal(err)
	}
	var rs []classify.Row
	for i, line := range bytes.Split(bytes.TrimSpace(lines), []byte("\n")) {
		rec := schema.Record{Origin: schema.Origin{Topic: "t", Offset: int64(i)}}
		if _, err := d.Decode(line, scenarioNow, &rec); err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		rs = append(rs, classify.Row{Record: rec, Verdict: judge.Classify(&rec)})
	}
	if err := s.Land(t.Context(), rangeOf(rs), store.BlockOf(rs), nil, false); err != nil {
		t.Fatal(err)
	}
}

// answer asks a question written as a path with parameters and writes its
// answer without what differs from run to run.
func answer(t *testing.T, s *store.Store, asked string) string {
	t.Helper()
	a, err := ask1(t, s, asked)
	if err != nil {
		return fmt.Sprintf("error: %v\n", err)
	}
	raw, err := json.MarshalIndent(a, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for _, line := range strings.Split(string(raw), "\n") {
		if !volatile(line) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n") + "\n"
}

// volatile lines differ from run to run, or say nothing in a scenario.
func volatile(line string) bool {
	for _, key := range []string{"RowsRead", "Elapsed", "InsertedAt", "SQL", "Approximation", "Table", "RulesVersion"} {
		if strings.HasPrefix(strings.TrimSpace(line), `"`+key+`":`) {
			return true
		}
	}
	return false
}

func ask1(t *testing.T, s *store.Store, asked string) (any, error) {
	t.Helper()
	path, raw, _ := strings.Cut(asked, "?")
	v, err := url.ParseQuery(raw)
	if err != nil {
		t.Fatal(err)
	}
	reg := schema.NewRegistry()
	sc := func(sel query.Selection) query.Scope {
		sc, err := sel.Resolve(scenarioNow)
		if err != nil {
			t.Fatal(err)
		}
		return sc
	}
	ctx := t.Context()
	switch path {
	case "latency":
		q, err := query.ParseLatency(reg, v)
		if err != nil {
			return nil, err
		}
		a, err := s.Latency(ctx, q, sc(q.Selection))
		a.Meta.Metric = nil
		return a, err
	case "breakdown":
		q, err := query.ParseBreakdown(reg, v)
		if err != nil {
			return nil, err
		}
		a, err := s.Breakdown(ctx, q, sc(q.Selection))
		a.Meta.Metric = nil
		return a, err
	case "headline":
		q, err := query.ParseHeadline(reg, v)
		if err != nil {
			return nil, err
		}
		a, err := s.Headline(ctx, q, sc(q.Selection))
		a.Meta.Metric = nil
		return a, err
	case "quality":
		q, err := query.ParseQuality(reg, v)
		if err != nil {
			return nil, err
		}
		return s.Quality(ctx, q, sc(q.Selection))
	case "values":
		q, err := query.ParseValues(reg, v.Get("field"), without(v, "field"))
		if err != nil {
			return nil, err
		}
		return s.Values(ctx, q, sc(q.Selection))
	case "waits":
		q, err := query.ParseLatency(reg, without(v, "mode"))
		if err != nil {
			return nil, err
		}
		mode := query.WaitMetric
		if v.Get("mode") == "dispatch" {
			mode = query.WaitDispatch
		}
		waits, meta, err := s.Waits(ctx, sc(q.Selection), field(t, q.Metric), q.By, mode)
		meta.Metric, meta.SQL = nil, nil
		return struct {
			Meta  query.Meta
			Waits []query.Waits
		}{meta, waits}, err
	}
	t.Fatalf("no question %q", path)
	return nil, nil
}

func without(v url.Values, name string) url.Values {
	out := url.Values{}
	for k, values := range v {
		if k != name {
			out[k] = values
		}
	}
	return out
}
