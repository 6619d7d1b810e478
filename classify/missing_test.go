package classify_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"headway/classify"
	"headway/schema"
)

func TestWhatWasNotMeasured(t *testing.T) {
	t.Parallel()
	type opt = schema.Opt[time.Duration]
	wholeBody := func(r *schema.Record) {
		r.Stream, r.MaxGap, r.GivenTPS, r.StreamEvents, r.TextDeltas = schema.Some(false), opt{}, schema.Opt[float64]{}, schema.Opt[int64]{}, schema.Opt[int64]{}
		r.Timing.FirstSSEEvent, r.Timing.FirstResponse, r.Timing.FirstTextDelta = opt{}, opt{}, opt{}
		r.Timing.UpstreamHeaders = ms(9000)
	}
	noText := func(r *schema.Record) {
		r.Timing.FirstTextDelta, r.GivenTPS = opt{}, schema.Opt[float64]{}
	}
	cases := []struct {
		name                 string
		change               func(*schema.Record)
		unmeasured, notApply []string
		primary              classify.Label
		stage                classify.Stage
	}{
		{"complete", func(*schema.Record) {}, nil, nil, classify.Healthy, classify.StageGeneration},
		{"headers not recorded", func(r *schema.Record) { r.Timing.UpstreamHeaders = opt{} },
			[]string{"upstream_headers_ms"}, nil, classify.Unknown, classify.StageGeneration},
		{"local stages not recorded", func(r *schema.Record) { r.Timing.Auth, r.Timing.Distribution, r.Timing.BodyRead = opt{}, opt{}, opt{} },
			[]string{"auth_ms", "distribution_ms", "body_read_ms"}, nil, classify.Healthy, classify.StageGeneration},
		{"no upstream end but a handler's", func(r *schema.Record) { r.Timing.UpstreamDone = opt{} },
			[]string{"upstream_done_ms"}, nil, classify.Healthy, classify.StageGeneration},
		{"no end", func(r *schema.Record) { r.Timing.UpstreamDone, r.Timing.TotalHandler = opt{}, opt{} },
			[]string{"upstream_done_ms", "total_handler_ms"}, nil, classify.Unknown, classify.StageHeaders},
		{"answer in one body", func(r *schema.Record) { wholeBody(r); r.Timing.UpstreamHeaders = ms(2500) },
			nil, []string{"first_sse_event_ms", "first_response_ms", "first_text_delta_ms", "max_gap_ms", "tps"}, classify.Healthy, ""},
		{"failed without a stream", func(r *schema.Record) {
			wholeBody(r)
			r.Outcome = schema.OutcomeError
			r.Timing.UpstreamHeaders = ms(40)
		},
			[]string{"first_response_ms"}, []string{"first_sse_event_ms", "first_text_delta_ms", "max_gap_ms", "tps"}, classify.Unknown, ""},
		{"tools only, text counted as none", func(r *schema.Record) { noText(r); r.TextDeltas = schema.Some(int64(0)) },
			nil, []string{"first_text_delta_ms", "tps"}, classify.Healthy, classify.StageGeneration},
		{"tools only, text not counted", func(r *schema.Record) {
			noText(r)
			r.TextDeltas, r.HasTools = schema.Opt[int64]{}, schema.Some(true)
		}, nil, []string{"first_text_delta_ms", "tps"}, classify.Healthy, classify.StageGeneration},
		{"text not recorded, no tools", func(r *schema.Record) { noText(r); r.TextDeltas = schema.Opt[int64]{} },
			[]string{"first_text_delta_ms", "tps"}, nil, classify.Healthy, ""},
		{"text counted but its time is missing", noText, []string{"first_text_delta_ms", "tps"}, nil, classify.Healthy, ""},
		{"backup has no local stages", func(r *schema.Record) {
			r.Role, r.Attempt = schema.RoleBackup, 1
			r.Timing.Auth, r.Timing.Distribution, r.Timing.BodyRead = opt{}, opt{}, opt{}
		}, nil, []string{"auth_ms", "distribution_ms", "body_read_ms"}, classify.Healthy, classify.StageGeneration},
		{"answered from the cache", func(r *schema.Record) {
			r.CacheHit = schema.Some(true)
			r.Timing.UpstreamHeaders, r.Timing.FirstSSEEvent, r.Timing.UpstreamDone = opt{}, opt{}, opt{}
		}, nil, []string{"upstream_headers_ms", "first_sse_event_ms", "upstream_done_ms"}, classify.Healthy, classify.StageGeneration},
		{"stream unknown", func(r *schema.Record) {
			wholeBody(r)
			r.Stream = schema.Opt[bool]{}
			r.Timing.UpstreamHeaders = ms(200)
		},
			[]string{"first_sse_event_ms", "first_response_ms", "first_text_delta_ms", "max_gap_ms", "tps"}, nil, classify.Unknown, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			v := labelsOf(t, c.change)
			if !slices.Equal(v.Unmeasured, c.unmeasured) || !slices.Equal(v.NotApplicable, c.notApply) {
				t.Errorf("unmeasured %v, not applicable %v; want %v and %v", v.Unmeasured, v.NotApplicable, c.unmeasured, c.notApply)
			}
			if len(v.Labels) != 0 || v.Primary != c.primary || v.Stage != c.stage {
				t.Errorf("labels %v, primary %s, stage %q; want none, %s, %q", v.Labels, v.Primary, v.Stage, c.primary, c.stage)
			}
		})
	}
}

