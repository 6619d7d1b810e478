package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"headway/classify"
	"headway/query"
	"headway/schema"
)

type optTime = schema.Opt[time.Duration]

// first is the first time that is there.
func first(times ...optTime) optTime {
	for _, t := range times {
		if t.Valid {
			return t
		}
	}
	return optTime{}
}

// minus is a − b where both are there.
func minus(a, b optTime) optTime {
	if !a.Valid || !b.Valid {
		return optTime{}
	}
	return schema.Some(a.Value - b.Value)
}

func oneOf(o schema.Outcome, of ...schema.Outcome) bool {
	for _, x := range of {
		if o == x {
			return true
		}
	}
	return false
}

func failedWithoutValue(r *schema.Record) bool {
	return oneOf(r.Outcome, schema.OutcomeError, schema.OutcomeRateLimited, schema.OutcomeUpstreamClosed) || r.Outcome == "" && r.Status.Value >= 400
}

// endRule is what the ends of attempts and requests count as, from the words
// of the rules; single says that the request had no other attempt.
func endRule(r *schema.Record, metric string, single bool) (state string, at optTime) {
	done, total := r.Timing.UpstreamDone, r.Timing.TotalHandler
	own, lone := done, optTime{}
	if single {
		lone = total
	}
	end := first(done, lone)
	if metric == "total_handler_ms" {
		own = total
		if r.Outcome != schema.OutcomeSuperseded {
			end = first(total, done)
		}
	}
	switch {
	case r.Flagged("duplicate"):
		return "duplicate", optTime{}
	case r.Warmup.Value:
		return "warmup", optTime{}
	case r.Role != schema.RolePrimary:
		return "not_primary", optTime{}
	case r.Flagged("zero_timing"):
		return "zero_timing", optTime{}
	case r.Flagged("multi_attempt") && metric == "upstream_done_ms":
		return "multi_attempt", optTime{}
	case failedWithoutValue(r):
		return "failed", optTime{}
	case r.Outcome == "" && !r.Status.Valid:
		return "outcome_unknown", optTime{}
	case oneOf(r.Outcome, schema.OutcomeTimeout, schema.OutcomeClientCancelled, schema.OutcomeSuperseded) && !end.Valid:
		return "no_elapsed", optTime{}
	case oneOf(r.Outcome, schema.OutcomeTimeout, schema.OutcomeClientCancelled, schema.OutcomeSuperseded):
		return "censored", end
	case own.Valid:
		return "observed", own
	case r.Flagged("bad_value:"+metric) || r.Flagged("order:"+metric):
		return "bad_value", optTime{}
	}
	return "not_recorded", optTime{}
}

// signalRule is the same for first signs of life.
func signalRule(r *schema.Record, metric string, single bool) (state string, at optTime) {
	headers, dispatch := r.Timing.UpstreamHeaders, r.Derived.Dispatch
	value, start, field, client := headers, dispatch, "upstream_headers_ms", true
	seen := r.Timing.FirstSSEEvent.Valid
	whole := metric != "upstream_headers_ms" // it counts from the request's start
	switch metric {
	case "time_to_headers_ms":
		value, start = optTime{}, schema.Some(time.Duration(0))
		if headers.Valid && dispatch.Valid {
			value = schema.Some(headers.Value + dispatch.Value)
		}
	case "first_sse_event_ms":
		value, start, field, client, seen = r.Timing.FirstSSEEvent, schema.Some(time.Duration(0)), metric, false, false
	}
	stream := metric == "first_sse_event_ms"
	end := r.Timing.UpstreamDone
	if single {
		end = first(end, r.Timing.TotalHandler)
	}
	elapsed := minus(end, start)
	switch {
	case r.Flagged("duplicate"):
		return "duplicate", optTime{}
	case r.Warmup.Value:
		return "warmup", optTime{}
	case whole && r.Role != schema.RolePrimary:
		return "not_primary", optTime{}
	case stream && !r.Stream.Valid:
		return "stream_unknown", optTime{}
	case stream && !r.Stream.Value:
		return "not_stream", optTime{}
	case r.CacheHit.Value:
		return "from_cache", optTime{}
	case stream && r.Flagged("buffered_upstream"):
		return "buffered_upstream", optTime{}
	case r.Flagged("zero_timing"):
		return "zero_timing", optTime{}
	case whole && r.Flagged("multi_attempt"):
		return "multi_attempt", optTime{}
	case value.Valid:
		return "observed", value
	case r.Flagged("bad_value:"+field) || r.Flagged("order:"+field):
		return "bad_value", optTime{}
	case r.Outcome == schema.OutcomeCompleted:
		return "not_recorded", optTime{}
	case failedWithoutValue(r):
		return "failed", optTime{}
	case r.Outcome == "":
		return "outcome_unknown", optTime{}
	case r.Timing.FirstResponse.Valid || r.Timing.FirstTextDelta.Valid || r.StreamEvents.Value > 0 || seen || client && r.StartPoint == schema.StartClient:
		return "not_recorded", optTime{}
	case !elapsed.Valid:
		return "no_elapsed", optTime{}
	case elapsed.Value < 0:
		return "bad_value", optTime{}
	}
	return "censored", elapsed
}

