package store_test

import (
	"math/rand/v2"
	"testing"

	"headway/classify"
	"headway/query"
	"headway/schema"
)

// fates counts failed requests and those of which it is known, by the words
// of the definition.
func fates(all []classify.Row, take func(*schema.Record) bool) (failed, known int64) {
	for i := range all {
		r := &all[i].Record
		if r.Flagged(schema.FlagDuplicate) || r.Warmup.Value || !take(r) || r.Outcome == "" && !r.Status.Valid {
			continue
		}
		known++
		switch r.Outcome {
		case schema.OutcomeError, schema.OutcomeRateLimited, schema.OutcomeUpstreamClosed, schema.OutcomeTimeout:
			failed++
		case "":
			if r.Status.Value >= 400 {
				failed++
			}
		}
	}
	return failed, known
}

// TestFailuresAreOneNumber has every answer count the same failures, whatever
// its metric.
func TestFailuresAreOneNumber(t *testing.T) {
	t.Parallel()
	s, _ := migrated(t)
	rng := rand.New(rand.NewPCG(9, 9))
	all := make([]classify.Row, 4000)
	for i := range all {
		all[i] = anyRow(int64(i), rng)
		all[i].Record.Channel = pick(rng, "a", "b", "c")
	}
	sc := landed(t, s, all)
	backups := sc
	backups.Where = []query.Condition{{Dimension: "role", Op: query.OpIn, Values: []string{"backup"}}}
	for _, c := range []struct {
		name string
		sc   query.Scope
		role schema.Role
	}{{"primaries", sc, schema.RolePrimary}, {"backups", backups, schema.RoleBackup}} {
		failed, known := fates(all, func(r *schema.Record) bool { return r.Role == c.role })
		if failed == 0 || failed == known {
			t.Fatalf("%d of %d failed: the test shows nothing", failed, known)
		}
		h, err := s.Headline(t.Context(), query.Headline{}, c.sc)
		if err != nil || h.FailureShare == nil || !near(*h.FailureShare, float64(failed)/float64(known)) {
			t.Errorf("%s: headline %v, %v; want %d of %d", c.name, h.FailureShare, err, failed, known)
		}
		for _, metric := range []string{"first_response_ms", "upstream_headers_ms", "total_handler_ms", "tps"} {
			same := func(what string, f, k int64) {
				t.Helper()
				if f != failed || k != known {
					t.Errorf("%s, %s of %s: %d of %d failed, want %d of %d", c.name, what, metric, f, k, failed, known)
				}
			}
			w, _, err := s.Waits(t.Context(), c.sc, field(t, metric), nil, query.WaitMetric)
			if err != nil {
				t.Fatal(err)
			}
			same("waits", w[0].Failed, w[0].FateKnown)
			if w[0].Failures != w[0].LeftOut["failed"] {
				t.Errorf("%s: %d failures beside the waits, %d left out", metric, w[0].Failures, w[0].LeftOut["failed"])
			}
			l, err := s.Latency(t.Context(), query.Latency{Metric: metric, Quantiles: []float64{0.5}}, c.sc)
			if err != nil {
				t.Fatal(err)
			}
			var f, k int64
			for _, p := range l.Series[0].Points {
				f, k = f+p.Failures, k+p.FateKnown
			}
			same("latency", f, k)
			b, err := s.Breakdown(t.Context(), query.Breakdown{Metric: metric, By: "channel"}, c.sc)
			if err != nil {
				t.Fatal(err)
			}
			f, k = 0, 0
			for _, g := range b.Groups {
				f, k = f+g.Failures, k+g.FateKnown
			}
			same("breakdown", f, k)
		}
	}
}
