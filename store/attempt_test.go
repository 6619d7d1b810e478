package store_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"headway/classify"
	"headway/query"
	"headway/schema"
)

// fullRow has every field of a record filled.
func fullRow(offset int64) classify.Row {
	r := row(offset, func(r *schema.Record) {
		r.TraceID, r.ClientRegion, r.ReasoningEffort, r.ErrorClass = "trace-1", "eu", "low", "slow_down"
		r.Attempt, r.HasTools, r.Warmup, r.CacheHit = 3, schema.Some(true), schema.Some(false), schema.Some(false)
		r.MaxOutputTokens, r.CachedTokens, r.StreamEvents, r.TextDeltas = schema.Some[int64](1024), schema.Some[int64](7), schema.Some[int64](241), schema.Some[int64](230)
		r.ChannelInflight, r.Temperature, r.TopP = schema.Some[int64](12), schema.Some(0.2), schema.Some(1.0)
		r.MaxGap, r.HedgeAfter, r.GivenTPS = ms(310.123), ms(1500), schema.Some(24.5)
		r.AddFlag("bad_value:auth_ms")
		r.AddFlag(schema.FlagTimeShifted)
	})
	r.Verdict.Labels, r.Verdict.Primary = []classify.Label{classify.VisibleTextLate, classify.StreamStalled}, classify.VisibleTextLate
	r.Verdict.Evidence = []classify.Evidence{
		{Label: classify.VisibleTextLate, Field: "response_to_text_ms", Value: 5800.5, Threshold: 3000, Censored: true},
		{Label: classify.StreamStalled, Field: "max_gap_ms", Value: 10500, Threshold: 10000, Estimated: true}}
	return r
}

func TestAttemptRoundTrip(t *testing.T) {
	t.Parallel()
	s, _ := migrated(t)
	bare := row(2, func(r *schema.Record) {
		*r = schema.Record{Origin: r.Origin, Source: "thefastest", StartPoint: schema.StartClient, Precision: time.Millisecond,
			RequestID: "bare", Role: schema.RolePrimary, CreatedAt: r.CreatedAt, Model: "m"}
	})
	bare.Verdict = classify.Verdict{Primary: classify.Unknown}
	capped := row(3, func(r *schema.Record) { r.GivenTPS = schema.Some(900.0); r.AddFlag(schema.FlagTPSCapped) })
	all := []classify.Row{fullRow(1), bare, capped}
	sc := landed(t, s, all)
	a, err := s.Requests(t.Context(), query.Requests{Sort: "time"}, sc)
	if err != nil || len(a.Attempts) != 3 {
		t.Fatalf("%d attempts, %v", len(a.Attempts), err)
	}
	slices.Reverse(a.Attempts)
	for i, want := range all {
		got := a.Attempts[i]
		if !reflect.DeepEqual(got.Record, want.Record) {
			t.Errorf("record\n got %+v\nwant %+v", got.Record, want.Record)
		}
		if got.PrimaryLabel != string(want.Verdict.Primary) || got.Stage != string(want.Verdict.Stage) || got.RulesVersion != want.Verdict.RulesVersion ||
			len(got.Labels) != len(want.Verdict.Labels) || got.InputBand != classify.InputBand(want.Record.InputTokens) || got.InsertedAt.IsZero() {
			t.Errorf("verdict %+v, want %+v", got, want.Verdict)
		}
		for k, e := range want.Verdict.Evidence {
			if g := got.Evidence[k]; g != (query.Evidence{Label: string(e.Label), Field: e.Field, Value: e.Value, Threshold: e.Threshold, Censored: e.Censored, Estimated: e.Estimated}) {
				t.Errorf("evidence %+v, want %+v", g, e)
			}
		}
	}
}

