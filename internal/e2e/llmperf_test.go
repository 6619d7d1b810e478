package e2e

import (
	"math"
	"testing"
)

const llmperf = "../../testdata/llmperf-leaderboard/individual.csv"

type distribution struct {
	Meta struct {
		N       int64            `json:"n"`
		LeftOut map[string]int64 `json:"left_out"`
		Metric  struct {
			Name string `json:"name"`
		} `json:"metric"`
	} `json:"meta"`
	Quantiles []struct {
		Q         float64  `json:"q"`
		ValueMs   *float64 `json:"value_ms"`
		BelowMinN bool     `json:"below_min_n"`
	} `json:"quantiles"`
	FailureShare *float64 `json:"failure_share"`
}

// TestLLMPerfThroughTheProduct imports the public leaderboard's rows and
// compares the API with the values known for them (type 7, ms).
func TestLLMPerfThroughTheProduct(t *testing.T) {
	t.Parallel()
	p := up(t)
	ok(t, "import", "--source", "llmperf", "--server", p.URL, "--base-time", "2026-11-29T00:00:00Z", llmperf)
	awaitRows(t, p, 2845)
	for _, tc := range []struct {
		provider, model string
		n               int64
		want            map[float64]float64
		below           []float64
	}{
		{"anyscale", "70b", 150, map[float64]float64{0.9: 321.2, 0.95: 362.0, 0.99: 474.5}, []float64{0.99}},
		{"replicate", "70b", 145, map[float64]float64{0.9: 12323.4, 0.95: 24228.1, 0.99: 63626.4}, []float64{0.99}},
	} {
		t.Run(tc.provider+" "+tc.model, func(t *testing.T) {
			var d distribution
			get(t, p, "/api/v1/distribution", params("from", "2026-11-28T00:00:00Z", "to", "2026-12-01T00:00:00Z",
				"provider", tc.provider, "model", tc.model), &d)
			if d.Meta.N != tc.n || d.Meta.Metric.Name != "first_text_delta_ms" {
				t.Errorf("n %d of %s, want %d of first_text_delta_ms", d.Meta.N, d.Meta.Metric.Name, tc.n)
			}
			for _, q := range d.Quantiles {
				if want, ok := tc.want[q.Q]; ok && (q.ValueMs == nil || math.Abs(*q.ValueMs-want) > 0.05) {
					t.Errorf("quantile %v: %v, want %v", q.Q, q.ValueMs, want)
				}
				wantBelow := false
				for _, b := range tc.below {
					wantBelow = wantBelow || b == q.Q
				}
				if q.BelowMinN != wantBelow {
					t.Errorf("quantile %v: below its minimum n is %v, want %v", q.Q, q.BelowMinN, wantBelow)
				}
			}
		})
	}
	t.Run("lepton's refusals are failures", func(t *testing.T) {
		var d distribution
		get(t, p, "/api/v1/distribution", params("from", "2026-11-28T00:00:00Z", "to", "2026-12-01T00:00:00Z", "provider", "lepton", "model", "70b"), &d)
		if d.Meta.N != 20 || d.Meta.LeftOut["failed"] != 130 {
			t.Errorf("n %d, left out %v; want 20 answers and 130 failures", d.Meta.N, d.Meta.LeftOut)
		}
		if d.FailureShare == nil || math.Abs(*d.FailureShare-130.0/150) > 1e-9 {
			t.Errorf("failure share %v, want 130 of 150", d.FailureShare)
		}
		for _, q := range d.Quantiles {
			if q.ValueMs != nil && *q.ValueMs < 1 {
				t.Errorf("quantile %v is %v ms: a refusal counted as a fast answer", q.Q, *q.ValueMs)
			}
		}
	})
}