// TestMissingDataFiresNothing removes random fields from records, healthy and
// slow ones, of every outcome that says nothing about an end: no label may
// appear that the complete record did not have.
func TestMissingDataFiresNothing(t *testing.T) {
	t.Parallel()
	c, rng := classifier(t), rand.New(rand.NewPCG(7, 11))
	outcomes := []schema.Outcome{schema.OutcomeCompleted, "", schema.OutcomeClientCancelled, schema.OutcomeSuperseded, schema.OutcomeTimeout, schema.OutcomeError}
	fired := 0
	for range 200_000 {
		r := healthy()
		r.Outcome = outcomes[rng.IntN(len(outcomes))]
		scaleTimes(r, rng)
		before := c.Classify(derived(r))
		// What was seen to come must stay seen: for an attempt that ended
		// unfinished, absence itself is the observation.
		removable := removers(r)
		if r.Outcome != schema.OutcomeCompleted && r.Outcome != "" {
			removable = removable[:len(removable)-4]
		}
		for _, remove := range removable {
			if rng.IntN(3) == 0 {
				remove()
			}
		}
		after := c.Classify(derived(r))
		fired += len(after.Labels)
		for _, l := range after.Labels {
			// Without the label before it in line, effective_output_slow is
			// asked for what was measured, not for what is missing.
			if !slices.Contains(before.Labels, l) && l != classify.EffectiveOutputSlow {
				t.Fatalf("%s fires on missing data: before %v, after %v\n%+v", l, before.Labels, after.Labels, r)
			}
		}
	}
	if fired == 0 {
		t.Fatal("no record kept a label: the property was not put to the test")
	}
}

// scaleTimes stretches every stage by its own random factor, keeping order.
func scaleTimes(r *schema.Record, rng *rand.Rand) {
	stretch := func(base float64) float64 { return base * float64(int64(1)<<rng.IntN(12)) / 16 }
	headers := stretch(240)
	event := 5.1 + headers + stretch(60)
	response := event + stretch(100)
	text := response + stretch(20)
	done := text + stretch(5000)
	total := done + stretch(10)
	tps := 230 / (done - text) * 1000
	r.Timing = schema.Timing{UpstreamStart: ms(5.1), Auth: ms(stretch(5)), Distribution: ms(stretch(5)), BodyRead: ms(stretch(30)), UpstreamHeaders: ms(headers),
		FirstSSEEvent: ms(event), FirstResponse: ms(response), FirstTextDelta: ms(text), UpstreamDone: ms(done), TotalHandler: ms(total)}
	r.MaxGap, r.GivenTPS = ms(stretch(100)), schema.Some(tps)
}

// removers make one field each missing; the last four take away what proves
// that an answer came.
func removers(r *schema.Record) []func() {
	type opt = schema.Opt[time.Duration]
	t := &r.Timing
	var out []func()
	for _, o := range []*opt{&t.Auth, &t.Distribution, &t.BodyRead, &t.UpstreamHeaders, &t.UpstreamDone, &t.TotalHandler, &r.MaxGap} {
		out = append(out, func() { *o = opt{} })
	}
	return append(out,
		func() { r.GivenTPS = schema.Opt[float64]{} },
		func() { r.Stream = schema.Opt[bool]{} },
		func() { r.HasTools = schema.Opt[bool]{} },
		func() { t.FirstSSEEvent = opt{} },
		func() { t.FirstResponse, t.FirstTextDelta = opt{}, opt{} },
		func() { r.TextDeltas, r.StreamEvents = schema.Opt[int64]{}, schema.Opt[int64]{} },
		func() {
			r.OutputTokens, r.ReasoningTokens = schema.Opt[int64]{}, schema.Opt[int64]{}
		},
	)
}