func TestRequestPages(t *testing.T) {
	t.Parallel()
	s, _ := migrated(t)
	all := rows(100, 0, rand.New(rand.NewPCG(1, 1)))
	for i := range all {
		all[i].Record.CreatedAt = base.Add(time.Duration(i/7) * time.Second) // many share a time
		switch {
		case i%10 == 3:
			all[i].Record.AddFlag(schema.FlagDuplicate)
		case i%10 == 4:
			all[i].Record.Timing.FirstResponse = schema.Opt[time.Duration]{}
		case i%10 == 5:
			all[i].Record.Timing.FirstResponse = ms(777) // many share a value
		}
	}
	sc := landed(t, s, all)
	for _, c := range []struct {
		sort string
		want int
		less func(a, b *schema.Record) bool
	}{
		{"time", 90, func(a, b *schema.Record) bool { return a.CreatedAt.Before(b.CreatedAt) }},
		{"slow", 80, func(a, b *schema.Record) bool { return a.Timing.FirstResponse.Value < b.Timing.FirstResponse.Value }},
	} {
		t.Run(c.sort, func(t *testing.T) {
			q := query.Requests{Sort: c.sort, Limit: 7}
			seen := map[int64]bool{}
			var last *schema.Record
			for {
				a, err := s.Requests(t.Context(), q, sc)
				if err != nil {
					t.Fatal(err)
				}
				for i := range a.Attempts {
					r := &a.Attempts[i].Record
					if seen[r.Origin.Offset] || last != nil && c.less(last, r) {
						t.Fatalf("offset %d comes twice or out of order", r.Origin.Offset)
					}
					seen[r.Origin.Offset], last = true, r
				}
				if a.Meta.N != 90 || a.Meta.LeftOut["duplicate"] != 10 {
					t.Fatalf("meta %+v", a.Meta)
				}
				if q.Page = a.Next; q.Page == "" {
					break
				}
			}
			if len(seen) != c.want {
				t.Errorf("%d attempts over all pages, want %d", len(seen), c.want)
			}
		})
	}
	for _, token := range []string{"%%%", "bm90IGpzb24"} {
		if _, err := s.Requests(t.Context(), query.Requests{Page: token}, sc); err == nil {
			t.Errorf("token %q was taken", token)
		}
	}
}

func TestRequestInItsCohort(t *testing.T) {
	t.Parallel()
	s, _ := migrated(t)
	// The fixture of hedge.md: 1 2 3* 4 5* 6 7 8 9 10 (* censored), and rows of other cohorts.
	var all []classify.Row
	for i := range 10 {
		all = append(all, row(int64(i), func(r *schema.Record) {
			r.RequestID = "id-" + string(rune('a'+i))
			r.Timing = schema.Timing{FirstResponse: ms(float64(i + 1))}
			if i == 2 || i == 4 {
				r.Outcome, r.Timing = schema.OutcomeTimeout, schema.Timing{UpstreamDone: ms(float64(i + 1))}
			}
		}))
	}
	for i := range 5 {
		all = append(all, row(int64(10+i), func(r *schema.Record) { r.Model = "other" }))
	}
	backup := row(15, func(r *schema.Record) { r.RequestID, r.Role, r.Attempt = "id-g", schema.RoleBackup, 1 })
	landed(t, s, append(all, backup))
	for _, c := range []struct {
		id       string
		attempts int
		share    float64 // 1 − Π (1 − d/n), by hand; −1 where there is none
	}{
		{"id-a", 1, 0.1}, {"id-b", 1, 0.2}, {"id-c", 1, -1},
		{"id-d", 1, 1 - 0.8*6/7}, {"id-g", 2, 1 - 0.8*6/7*4/5*3/4}, {"id-j", 1, 1},
	} {
		a, err := s.Request(t.Context(), c.id, true)
		if err != nil || len(a.Attempts) != c.attempts || a.CohortN != 10 {
			t.Fatalf("%s: %d attempts, cohort %d, %v", c.id, len(a.Attempts), a.CohortN, err)
		}
		if (a.Percentile == nil) != (c.share < 0) || a.Percentile != nil && !near(*a.Percentile, c.share) {
			t.Errorf("%s: percentile %v, want %v", c.id, a.Percentile, c.share)
		}
		if a.Meta.Metric.Name != "first_response_ms" || len(a.Meta.SQL) != 2 {
			t.Errorf("%s: meta %+v", c.id, a.Meta)
		}
	}
	if a, err := s.Request(t.Context(), "nobody", false); err != nil || a.Attempts != nil || a.Percentile != nil {
		t.Errorf("unknown id: %+v, %v", a, err)
	}
}
