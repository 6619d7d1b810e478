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

// unfinished ends a record without token by an outcome, after a time.
func unfinished(r *schema.Record, o schema.Outcome, done schema.Opt[time.Duration]) {
	r.Outcome, r.Status = o, schema.Opt[int32]{}
	r.Timing = schema.Timing{UpstreamStart: ms(5), UpstreamDone: done}
}

// sortedAs is what a record is sorted by in a list of the slowest: its first
// response or, without one, the time of its end.
func sortedAs(r *schema.Record) time.Duration {
	if r.Timing.FirstResponse.Valid {
		return r.Timing.FirstResponse.Value
	}
	return r.Timing.UpstreamDone.Value
}

func TestRequestPages(t *testing.T) {
	t.Parallel()
	s, _ := migrated(t)
	all := rows(100, 0, rand.New(rand.NewPCG(1, 1)))
	for i := range all {
		r := &all[i].Record
		r.CreatedAt = base.Add(time.Duration(i/7) * time.Second) // many share a time
		switch i % 10 {
		case 2:
			unfinished(r, schema.OutcomeTimeout, ms(float64(300+i)))
			r.Role = schema.RoleBackup
		case 3:
			r.AddFlag(schema.FlagDuplicate)
		case 4:
			r.Timing.FirstResponse = schema.Opt[time.Duration]{}
		case 5:
			r.Timing.FirstResponse = ms(777) // many share a value
		case 6:
			unfinished(r, schema.OutcomeTimeout, ms(777)) // and this bound
		case 7:
			unfinished(r, schema.OutcomeClientCancelled, schema.Opt[time.Duration]{})
		case 8:
			unfinished(r, schema.OutcomeError, ms(60_000))
		}
	}
	sc := landed(t, s, all)
	for _, c := range []struct {
		sort    string
		want    int
		atLeast int
		leftOut map[string]int64
		less    func(a, b *schema.Record) bool
	}{
		{"time", 90, 0, map[string]int64{"duplicate": 10}, func(a, b *schema.Record) bool { return a.CreatedAt.Before(b.CreatedAt) }},
		{"slow", 60, 20, map[string]int64{"duplicate": 10, "not_applicable": 10, "no_elapsed": 10, "failed": 10},
			func(a, b *schema.Record) bool { return sortedAs(a) < sortedAs(b) }},
	} {
		t.Run(c.sort, func(t *testing.T) {
			q := query.Requests{Sort: c.sort, Limit: 7}
			seen, atLeast := map[int64]bool{}, 0
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
					if d := a.Attempts[i].AtLeast; d != nil {
						if atLeast++; r.Timing.FirstResponse.Valid || *d != r.Timing.UpstreamDone.Value {
							t.Errorf("offset %d: at least %v", r.Origin.Offset, *d)
						}
					}
				}
				if a.Meta.N != int64(c.want) || a.Meta.Censored != int64(c.atLeast) || !reflect.DeepEqual(a.Meta.LeftOut, c.leftOut) {
					t.Fatalf("meta %+v, want %d rows, %d unfinished, left out %v", a.Meta, c.want, c.atLeast, c.leftOut)
				}
				if q.Page = a.Next; q.Page == "" {
					break
				}
			}
			if len(seen) != c.want || atLeast != c.atLeast {
				t.Errorf("%d attempts over all pages, %d without a token; want %d and %d", len(seen), atLeast, c.want, c.atLeast)
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

// TestAttemptsInOrder has all attempts of a request made at the same time, as
// gateways write the request's time into each, and stored the wrong way round.
func TestAttemptsInOrder(t *testing.T) {
	t.Parallel()
	s, _ := migrated(t)
	attempt := func(offset int64, role schema.Role, number uint16) classify.Row {
		return row(offset, func(r *schema.Record) {
			r.RequestID, r.Role, r.Attempt, r.CreatedAt = "one", role, number, base
		})
	}
	landed(t, s, []classify.Row{attempt(0, schema.RoleRetry, 2), attempt(1, schema.RoleBackup, 0), attempt(2, schema.RoleRetry, 1), attempt(3, schema.RolePrimary, 0)})
	a, err := s.Request(t.Context(), "one", false)
	if err != nil {
		t.Fatal(err)
	}
	var got []int64
	for _, at := range a.Attempts {
		got = append(got, at.Record.Origin.Offset)
	}
	if want := []int64{3, 1, 2, 0}; !slices.Equal(got, want) {
		t.Errorf("offsets in order %v, want %v: primary, backup, retries", got, want)
	}
}