// TestEndsAndSignalsEqualRules compares the SQL of ends and first signs of
// life with rules in Go, per row, over random records.
func TestEndsAndSignalsEqualRules(t *testing.T) {
	t.Parallel()
	s, _ := migrated(t)
	rng := rand.New(rand.NewPCG(7, 8))
	all := make([]classify.Row, 6000)
	attempts := map[string]map[string]bool{}
	for i := range all {
		all[i] = anyRow(int64(i), rng)
		r := &all[i].Record
		for _, f := range []string{"bad_value:upstream_done_ms", "order:total_handler_ms", "bad_value:upstream_headers_ms", "order:first_sse_event_ms"} {
			if rng.IntN(15) == 0 {
				r.AddFlag(f)
			}
		}
		r.StartPoint = pick(rng, schema.StartHandler, schema.StartHandler, schema.StartClient)
		if attempts[r.RequestID] == nil {
			attempts[r.RequestID] = map[string]bool{}
		}
		attempts[r.RequestID][fmt.Sprint(r.Attempt, r.Role)] = true
	}
	sc := landed(t, s, all)
	rules := map[string]func(*schema.Record, string, bool) (string, optTime){
		"upstream_done_ms": endRule, "total_handler_ms": endRule,
		"upstream_headers_ms": signalRule, "time_to_headers_ms": signalRule, "first_sse_event_ms": signalRule,
	}
	for metric, rule := range rules {
		t.Run(metric, func(t *testing.T) {
			var want []wait
			leftOut := map[string]int64{}
			for i := range all {
				r := &all[i].Record
				state, at := rule(r, metric, len(attempts[r.RequestID]) == 1)
				if state != "observed" && state != "censored" {
					leftOut[state]++
					continue
				}
				want = append(want, wait{r.CreatedAt, at.Value.Microseconds(), state == "censored"})
			}
			got, _, err := s.Waits(t.Context(), sc, field(t, metric), nil, query.WaitMetric)
			if err != nil {
				t.Fatal(err)
			}
			w := got[0]
			if fmt.Sprint(w.LeftOut) != fmt.Sprint(leftOut) || leftOut["no_elapsed"] == 0 {
				t.Errorf("left out %v, want %v", w.LeftOut, leftOut)
			}
			if len(w.Micros) != len(want) || len(want) < 200 {
				t.Fatalf("%d values, want %d", len(w.Micros), len(want))
			}
			for i := range want {
				if g := (wait{w.At[i], w.Micros[i], w.Censored[i]}); g != want[i] {
					t.Fatalf("value %d: %v, want %v", i, g, want[i])
				}
			}
		})
	}
}

// TestValuesStayNullable asks the server for the types of every measure's
// rows: whatever comes from a column that may be missing may be missing too.
func TestValuesStayNullable(t *testing.T) {
	t.Parallel()
	s, cfg := migrated(t)
	conn := admin(t, cfg)
	for _, name := range schema.NewRegistry().Names(schema.KindMeasure) {
		f := field(t, name)
		_, m, err := s.Waits(t.Context(), hour(), f, nil, query.WaitMetric)
		if err != nil {
			t.Fatal(err)
		}
		statement := m.SQL[0].SQL[strings.Index(m.SQL[0].SQL, "FROM\n(")+len("FROM\n(") : strings.LastIndex(m.SQL[0].SQL, ")\nWHERE state IN")]
		ctx := clickhouse.Context(context.Background(), clickhouse.WithParameters(clickhouse.Parameters(m.SQL[0].Params)))
		rows, err := conn.Query(ctx, "DESCRIBE TABLE ("+statement+")")
		if err != nil {
			t.Fatal(err)
		}
		checked := 0
		for rows.Next() {
			var column, kind, rest string
			if err := rows.Scan(&column, &kind, &rest, &rest, &rest, &rest, &rest); err != nil {
				t.Fatal(err)
			}
			switch column {
			case "value", "metric_at", "handler_at", "done_at", "end_at", "elapsed":
				if checked++; !strings.HasPrefix(kind, "Nullable(") {
					t.Errorf("%s: %s is %s, so that missing becomes 0", name, column, kind)
				}
			}
		}
		if err := rows.Err(); err != nil || checked < 2 {
			t.Errorf("%s: %d columns checked, %v", name, checked, err)
		}
	}
}
