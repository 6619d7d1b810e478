package synth_test

import (
	"math"
	"testing"
	"time"

	"headway/classify"
	"headway/schema"
)

const week = 7 * 24 * time.Hour

// TestTimesAddUp checks the order t0 ≤ t1 ≤ … ≤ t7, to the microsecond.
func TestTimesAddUp(t *testing.T) {
	t.Parallel()
	each(t, config(11, 60_000, week), func(r *schema.Record) {
		tm := &r.Timing
		at := tm.Auth.Value + tm.Distribution.Value + tm.BodyRead.Value
		step := func(name string, next schema.Opt[time.Duration]) {
			if !next.Valid {
				return
			}
			if next.Value < at || next.Value%time.Microsecond != 0 {
				t.Fatalf("%s at %s lies before %s, or is no whole microsecond: %+v", name, next.Value, at, r)
			}
			at = next.Value
		}
		step("dispatch", tm.UpstreamStart)
		step("headers", schema.Opt[time.Duration]{Value: at + tm.UpstreamHeaders.Value, Valid: tm.UpstreamHeaders.Valid})
		step("event", tm.FirstSSEEvent)
		step("response", tm.FirstResponse)
		step("text", tm.FirstTextDelta)
		step("done", tm.UpstreamDone)
		step("total", tm.TotalHandler)
		if r.MaxGap.Valid && r.MaxGap.Value > tm.UpstreamDone.Value-tm.FirstSSEEvent.Value {
			t.Fatalf("largest gap %s is longer than the stream: %+v", r.MaxGap.Value, r)
		}
		if gap := tm.FirstResponse.Value - tm.FirstSSEEvent.Value; tm.FirstResponse.Valid && r.MaxGap.Value < gap {
			t.Fatalf("largest gap %s is shorter than the wait %s after the first event", r.MaxGap.Value, gap)
		}
	})
}

// TestMissingStaysMissing checks that no record has what its kind can't have.
func TestMissingStaysMissing(t *testing.T) {
	t.Parallel()
	kinds := map[string]int{}
	each(t, config(12, 60_000, week), func(r *schema.Record) {
		tm := &r.Timing
		switch {
		case !r.Stream.Value:
			kinds["whole body"]++
			if tm.FirstSSEEvent.Valid || tm.FirstResponse.Valid || tm.FirstTextDelta.Valid || r.MaxGap.Valid || r.StreamEvents.Valid || r.TextDeltas.Valid || r.Derived.TPS.Valid {
				t.Fatalf("an answer in one body has a stream's times: %+v", r)
			}
		case r.Outcome == schema.OutcomeCompleted && r.TextDeltas.Value == 0:
			kinds["tools only"]++
			if tm.FirstTextDelta.Valid || r.Derived.TPS.Valid || !tm.FirstResponse.Valid {
				t.Fatalf("a tool-only answer has a text's times: %+v", r)
			}
		case r.Outcome == schema.OutcomeCompleted:
			kinds["text"]++
			if !tm.FirstTextDelta.Valid || !r.OutputTokens.Valid || r.TextDeltas.Value != r.Derived.VisibleTokens.Value && r.ReasoningTokens.Valid {
				t.Fatalf("a text answer lacks its text: %+v", r)
			}
		case r.Outcome == schema.OutcomeTimeout:
			kinds["time-out"]++
			if tm.FirstResponse.Valid {
				t.Fatalf("a call that timed out has a response: %+v", r)
			}
		}
		if r.Outcome != schema.OutcomeCompleted {
			kinds["unfinished"]++
			if r.OutputTokens.Valid || r.GivenTPS.Valid {
				t.Fatalf("%s tells tokens: %+v", r.Outcome, r)
			}
		}
		if r.Attempt > 0 && tm.Auth.Valid {
			t.Fatalf("a later call repeats the local stages: %+v", r)
		}
	})
	for _, k := range []string{"whole body", "tools only", "text", "time-out", "unfinished"} {
		if kinds[k] < 100 {
			t.Errorf("only %d records of kind %q", kinds[k], k)
		}
	}
}

