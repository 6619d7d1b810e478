package classify_test

import (
	"slices"
	"testing"
	"time"

	"headway/classify"
	"headway/schema"
)

// ended is a streaming attempt that was dispatched at 10 ms and ended with an
// outcome, before anything came unless a change says otherwise.
func ended(outcome schema.Outcome, endMs float64, changes ...func(*schema.Record)) *schema.Record {
	r := &schema.Record{Outcome: outcome, Stream: schema.Some(true), StartPoint: schema.StartHandler,
		Timing: schema.Timing{UpstreamStart: ms(10), UpstreamDone: ms(endMs), TotalHandler: ms(endMs + 1)}}
	for _, change := range changes {
		change(r)
	}
	return derived(r)
}

func headersAt(v float64) func(*schema.Record) {
	return func(r *schema.Record) { r.Timing.UpstreamHeaders = ms(v) }
}

func eventAt(v float64) func(*schema.Record) {
	return func(r *schema.Record) { r.Timing.FirstSSEEvent = ms(v) }
}

func noDone(r *schema.Record) { r.Timing.UpstreamDone = schema.Opt[time.Duration]{} }

func noEnd(r *schema.Record) {
	r.Timing.UpstreamDone, r.Timing.TotalHandler = schema.Opt[time.Duration]{}, schema.Opt[time.Duration]{}
}

func notStreaming(r *schema.Record) { r.Stream = schema.Some(false) }

func TestUnfinishedAttempts(t *testing.T) {
	t.Parallel()
	const headers, effective, none, stall = classify.UpstreamHeadersSlow, classify.EffectiveOutputSlow, classify.NoFirstToken, classify.StreamStalled
	cases := []struct {
		name    string
		record  *schema.Record
		labels  []classify.Label
		primary classify.Label
		stage   classify.Stage
		value   float64 // of the first evidence
		est     bool
	}{
		{"time-out without headers", ended(schema.OutcomeTimeout, 30010), []classify.Label{headers, none}, headers, classify.StageHeaders, 30000, false},
		{"headers edge", ended(schema.OutcomeTimeout, 3010), []classify.Label{headers, none}, headers, classify.StageHeaders, 3000, false},
		{"just below the headers edge", ended(schema.OutcomeTimeout, 3009.999), []classify.Label{none}, none, classify.StageHeaders, 2999.999, false},
		{"handler's end stands in", ended(schema.OutcomeTimeout, 30009, noDone), []classify.Label{headers, none}, headers, classify.StageHeaders, 30000, true},
		{"no end at all", ended(schema.OutcomeTimeout, 0, noEnd), nil, classify.Unknown, "", 0, false},
		{"headers came, response did not", ended(schema.OutcomeTimeout, 8010, headersAt(500)), []classify.Label{effective, none}, effective, classify.StageEventWait, 7500, false},
		{"event came, response did not", ended(schema.OutcomeUpstreamClosed, 8010, headersAt(500), eventAt(600)), []classify.Label{effective, none}, effective, classify.StageEffectiveWait, 7500, false},
		{"effective edge", ended(schema.OutcomeTimeout, 5510, headersAt(500)), []classify.Label{effective, none}, effective, classify.StageEventWait, 5000, false},
		{"below the effective edge", ended(schema.OutcomeTimeout, 5509.999, headersAt(500)), []classify.Label{none}, none, classify.StageEventWait, 5499.999, false},
		{"headers slow, so the rest is not asked", ended(schema.OutcomeTimeout, 30010, headersAt(4000)), []classify.Label{headers, none}, headers, classify.StageEventWait, 4000, false},
		{"client left early", ended(schema.OutcomeClientCancelled, 310, headersAt(100)), []classify.Label{none}, none, classify.StageEventWait, 300, false},
		{"fast failure", ended(schema.OutcomeError, 60, headersAt(40)), nil, classify.Unknown, classify.StageHeaders, 0, false},
		{"failure on the edge of fast", ended(schema.OutcomeError, 1010, headersAt(400)), nil, classify.Unknown, classify.StageEventWait, 0, false},
		{"failure just too late for fast", ended(schema.OutcomeError, 1010.001, headersAt(400)), []classify.Label{none}, none, classify.StageEventWait, 1000.001, false},
		{"rate limit", ended(schema.OutcomeRateLimited, 50), nil, classify.Unknown, "", 0, false},
		{"superseded while waiting", ended(schema.OutcomeSuperseded, 2010, headersAt(500)), nil, classify.Unknown, classify.StageEventWait, 0, false},
		{"superseded after a long wait", ended(schema.OutcomeSuperseded, 8010, headersAt(500)), []classify.Label{effective}, effective, classify.StageEventWait, 7500, false},
		{"superseded without its own end", ended(schema.OutcomeSuperseded, 60000, noDone), nil, classify.Unknown, "", 0, false},
		{"not streaming", ended(schema.OutcomeTimeout, 2010, notStreaming), nil, classify.Unknown, classify.StageHeaders, 0, false},
		{"client's log knows no headers", ended(schema.OutcomeError, 9000, func(r *schema.Record) { r.StartPoint = schema.StartClient }), []classify.Label{none}, none, "", 8990, false},
		{"completed without a token", ended(schema.OutcomeCompleted, 6000, headersAt(500), func(r *schema.Record) { r.OutputTokens = schema.Some(int64(0)) }),
			[]classify.Label{effective, none}, effective, classify.StageEventWait, 5490, false},
		{"stall is told too", ended(schema.OutcomeTimeout, 12010, headersAt(500), func(r *schema.Record) { r.MaxGap = ms(10500) }), []classify.Label{effective, stall, none}, effective, classify.StageEventWait, 11500, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			v := classifier(t).Classify(c.record)
			if !slices.Equal(v.Labels, c.labels) || v.Primary != c.primary || v.Stage != c.stage {
				t.Fatalf("labels %v, primary %s, stage %q; want %v, %s, %q", v.Labels, v.Primary, v.Stage, c.labels, c.primary, c.stage)
			}
			if len(v.Evidence) == 0 {
				return
			}
			first := v.Evidence[0]
			if first.Value != c.value || first.Estimated != c.est {
				t.Errorf("evidence %+v; want value %v, estimated %v", first, c.value, c.est)
			}
			if wantCensored := first.Label != headers || !c.record.Timing.UpstreamHeaders.Valid; first.Censored != wantCensored {
				t.Errorf("evidence %+v; want censored %v", first, wantCensored)
			}
		})
	}
}

func TestTailBelongsToTheServer(t *testing.T) {
	t.Parallel()
	slow := func(o schema.Outcome) func(*schema.Record) {
		return func(r *schema.Record) { r.Outcome = o; r.Timing.TotalHandler = ms(15000) }
	}
	cases := []struct {
		name   string
		change func(*schema.Record)
		fires  bool
	}{
		{"completed", slow(schema.OutcomeCompleted), true},
		{"outcome not recorded", slow(""), true},
		{"superseded", slow(schema.OutcomeSuperseded), false},
		{"failed after it had begun to answer", slow(schema.OutcomeError), true},
		{"failed before it answered, so a retry may have served", func(r *schema.Record) {
			slow(schema.OutcomeError)(r)
			r.Timing.FirstResponse, r.Timing.FirstTextDelta = schema.Opt[time.Duration]{}, schema.Opt[time.Duration]{}
		}, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if v := labelsOf(t, c.change); slices.Contains(v.Labels, classify.HandlerTailSlow) != c.fires {
				t.Errorf("labels %v; want handler_tail_slow %v", v.Labels, c.fires)
			}
		})
	}
}
