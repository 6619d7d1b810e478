package synth_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"headway/hedge"
	"headway/schema"
)

// TestBacktestOfAMonth walks forward over a quiet generated month, per model
// and pooled: with enough rows the realised ratio is what was predicted.
func TestBacktestOfAMonth(t *testing.T) {
	t.Parallel()
	byModel := map[string][]hedge.Request{}
	each(t, config(21, 120_000, 30*24*time.Hour), func(r *schema.Record) {
		w := schema.FirstTokenWait(r, schema.MetricFirstResponse, false)
		if !w.Counts() {
			return
		}
		request := hedge.Request{Wait: hedge.Wait{Micros: w.Duration.Microseconds(), Censored: w.State == schema.WaitCensored, At: r.CreatedAt}, Input: -1, Output: -1}
		if r.InputTokens.Valid {
			request.Input = r.InputTokens.Value
		}
		if r.OutputTokens.Valid {
			request.Output = r.OutputTokens.Value
		}
		byModel[r.Model] = append(byModel[r.Model], request)
	})
	var keys []hedge.Trace
	for model, rows := range byModel {
		keys = append(keys, hedge.Trace{Name: model, Requests: rows})
	}
	slices.SortFunc(keys, func(a, b hedge.Trace) int { return strings.Compare(a.Name, b.Name) })
	got, err := hedge.BacktestKeys(keys, hedge.Strategy{Rule: hedge.P90()}, hedge.BacktestSettings{From: monday.Add(7 * 24 * time.Hour), Rho: 0.6})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%-24s %8s %10s %22s %8s %18s %18s %16s  %s", "key", "n", "predicted", "realised (95 %)", "p", "P95 after, s", "P99 after, s", "extra input", "verdict")
	for _, b := range append(got.Keys, got.Pooled) {
		t.Logf("%-24s %8d %8.2f %% %6.2f %% (%5.2f–%5.2f) %8.3g %8.2f → %7.2f %8.2f → %7.2f %6.1f → %4.1f %%  %s", b.Name, b.N, 100*b.Predicted.Trigger, 100*b.Realised.Trigger,
			100*b.Low, 100*b.High, b.P, b.Predicted.Independent.P95.Micros/1e6, b.Realised.Independent.P95.Micros/1e6,
			b.Predicted.Independent.P99.Micros/1e6, b.Realised.Independent.P99.Micros/1e6, 100*b.Predicted.Cost.InputShare, 100*b.Realised.Cost.InputShare, b.Verdict)
		if b.Verdict == "" && (b.Realised.Trigger < 0.08 || b.Realised.Trigger > 0.12) {
			t.Errorf("%s: predicted %v, realised %v, and no warning", b.Name, b.Predicted.Trigger, b.Realised.Trigger)
		}
	}
	t.Logf("%d keys, %d insufficient_data, %d unstable", len(got.Keys), got.Insufficient, got.Unstable)
	if p := got.Pooled; got.Insufficient > 0 || p.N < 20_000 || p.Realised.Trigger < 0.09 || p.Realised.Trigger > 0.11 {
		t.Errorf("%d insufficient; pooled %v of %d", got.Insufficient, p.Realised.Trigger, p.N)
	}
}
