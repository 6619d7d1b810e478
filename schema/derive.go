package schema

import "time"

// Derive computes what follows from a record, as record.md's "Derived"
// tells: the same definition everywhere. Nothing is Inf or NaN.
//
//   - VisibleTokens is output − reasoning tokens, output where reasoning is
//     unknown, missing where output is or where more reasoning than output
//     was written.
//   - TPS is the given rate where it is above 0 (a rate of 0 means that no
//     text came), else visible tokens / (t6 − t5). It is missing where the
//     window is known and not positive, where text never came, and for
//     buffered or capped rows.
//   - TPOT is (t6 − t5) / (visible tokens − 1), from 2 visible tokens on.
//   - Dispatch is the recorded upstream start, else the sum of the recorded
//     local stages: a lower bound. Where none was recorded it is missing.
func Derive(r *Record) Derived {
	d := Derived{VisibleTokens: visibleTokens(r)}
	d.Dispatch, d.DispatchGiven = dispatch(&r.Timing)
	if r.Flagged(FlagBufferedUpstream) || r.Flagged(FlagTPSCapped) {
		return d
	}
	t5, t6 := r.Timing.FirstTextDelta, r.Timing.UpstreamDone
	window := Opt[time.Duration]{Value: t6.Value - t5.Value, Valid: t5.Valid && t6.Valid}
	if window.Valid && window.Value <= 0 || !t5.Valid && r.TextDeltas == Some[int64](0) {
		return d
	}
	switch {
	case r.GivenTPS.Value > 0:
		d.TPS, d.TPSBasis = r.GivenTPS, TPSGiven
	case window.Valid && d.VisibleTokens.Value > 0:
		d.TPS = Some(float64(d.VisibleTokens.Value) / window.Value.Seconds())
		d.TPSBasis = TPSOutput
		if r.ReasoningTokens.Valid {
			d.TPSBasis = TPSVisible
		}
	}
	if window.Valid && d.VisibleTokens.Value >= 2 {
		d.TPOT = Some((window.Value / time.Duration(d.VisibleTokens.Value-1)).Round(time.Microsecond))
	}
	return d
}

func visibleTokens(r *Record) Opt[int64] {
	v := r.OutputTokens
	v.Value -= r.ReasoningTokens.Value
	return only(v.Value, v.Valid && v.Value >= 0)
}

func dispatch(t *Timing) (at Opt[time.Duration], given bool) {
	if t.UpstreamStart.Valid {
		return t.UpstreamStart, true
	}
	return only(t.Auth.Value+t.Distribution.Value+t.BodyRead.Value, t.Auth.Valid || t.Distribution.Valid || t.BodyRead.Valid), false
}
