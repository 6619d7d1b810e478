package store_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"headway/classify"
	"headway/query"
	"headway/schema"
	"headway/store"
)

// pick returns one of the choices.
func pick[T any](rng *rand.Rand, choices ...T) T { return choices[rng.IntN(len(choices))] }

// maybe is a time up to 100 ms, often missing.
func maybe(rng *rand.Rand) schema.Opt[time.Duration] {
	if rng.IntN(3) == 0 {
		return schema.Opt[time.Duration]{}
	}
	return schema.Some(time.Duration(rng.IntN(100_000)) * time.Microsecond)
}

// anyRow is a record in which every rule of the states may apply; no validity
// rule of decoding holds.
func anyRow(offset int64, rng *rand.Rand) classify.Row {
	yes, no, unknown := schema.Some(true), schema.Some(false), schema.Opt[bool]{}
	return row(offset, func(r *schema.Record) {
		r.RequestID = fmt.Sprintf("req-%d", rng.IntN(3000)) // several attempts for some
		r.Attempt = uint16(rng.IntN(2))
		r.Role = pick(rng, schema.RolePrimary, schema.RolePrimary, schema.RolePrimary, schema.RoleBackup, schema.RoleRetry)
		r.Stream = pick(rng, yes, yes, yes, yes, yes, no, unknown)
		r.Warmup = pick(rng, unknown, unknown, no, no, no, yes)
		r.CacheHit = pick(rng, unknown, unknown, no, no, no, yes)
		r.Outcome = pick(rng, "", schema.OutcomeCompleted, schema.OutcomeClientCancelled, schema.OutcomeUpstreamClosed, schema.OutcomeTimeout,
			schema.OutcomeError, schema.OutcomeRateLimited, schema.OutcomeSuperseded)
		r.Status = pick(rng, schema.Opt[int32]{}, schema.Some[int32](200), schema.Some[int32](429))
		r.Timing = schema.Timing{UpstreamStart: maybe(rng), Auth: maybe(rng), Distribution: maybe(rng), BodyRead: maybe(rng), UpstreamHeaders: maybe(rng),
			FirstSSEEvent: maybe(rng), FirstResponse: maybe(rng), FirstTextDelta: maybe(rng), UpstreamDone: maybe(rng), TotalHandler: maybe(rng)}
		if rng.IntN(2) == 0 {
			r.Timing.FirstResponse, r.Timing.FirstTextDelta = schema.Opt[time.Duration]{}, schema.Opt[time.Duration]{}
		}
		for _, f := range []string{schema.FlagDuplicate, schema.FlagBufferedUpstream, schema.FlagZeroTiming, schema.FlagMultiAttempt,
			"bad_value:first_response_ms", "order:first_text_delta_ms", "bad_value:auth_ms"} {
			if rng.IntN(15) == 0 {
				r.AddFlag(f)
			}
		}
	})
}

// TestStatesEqualSchema compares the SQL of "which rows" with
// schema.FirstTokenWait, per row, over random records.
func TestStatesEqualSchema(t *testing.T) {
	t.Parallel()
	s, _ := migrated(t)
	rng := rand.New(rand.NewPCG(3, 4))
	all := make([]classify.Row, 6000)
	attempts := map[string]map[string]bool{}
	for i := range all {
		all[i] = anyRow(int64(i), rng)
		r := &all[i].Record
		if attempts[r.RequestID] == nil {
			attempts[r.RequestID] = map[string]bool{}
		}
		attempts[r.RequestID][fmt.Sprint(r.Attempt, r.Role)] = true
	}
	if err := s.Land(t.Context(), rangeOf(all), store.BlockOf(all), nil, false); err != nil {
		t.Fatal(err)
	}
	sc := query.Scope{Window: query.Window{From: base, To: base.Add(time.Hour)}}
	for _, metric := range []schema.Metric{schema.MetricFirstResponse, schema.MetricFirstText} {
		t.Run(string(metric), func(t *testing.T) {
			want, leftOut := expected(all, metric, attempts)
			field, _ := schema.NewRegistry().Lookup(string(metric))
			got, meta, err := s.Waits(t.Context(), sc, field, nil, query.WaitDispatch)
			if err != nil {
				t.Fatal(err)
			}
			w := got[0]
			if len(w.Micros) != len(want) || len(want) < 200 {
				t.Fatalf("%d waits, want %d", len(w.Micros), len(want))
			}
			for i := range want {
				if g := (wait{w.At[i], w.Micros[i], w.Censored[i]}); g != want[i] {
					t.Fatalf("wait %d: %v, want %v", i, g, want[i])
				}
			}
			if fmt.Sprint(w.LeftOut) != fmt.Sprint(leftOut) || fmt.Sprint(meta.LeftOut) != fmt.Sprint(leftOut) {
				t.Errorf("left out %v, want %v", w.LeftOut, leftOut)
			}
			if w.Failures != leftOut["failed"] || meta.N != int64(len(want)) || meta.Clock != "mixed" || meta.RowsRead < 6000 {
				t.Errorf("failures %d, meta %+v", w.Failures, meta)
			}
		})
	}
}

type wait struct {
	at       time.Time
	micros   int64
	censored bool
}

func expected(all []classify.Row, metric schema.Metric, attempts map[string]map[string]bool) (waits []wait, leftOut map[string]int64) {
	leftOut = map[string]int64{}
	for i := range all {
		r := &all[i].Record
		w := schema.FirstTokenWait(r, metric, len(attempts[r.RequestID]) == 1)
		if !w.Counts() {
			leftOut[string(w.State)]++
			continue
		}
		waits = append(waits, wait{r.CreatedAt, w.Duration.Microseconds(), w.State == schema.WaitCensored})
	}
	return waits, leftOut
}
