package classify

import (
	"slices"
	"time"

	"headway/schema"
)

// verdict is a Verdict being written.
type verdict struct{ Verdict }

// found is one compared value, in milliseconds, tokens or tokens a second.
type found struct {
	field            string
	value, threshold float64
	censored, est    bool
}

func (o *verdict) fire(which order, evidence ...found) {
	info := &labelTable[which]
	o.Labels = append(o.Labels, info.Label)
	o.Evidence = slices.Grow(o.Evidence, len(evidence))
	for _, f := range evidence {
		o.Evidence = append(o.Evidence, Evidence{Label: info.Label, Field: f.field, Value: f.value, Threshold: f.threshold,
			Censored: f.censored, Estimated: f.est, LookAt: info.LookAt, NextCheck: info.NextCheck, Caveat: info.Caveat})
	}
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// judge runs the rules in checking order.
func (o *verdict) judge(v *reading, l *limits) {
	t := &v.Timing
	slowHeaders := o.headers(v, l.headers)
	metadataOnly := t.FirstResponse.Valid && t.FirstSSEEvent.Valid && t.FirstResponse.Value-t.FirstSSEEvent.Value >= l.metadata
	if !slowHeaders && !metadataOnly {
		o.effective(v, l.effective)
	}
	if metadataOnly {
		o.took(metadataOnlyStart, "event_to_response_ms", t.FirstResponse.Value-t.FirstSSEEvent.Value, l.metadata)
	}
	if t.FirstTextDelta.Valid && t.FirstResponse.Valid {
		o.took(visibleTextLate, "response_to_text_ms", t.FirstTextDelta.Value-t.FirstResponse.Value, l.text)
	}
	o.generation(v, l)
	o.lasted(streamStalled, "max_gap_ms", v.MaxGap, l.stalled)
	o.lasted(authSlow, "auth_ms", t.Auth, l.auth)
	o.lasted(distributionSlow, "distribution_ms", t.Distribution, l.distribution)
	o.lasted(bodyReadSlow, "body_read_ms", t.BodyRead, l.bodyRead)
	if t.TotalHandler.Valid && t.UpstreamDone.Valid && v.served() {
		o.took(handlerTailSlow, "done_to_handler_ms", t.TotalHandler.Value-t.UpstreamDone.Value, l.tail)
	}
	o.noFirstToken(v, l.fastFailure)
}

// took fires when a time reached its threshold.
func (o *verdict) took(which order, field string, d, threshold time.Duration) {
	if d >= threshold {
		o.fire(which, found{field: field, value: millis(d), threshold: millis(threshold)})
	}
}

func (o *verdict) lasted(which order, field string, d schema.Opt[time.Duration], threshold time.Duration) {
	if d.Valid {
		o.took(which, field, d.Value, threshold)
	}
}

func (o *verdict) headers(v *reading, threshold time.Duration) bool {
	f := found{field: "upstream_headers_ms", threshold: millis(threshold)}
	d, ok := v.Timing.UpstreamHeaders.Get()
	if !ok && v.headersNeverCame() {
		d, ok = v.elapsed()
		f.censored, f.est = true, v.dispatchEst || v.endEst
	}
	if !ok || d < threshold {
		return false
	}
	f.value = millis(d)
	o.fire(upstreamHeadersSlow, f)
	return true
}

// effective judges first response − dispatch − headers; it is not asked
// where headers were slow or only metadata came at first.
func (o *verdict) effective(v *reading, threshold time.Duration) {
	headers, ok := v.Timing.UpstreamHeaders.Get()
	if !ok {
		return
	}
	f := found{field: "headers_to_response_ms", threshold: millis(threshold), est: v.dispatchEst}
	at, ok := v.Timing.FirstResponse.Get()
	if !ok && v.responseNeverCame() {
		at, ok = v.end, v.ended
		f.censored, f.est = true, f.est || v.endEst
	}
	if wait := at - v.dispatch - headers; ok && wait >= threshold {
		f.value = millis(wait)
		o.fire(effectiveOutputSlow, f)
	}
}

func (o *verdict) generation(v *reading, l *limits) {
	tps := v.Derived.TPS.Value
	if !v.Derived.TPS.Valid || tps > l.tps {
		return
	}
	window, windowEst, ok := v.window()
	if !ok || window < l.window {
		return
	}
	tokens, tokensEst := v.visibleTokens(window)
	if tokens < l.tokens {
		return
	}
	o.fire(generationSlow,
		found{field: "tps", value: tps, threshold: l.tps, est: v.Derived.TPSBasis == schema.TPSOutput},
		found{field: "generation_window_ms", value: millis(window), threshold: millis(l.window), est: windowEst},
		found{field: "visible_tokens", value: tokens, threshold: l.tokens, est: tokensEst})
}

// noFirstToken judges streams only: what is not known to stream fires nothing.
func (o *verdict) noFirstToken(v *reading, fast time.Duration) {
	if !v.streams() || v.Outcome == schema.OutcomeSuperseded || !v.responseNeverCame() {
		return
	}
	lasted, ok := v.elapsed()
	if !ok || v.failedFast(fast) {
		return
	}
	o.fire(noFirstToken, found{field: "first_token_wait_ms", value: millis(lasted), threshold: millis(fast),
		censored: true, est: v.dispatchEst || v.endEst})
}
