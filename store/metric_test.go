package store_test

import (
	"strings"
	"testing"

	"headway/classify"
	"headway/query"
	"headway/schema"
)

// TestDefaultMetric asks without a metric: the sources decide.
func TestDefaultMetric(t *testing.T) {
	t.Parallel()
	from := func(offset int64, source string) classify.Row {
		return row(offset, func(r *schema.Record) { r.Source = source })
	}
	cases := []struct {
		name   string
		rows   []classify.Row
		metric string
		warns  bool
	}{
		{"gateway", []classify.Row{from(1, "headway"), from(2, "headway")}, "first_response_ms", false},
		{"probe", []classify.Row{from(1, "thefastest")}, "first_text_delta_ms", false},
		{"mostly a probe", []classify.Row{from(1, "headway"), from(2, "llmperf"), from(3, "thefastest")}, "first_text_delta_ms", true},
		{"one each", []classify.Row{from(1, "headway"), from(2, "llmperf")}, "first_response_ms", true},
		{"adapter of another version", []classify.Row{from(1, "unheard")}, "first_response_ms", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, _ := migrated(t)
			sc := landed(t, s, c.rows)
			a, err := s.Latency(t.Context(), query.Latency{Quantiles: []float64{0.5}}, sc)
			if err != nil || a.Meta.Metric.Name != c.metric {
				t.Fatalf("metric %+v, %v; want %s", a.Meta.Metric, err, c.metric)
			}
			if warned := strings.Contains(strings.Join(a.Meta.Warnings, " "), "metrics differ"); warned != c.warns {
				t.Errorf("warnings %v", a.Meta.Warnings)
			}
		})
	}
}

// TestEveryMetricRuns asks for each measure of the registry, with and without
// rows, grouped and not.
func TestEveryMetricRuns(t *testing.T) {
	t.Parallel()
	s, _ := migrated(t)
	sc := landed(t, s, []classify.Row{fullRow(1), row(2), row(3, func(r *schema.Record) {
		r.Outcome, r.Timing = schema.OutcomeTimeout, schema.Timing{UpstreamStart: ms(5), UpstreamDone: ms(5000)}
	})})
	reg := schema.NewRegistry()
	for _, name := range reg.Names(schema.KindMeasure) {
		for _, mode := range []query.WaitMode{query.WaitMetric, query.WaitDispatch} {
			waits, m, err := s.Waits(t.Context(), sc, field(t, name), []string{"model"}, mode)
			if mode == query.WaitDispatch && !field(t, name).FirstToken {
				if err == nil {
					t.Errorf("%s was taken for a hedge", name)
				}
				continue
			}
			if err != nil || len(waits) != 1 || m.N != int64(len(waits[0].Micros)) || m.N == 0 && mode == query.WaitMetric && name != "reasoning_tokens" {
				t.Errorf("%s: %+v, %v", name, m, err)
			}
			left := int64(0)
			for _, n := range m.LeftOut {
				left += n
			}
			if m.N+left != 3 {
				t.Errorf("%s: %d rows count and %d are left out; want 3", name, m.N, left)
			}
		}
		if _, err := s.Breakdown(t.Context(), query.Breakdown{Metric: name, By: "channel"}, sc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := s.Requests(t.Context(), query.Requests{Metric: name, Sort: "slow"}, sc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range reg.Names(schema.KindDimension) {
		if _, err := s.Values(t.Context(), query.Values{Field: name}, sc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := s.Values(t.Context(), query.Values{Field: "request_id"}, sc); err == nil {
		t.Error("ids were listed")
	}
}
