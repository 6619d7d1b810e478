package schema

import (
	"testing"
	"time"
)

// TestFirstTokenWaitRules has one case per rule, named by its number, and
// those where two rules meet. The base row is a streamed primary that got its
// response at 420 and its text at 430 ms, with the upstream call at 5 ms.
func TestFirstTokenWaitRules(t *testing.T) {
	out := func(s WaitState) Wait { return Wait{State: s} }
	noToken := func(o Outcome) func(*Record) {
		return func(r *Record) {
			r.Outcome = o
			r.Timing.FirstResponse, r.Timing.FirstTextDelta = Opt[time.Duration]{}, Opt[time.Duration]{}
		}
	}
	noDone := func(r *Record) { r.Timing.UpstreamDone = Opt[time.Duration]{} }
	for _, c := range []struct {
		name   string
		change []func(*Record)
		metric Metric
		single bool
		want   Wait
	}{
		{"1 duplicate", []func(*Record){func(r *Record) { r.AddFlag(FlagDuplicate); r.Warmup = Some(true) }}, MetricFirstResponse, true, out(WaitDuplicate)},
		{"2 warmup", []func(*Record){func(r *Record) { r.Warmup = Some(true); r.Role = RoleBackup }}, MetricFirstResponse, true, out(WaitWarmup)},
		{"3 backup", []func(*Record){func(r *Record) { r.Role = RoleBackup }}, MetricFirstResponse, true, out(WaitNotPrimary)},
		{"3 retry", []func(*Record){func(r *Record) { r.Role = RoleRetry }}, MetricFirstResponse, true, out(WaitNotPrimary)},
		{"4 stream unknown", []func(*Record){func(r *Record) { r.Stream = Opt[bool]{} }}, MetricFirstResponse, true, out(WaitStreamUnknown)},
		{"5 no stream", []func(*Record){func(r *Record) { r.Stream = Some(false) }}, MetricFirstResponse, true, out(WaitNotStream)},
		{"6 cache", []func(*Record){func(r *Record) { r.CacheHit = Some(true) }}, MetricFirstResponse, true, out(WaitFromCache)},
		{"6 cache miss", []func(*Record){func(r *Record) { r.CacheHit = Some(false) }}, MetricFirstResponse, true, Wait{WaitObserved, 415 * time.Millisecond, ClockDispatch}},
		{"7 buffered", []func(*Record){func(r *Record) { r.AddFlag(FlagBufferedUpstream) }}, MetricFirstResponse, true, out(WaitBuffered)},
		{"8 zero timing", []func(*Record){func(r *Record) { r.AddFlag(FlagZeroTiming) }}, MetricFirstResponse, true, out(WaitZeroTiming)},
		{"9 multi attempt", []func(*Record){func(r *Record) { r.AddFlag(FlagMultiAttempt) }}, MetricFirstResponse, true, out(WaitMultiAttempt)},
		{"10 metric before dispatch", []func(*Record){func(r *Record) { r.Timing.UpstreamStart = ms(421) }}, MetricFirstResponse, true, out(WaitBadValue)},
		{"11 metric at dispatch", []func(*Record){func(r *Record) { r.Timing.UpstreamStart = ms(420) }}, MetricFirstResponse, true, Wait{WaitObserved, 0, ClockDispatch}},
		{"11 response from dispatch", nil, MetricFirstResponse, false, Wait{WaitObserved, 415 * time.Millisecond, ClockDispatch}},
		{"11 text from dispatch", nil, MetricFirstText, false, Wait{WaitObserved, 425 * time.Millisecond, ClockDispatch}},
		{"11 whatever happened later", []func(*Record){func(r *Record) { r.Outcome = OutcomeError }}, MetricFirstResponse, true, Wait{WaitObserved, 415 * time.Millisecond, ClockDispatch}},
		{"11 estimated from all three stages", []func(*Record){func(r *Record) {
			r.Timing.UpstreamStart = Opt[time.Duration]{}
			r.Timing.Auth, r.Timing.Distribution, r.Timing.BodyRead = ms(1), ms(0), ms(3)
		}}, MetricFirstResponse, true, Wait{WaitObserved, 416 * time.Millisecond, ClockEstimated}},
		{"11 two stages are not enough", []func(*Record){func(r *Record) {
			r.Timing.UpstreamStart = Opt[time.Duration]{}
			r.Timing.Auth, r.Timing.BodyRead = ms(1), ms(3)
		}}, MetricFirstResponse, true, Wait{WaitObserved, 420 * time.Millisecond, ClockStart}},
		{"11 a flag on a metric that stayed", []func(*Record){func(r *Record) { r.AddFlag("bad_value:first_response_ms") }}, MetricFirstResponse, true, Wait{WaitObserved, 415 * time.Millisecond, ClockDispatch}},
		{"12 metric was bad", []func(*Record){noToken(OutcomeTimeout), func(r *Record) { r.AddFlag("bad_value:first_response_ms") }}, MetricFirstResponse, true, out(WaitBadValue)},
		{"12 metric was out of order", []func(*Record){noToken(OutcomeCompleted), func(r *Record) { r.AddFlag("order:first_text_delta_ms") }}, MetricFirstText, true, out(WaitBadValue)},
		{"12 another metric was bad", []func(*Record){noToken(OutcomeCompleted), func(r *Record) { r.AddFlag("order:first_text_delta_ms") }}, MetricFirstResponse, true, out(WaitNotApplicable)},
		{"13 tool-only answer asked for text", []func(*Record){func(r *Record) { r.Timing.FirstTextDelta = Opt[time.Duration]{} }}, MetricFirstText, true, out(WaitNotApplicable)},
		{"13 another metric", nil, Metric("auth_ms"), true, out(WaitNotApplicable)},
		{"14 error", []func(*Record){noToken(OutcomeError)}, MetricFirstResponse, true, out(WaitFailed)},
		{"14 rate limited", []func(*Record){noToken(OutcomeRateLimited)}, MetricFirstResponse, true, out(WaitFailed)},
		{"14 upstream closed", []func(*Record){noToken(OutcomeUpstreamClosed)}, MetricFirstResponse, true, out(WaitFailed)},
		{"15 status 400", []func(*Record){noToken(""), func(r *Record) { r.Status = Some[int32](400) }}, MetricFirstResponse, true, out(WaitFailed)},
		{"16 status 200", []func(*Record){noToken("")}, MetricFirstResponse, true, out(WaitOutcomeUnknown)},
		{"16 status missing", []func(*Record){noToken(""), func(r *Record) { r.Status = Opt[int32]{} }}, MetricFirstResponse, true, out(WaitOutcomeUnknown)},
		{"17 no end", []func(*Record){noToken(OutcomeTimeout), noDone, func(r *Record) { r.Timing.TotalHandler = Opt[time.Duration]{} }}, MetricFirstResponse, true, out(WaitNoElapsed)},
		{"17 total of several attempts", []func(*Record){noToken(OutcomeTimeout), noDone}, MetricFirstResponse, false, out(WaitNoElapsed)},
		{"18 end before dispatch", []func(*Record){noToken(OutcomeTimeout), func(r *Record) { r.Timing.UpstreamDone = ms(4) }}, MetricFirstResponse, true, out(WaitBadValue)},
		{"19 timeout", []func(*Record){noToken(OutcomeTimeout)}, MetricFirstResponse, false, Wait{WaitCensored, 9795 * time.Millisecond, ClockDispatch}},
		{"19 client gone", []func(*Record){noToken(OutcomeClientCancelled)}, MetricFirstResponse, false, Wait{WaitCensored, 9795 * time.Millisecond, ClockDispatch}},
		{"19 superseded", []func(*Record){noToken(OutcomeSuperseded)}, MetricFirstResponse, false, Wait{WaitCensored, 9795 * time.Millisecond, ClockDispatch}},
		{"19 total of a single attempt", []func(*Record){noToken(OutcomeTimeout), noDone}, MetricFirstResponse, true, Wait{WaitCensored, 9805 * time.Millisecond, ClockDispatch}},
		{"19 response came, text did not", []func(*Record){func(r *Record) { r.Outcome = OutcomeClientCancelled; r.Timing.FirstTextDelta = Opt[time.Duration]{} }}, MetricFirstText, true, Wait{WaitCensored, 9795 * time.Millisecond, ClockDispatch}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Record{Role: RolePrimary, Stream: Some(true), Status: Some[int32](200), Outcome: OutcomeCompleted,
				Timing: Timing{UpstreamStart: ms(5), FirstResponse: ms(420), FirstTextDelta: ms(430), UpstreamDone: ms(9800), TotalHandler: ms(9810)}}
			for _, f := range c.change {
				f(&r)
			}
			if got := FirstTokenWait(&r, c.metric, c.single); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestSourcesHedgeOnARegisteredFirstTokenMetric(t *testing.T) {
	reg := NewRegistry()
	for _, src := range NewSources().list {
		f, ok := reg.Lookup(string(src.HedgeMetric))
		if !ok || !f.FirstToken || src.StartPoint == "" || src.Precision <= 0 || src.Doc == "" {
			t.Errorf("source %s: metric %s, start %q, precision %s", src.Name, src.HedgeMetric, src.StartPoint, src.Precision)
		}
	}
}
