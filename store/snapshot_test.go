package store_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"headway/query"
)

// TestGeneratedSQL compares the statements of a few questions, as explain=sql
// shows them, with testdata, and runs each of them as clickhouse-client would.
func TestGeneratedSQL(t *testing.T) {
	t.Parallel()
	s, cfg := migrated(t)
	sc := hour()
	sc.Where = []query.Condition{{Dimension: "channel", Op: query.OpNotIn, Values: []string{"ch-3", "o'brien"}}, {Dimension: "stream", Op: query.OpIn, Values: []string{"true", query.Missing}}}
	ctx := t.Context()
	cases := []struct {
		name string
		run  func() (query.Meta, error)
	}{
		{"latency_by_model", func() (query.Meta, error) {
			a, err := s.Latency(ctx, query.Latency{Metric: "first_response_ms", Quantiles: []float64{0.5, 0.999}, By: []string{"model"}, Step: time.Minute, Explain: true}, sc)
			return a.Meta, err
		}},
		{"hedge_waits", func() (query.Meta, error) {
			_, m, err := s.Waits(ctx, sc, field(t, "first_text_delta_ms"), []string{"model", "route"}, query.WaitDispatch)
			return m, err
		}},
		{"breakdown_of_a_rate", func() (query.Meta, error) {
			a, err := s.Breakdown(ctx, query.Breakdown{Metric: "tps", By: "stream", Explain: true}, sc)
			return a.Meta, err
		}},
		{"headers", func() (query.Meta, error) {
			_, m, err := s.Waits(ctx, sc, field(t, "time_to_headers_ms"), nil, query.WaitMetric)
			return m, err
		}},
		{"totals", func() (query.Meta, error) {
			_, m, err := s.Waits(ctx, sc, field(t, "total_handler_ms"), []string{"role"}, query.WaitMetric)
			return m, err
		}},
		{"slowest_requests", func() (query.Meta, error) {
			a, err := s.Requests(ctx, query.Requests{Metric: "tps", Sort: "slow", Explain: true}, sc)
			return a.Meta, err
		}},
		{"quality", func() (query.Meta, error) {
			a, err := s.Quality(ctx, query.Quality{Explain: true}, sc)
			return a.Meta, err
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m, err := c.run()
			if err != nil {
				t.Fatal(err)
			}
			var all strings.Builder
			for _, st := range m.SQL {
				all.WriteString("== " + st.Name + "\n" + st.SQL + "\n")
				paste(t, cfg.Database, st.SQL)
			}
			path := filepath.Join("testdata", "sql", c.name+".sql")
			if *update {
				if err := os.WriteFile(path, []byte(all.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if all.String() != string(want) {
				t.Errorf("%s differs; run go test -update and read the difference. got\n%s", path, all.String())
			}
		})
	}
}

// paste runs SET lines and a statement in one session, over HTTP.
func paste(t *testing.T, database, text string) {
	t.Helper()
	for _, one := range strings.Split(text, ";\n") {
		url := shared.HTTPURL() + "/?session_id=" + t.Name() + "&database=" + database
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, strings.ReplaceAll(url, "/Test", "Test"), strings.NewReader(one))
		if err != nil {
			t.Fatal(err)
		}
		req.SetBasicAuth(shared.User(), shared.Password())
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body := make([]byte, 400)
		n, _ := res.Body.Read(body)
		_ = res.Body.Close()
		if res.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s\n%s", res.Status, body[:n], one)
		}
	}
}
