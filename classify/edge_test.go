package classify_test

import (
	"slices"
	"testing"
	"time"

	"headway/classify"
	"headway/schema"
)

// labelsOf classifies the healthy record after a change.
func labelsOf(t *testing.T, change func(*schema.Record)) classify.Verdict {
	t.Helper()
	r := healthy()
	change(r)
	return classifier(t).Classify(derived(r))
}

// TestThresholdEdges puts each time one microsecond below its threshold, on
// it, and checks that only the second fires, and only the label meant.
func TestThresholdEdges(t *testing.T) {
	t.Parallel()
	type edge struct {
		label classify.Label
		at    float64 // threshold in ms
		set   func(*schema.Record, float64)
	}
	// late moves all later milestones, so that only one stage grows.
	late := func(r *schema.Record, d float64, from int) {
		t := &r.Timing
		for i, o := range []*schema.Opt[time.Duration]{&t.FirstSSEEvent, &t.FirstResponse, &t.FirstTextDelta, &t.UpstreamDone, &t.TotalHandler} {
			if i >= from {
				o.Value += ms(d).Value
			}
		}
	}
	edges := []edge{
		{classify.UpstreamHeadersSlow, 3000, func(r *schema.Record, v float64) { late(r, v-240, 0); r.Timing.UpstreamHeaders = ms(v) }},
		{classify.EffectiveOutputSlow, 5000, func(r *schema.Record, v float64) { late(r, v+5.1+240-420, 0) }},
		{classify.MetadataOnlyStart, 3000, func(r *schema.Record, v float64) { late(r, v-110, 1) }},
		{classify.VisibleTextLate, 3000, func(r *schema.Record, v float64) { late(r, v-10, 2) }},
		{classify.StreamStalled, 10000, func(r *schema.Record, v float64) { late(r, v, 3); r.MaxGap = ms(v) }},
		{classify.AuthSlow, 500, func(r *schema.Record, v float64) { r.Timing.Auth = ms(v) }},
		{classify.DistributionSlow, 500, func(r *schema.Record, v float64) { r.Timing.Distribution = ms(v) }},
		{classify.BodyReadSlow, 3000, func(r *schema.Record, v float64) { r.Timing.BodyRead = ms(v) }},
		{classify.HandlerTailSlow, 1000, func(r *schema.Record, v float64) { late(r, v-10, 4) }},
	}
	for _, e := range edges {
		t.Run(string(e.label), func(t *testing.T) {
			t.Parallel()
			below := labelsOf(t, func(r *schema.Record) { e.set(r, e.at-0.001) })
			if len(below.Labels) != 0 || below.Primary != classify.Healthy {
				t.Errorf("one microsecond below: %v, primary %s; want healthy", below.Labels, below.Primary)
			}
			on := labelsOf(t, func(r *schema.Record) { e.set(r, e.at) })
			if !slices.Equal(on.Labels, []classify.Label{e.label}) {
				t.Fatalf("on the threshold: %v; want %s alone", on.Labels, e.label)
			}
			ev := on.Evidence[0]
			if ev.Value != e.at || ev.Threshold != e.at || ev.Estimated || ev.Censored || ev.LookAt == "" || ev.NextCheck == "" || ev.Caveat == "" {
				t.Errorf("evidence %+v; want value and threshold %v with advice", ev, e.at)
			}
		})
	}
}

func TestGenerationEdges(t *testing.T) {
	t.Parallel()
	set := func(tps, windowMs float64, tokens int64) func(*schema.Record) {
		return func(r *schema.Record) {
			r.GivenTPS, r.OutputTokens = schema.Some(tps), schema.Some(tokens)
			r.Timing.UpstreamDone = ms(430 + windowMs)
			r.Timing.TotalHandler = ms(440 + windowMs)
		}
	}
	cases := []struct {
		name   string
		change func(*schema.Record)
		fires  bool
	}{
		{"all on the edge", set(15, 2000, 50), true},
		{"rate just above", set(15.0001, 2000, 50), false},
		{"one token short", set(15, 2000, 49), false},
		{"window a microsecond short", set(15, 1999.999, 50), false},
		{"no tokens, estimate reaches 50", func(r *schema.Record) {
			set(10, 5000, 0)(r)
			r.OutputTokens = schema.Opt[int64]{}
		}, true},
		{"no tokens, estimate is 49.9", func(r *schema.Record) {
			set(10, 4990, 0)(r)
			r.OutputTokens = schema.Opt[int64]{}
		}, false},
		{"no first text", func(r *schema.Record) { set(9, 9000, 90)(r); r.Timing.FirstTextDelta = schema.Opt[time.Duration]{} }, false},
		{"superseded without its own end", func(r *schema.Record) {
			set(9, 9000, 90)(r)
			r.Outcome, r.Timing.UpstreamDone = schema.OutcomeSuperseded, schema.Opt[time.Duration]{}
		}, false},
		{"given rate of an answer in one piece", func(r *schema.Record) {
			set(9, 9000, 90)(r)
			r.AddFlag(schema.FlagBufferedUpstream)
		}, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			v := labelsOf(t, c.change)
			if got := slices.Contains(v.Labels, classify.GenerationSlowTPS); got != c.fires {
				t.Errorf("labels %v; want generation_slow_tps %v", v.Labels, c.fires)
			}
		})
	}
}

func TestEstimatesAreMarked(t *testing.T) {
	t.Parallel()
	v := labelsOf(t, func(r *schema.Record) {
		r.GivenTPS, r.ReasoningTokens = schema.Opt[float64]{}, schema.Opt[int64]{}
		r.Timing.UpstreamDone, r.Timing.TotalHandler = ms(430+23000), ms(440+23000)
	})
	if len(v.Evidence) != 3 || !v.Evidence[0].Estimated || v.Evidence[1].Estimated || !v.Evidence[2].Estimated {
		t.Errorf("evidence %+v; want rate and tokens marked as estimates, since reasoning tokens are unknown, the window not", v.Evidence)
	}
	v = labelsOf(t, func(r *schema.Record) {
		r.Timing.UpstreamStart = schema.Opt[time.Duration]{}
		r.Timing.FirstSSEEvent, r.Timing.FirstResponse, r.Timing.FirstTextDelta = ms(6000), ms(6100), ms(6110)
	})
	if len(v.Evidence) != 1 || v.Evidence[0].Field != "headers_to_response_ms" || !v.Evidence[0].Estimated {
		t.Errorf("evidence %+v; want one estimate, since dispatch is one", v.Evidence)
	}
}
