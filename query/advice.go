package query

import (
	"net/url"
	"slices"
	"time"
)

// StoredAdvice is a piece of hedge advice with what it was made from: the
// same question over rows stored up to Horizon gives the same Answer, byte
// for byte.
type StoredAdvice struct {
	ID      string
	MadeAt  time.Time
	MadeBy  string // configured name of a token; "schedule" or "command line" without one
	Key     string // KeyText
	Window  Window
	Horizon time.Time
	N       int64
	Version string // of the rules
	// Question holds the parameters of hedge/recommendation, Settings and
	// Answer are JSON.
	Question, Settings, Answer string
	Fingerprint                string // SHA-256 of the waits, history and pairs
}

// ChangeKind says what a person did to the hedge policy.
type ChangeKind string

// The kinds of changes.
const (
	ChangeOverride ChangeKind = "override" // one key is hedged otherwise than advised
	ChangeRemove   ChangeKind = "remove"   // its override ends before its time
	ChangeOff      ChangeKind = "off"      // nothing is hedged anywhere
	ChangeOn       ChangeKind = "on"       // the switch is on again before its time
)

// PolicyChange is one change of the hedge policy: who made it, why, and until
// when it holds.
type PolicyChange struct {
	ID   string
	At   time.Time
	Kind ChangeKind
	Key  string // KeyText; empty for off and on
	// Enabled, HedgeAfter, Q and Budget are those of an override; nil keeps
	// what is advised.
	Enabled    bool
	HedgeAfter *time.Duration
	Q, Budget  *float64
	Who, Why   string
	Until      time.Time // zero for remove and on
}

// KeyText writes a key as a query string with sorted names: what advice and
// changes are filed under.
func KeyText(key map[string]string) string {
	v := url.Values{}
	for d, value := range key {
		v.Set(d, value)
	}
	return v.Encode()
}

// ParseKeyText reads KeyText back.
func ParseKeyText(s string) map[string]string {
	v, err := url.ParseQuery(s)
	if err != nil {
		return map[string]string{}
	}
	out := map[string]string{}
	for d := range v {
		out[d] = v.Get(d)
	}
	return out
}

// PolicyState is what changes come to at an instant: the overrides in force
// by key, and the switch.
type PolicyState struct {
	Overrides map[string]PolicyChange
	Off       *PolicyChange // nil while hedging is on
}

// FoldPolicy folds changes, in order of time, to the state at now.
func FoldPolicy(changes []PolicyChange, now time.Time) PolicyState {
	out := PolicyState{Overrides: map[string]PolicyChange{}}
	for _, c := range changes {
		if c.At.After(now) {
			continue
		}
		switch c.Kind {
		case ChangeOverride:
			out.Overrides[c.Key] = c
		case ChangeRemove:
			delete(out.Overrides, c.Key)
		case ChangeOff:
			out.Off = &c
		case ChangeOn:
			out.Off = nil
		}
	}
	for key, c := range out.Overrides {
		if !now.Before(c.Until) {
			delete(out.Overrides, key)
		}
	}
	if out.Off != nil && !now.Before(out.Off.Until) {
		out.Off = nil
	}
	return out
}

// Ends are the instants after now at which the state changes by itself.
func (s PolicyState) Ends() []time.Time {
	var out []time.Time
	for _, c := range s.Overrides {
		out = append(out, c.Until)
	}
	if s.Off != nil {
		out = append(out, s.Off.Until)
	}
	slices.SortFunc(out, time.Time.Compare)
	return out
}