func TestDayAndWeekRhythm(t *testing.T) {
	t.Parallel()
	var hour [24]float64
	var weekday, weekend float64
	each(t, config(13, 100_000, week), func(r *schema.Record) {
		if d := r.CreatedAt.Weekday(); d == time.Saturday || d == time.Sunday {
			weekend++
			return
		}
		weekday++
		hour[r.CreatedAt.Hour()]++
	})
	if ratio := weekend / 2 / (weekday / 5); math.Abs(ratio-0.55) > 0.02 {
		t.Errorf("a weekend's day has %.3f of a weekday's records; want 0.55", ratio)
	}
	// The mean of 1 + 0.6 sin over an hour, by its antiderivative.
	for h := range hour {
		wave := func(x float64) float64 { return x - 0.6*24/(2*math.Pi)*math.Cos(2*math.Pi*(x-9)/24) }
		want := weekday / 24 * (wave(float64(h+1)) - wave(float64(h)))
		if sigma := math.Abs(hour[h]-want) / math.Sqrt(want); sigma > 5 {
			t.Errorf("%02d:00 has %.0f records; want %.0f (%.1f standard deviations off)", h, hour[h], want, sigma)
		}
	}
}

func TestLongPromptsWaitLonger(t *testing.T) {
	t.Parallel()
	sum, n := map[string]float64{}, map[string]float64{}
	total := 0.0
	each(t, config(14, 100_000, week), func(r *schema.Record) {
		band := classify.InputBand(r.InputTokens)
		total++
		n[band]++
		if r.Timing.FirstResponse.Valid {
			sum[band] += math.Log(r.Timing.FirstResponse.Value.Seconds())
		}
	})
	last := 0.0
	for _, band := range classify.InputBands() {
		if n[band]/total < 0.01 {
			t.Errorf("band %s has %.4f of the records; want at least 0.01", band, n[band]/total)
		}
		mean := math.Exp(sum[band] / n[band])
		if mean <= last {
			t.Errorf("band %s waits %.3f s for its first response, no longer than the band before", band, mean)
		}
		last = mean
	}
}

// TestHedges replays every race from its records.
func TestHedges(t *testing.T) {
	t.Parallel()
	races, won := 0, 0
	var primary schema.Record
	each(t, config(15, 100_000, week), func(r *schema.Record) {
		if r.Role != schema.RoleBackup {
			primary = *r
			return
		}
		races++
		if r.RequestID != primary.RequestID || r.Channel == primary.Channel || r.Provider != primary.Provider || r.Route != "core" {
			t.Fatalf("backup %+v does not belong to %+v", r, primary)
		}
		if primary.Timing.UpstreamStart.Valid {
			if d := r.Timing.UpstreamStart.Value - primary.Timing.UpstreamStart.Value - r.HedgeAfter.Value; d.Abs() > time.Microsecond {
				t.Fatalf("the backup left %s off hedge_after", d)
			}
		}
		winner, loser := &primary, r
		if r.Outcome != schema.OutcomeSuperseded {
			winner, loser = r, &primary
		}
		if loser.Outcome != schema.OutcomeSuperseded {
			return // both failed
		}
		if winner == r {
			won++
		}
		if d := loser.Timing.UpstreamDone.Value - winner.Timing.FirstResponse.Value; loser.Timing.FirstResponse.Valid || d.Abs() > 3*time.Microsecond {
			t.Fatalf("the loser ended %s off the winner's response: winner %+v, loser %+v", d, winner, loser)
		}
		if loser.Timing.TotalHandler.Value < winner.Timing.UpstreamDone.Value {
			t.Fatalf("the handler ended before the winner: %+v", loser)
		}
	})
	if races < 100 || won < 20 || won > races-20 {
		t.Errorf("%d races, the backup won %d; want at least 100 races with both sides winning", races, won)
	}
}
