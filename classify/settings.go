package classify

import (
	"math"
	"time"
)

// Settings maps threshold names to values in the unit that the name ends in.
// Thresholds lists the names; a name that is left out keeps the value of the
// next more general level.
type Settings map[string]float64

// Threshold describes one setting, for docs and the configuration.
type Threshold struct {
	Name    string  `json:"name"`    // ends in its unit: _ms, _tps (tokens a second), _tokens
	Default float64 `json:"default"` // in that unit
	Doc     string  `json:"doc"`
}

// Thresholds lists every setting with its default, in checking order.
func Thresholds() []Threshold {
	out := make([]Threshold, len(settings))
	for i, s := range settings {
		out[i] = s.Threshold
	}
	return out
}

// longestMillis is the longest time that a record can carry (record.md,
// Validity): a threshold above it could never be met.
const longestMillis = float64(24 * time.Hour / time.Millisecond)

// limits are the thresholds in force for one record.
type limits struct {
	headers, effective, metadata, text, window time.Duration
	stalled, auth, distribution, bodyRead      time.Duration
	tail, fastFailure                          time.Duration
	tps, tokens                                float64
}

type setting struct {
	Threshold
	time  func(*limits) *time.Duration // nil for plain numbers
	plain func(*limits) *float64       // nil for times
}

func (s setting) apply(l *limits, v float64) {
	if s.time != nil {
		*s.time(l) = time.Duration(math.Round(v*1000)) * time.Microsecond
		return
	}
	*s.plain(l) = v
}

func settingNamed(name string) (setting, bool) {
	for _, s := range settings {
		if s.Name == name {
			return s, true
		}
	}
	return setting{}, false
}

// settings is the immutable table of thresholds with the defaults of the
// classifier's specification.
var settings = [...]setting{
	{Threshold: Threshold{"upstream_headers_slow_ms", 3000, "Upstream Headers at or above this are slow."},
		time: func(l *limits) *time.Duration { return &l.headers }},
	{Threshold: Threshold{"effective_output_slow_ms", 5000, "Wait from headers to the first effective response at or above this is slow."},
		time: func(l *limits) *time.Duration { return &l.effective }},
	{Threshold: Threshold{"metadata_only_start_ms", 3000, "Wait from the first event to the first effective response at or above this is slow."},
		time: func(l *limits) *time.Duration { return &l.metadata }},
	{Threshold: Threshold{"visible_text_late_ms", 3000, "Wait from the first effective response to the first visible text at or above this is slow."},
		time: func(l *limits) *time.Duration { return &l.text }},
	{Threshold: Threshold{"generation_slow_tps", 15, "Visible tokens a second at or below this are slow."},
		plain: func(l *limits) *float64 { return &l.tps }},
	{Threshold: Threshold{"generation_slow_min_tokens", 50, "The rate is judged from this many visible tokens on."},
		plain: func(l *limits) *float64 { return &l.tokens }},
	{Threshold: Threshold{"generation_slow_min_window_ms", 2000, "The rate is judged over a generation window of at least this."},
		time: func(l *limits) *time.Duration { return &l.window }},
	{Threshold: Threshold{"stream_stalled_ms", 10000, "A silence between stream events at or above this is a stall."},
		time: func(l *limits) *time.Duration { return &l.stalled }},
	{Threshold: Threshold{"auth_slow_ms", 500, "Local authentication at or above this is slow."},
		time: func(l *limits) *time.Duration { return &l.auth }},
	{Threshold: Threshold{"distribution_slow_ms", 500, "Channel choice at or above this is slow."},
		time: func(l *limits) *time.Duration { return &l.distribution }},
	{Threshold: Threshold{"body_read_slow_ms", 3000, "Reading the client's body at or above this is slow."},
		time: func(l *limits) *time.Duration { return &l.bodyRead }},
	{Threshold: Threshold{"handler_tail_slow_ms", 1000, "Time from the upstream's end to the handler's end at or above this is slow."},
		time: func(l *limits) *time.Duration { return &l.tail }},
	{Threshold: Threshold{"no_first_token_fast_failure_ms", 1000, "An error within this after dispatch is a fast failure, not a wait without a token."},
		time: func(l *limits) *time.Duration { return &l.fastFailure }},
}
