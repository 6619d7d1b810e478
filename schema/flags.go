package schema

import (
	"slices"
	"strings"
)

// The quality flags that say something about a whole record. Two more kinds
// name a field: bad_value:<field>, whose value could not be and was removed,
// and order:<field>, a milestone removed because it lay before an earlier
// one.
const (
	FlagStreamConflict   = "stream_conflict"   // stream=false with stream events: stream set to unknown
	FlagBufferedUpstream = "buffered_upstream" // event, response and end came together: no tps, no hedge advice
	FlagZeroTiming       = "zero_timing"       // all times 0 though the request succeeded: times removed
	FlagClockSkew        = "clock_skew"        // more than 10 minutes in the future: stored under arrival time
	FlagIDMissing        = "id_missing"        // the request id is a generated one
	FlagTimeAssigned     = "time_assigned"     // the source has no clock time; spread from a base time in file order
	FlagTimeShifted      = "time_shifted"      // an import added a constant to all times
	FlagMultiAttempt     = "multi_attempt"     // earlier attempts are inside the times
	FlagDuplicate        = "duplicate"         // the same attempt came before; left out of every answer
	FlagTPSCapped        = "tps_capped"        // the source wrote its cap for a window too short to measure: no tps
)

// Flag prefixes that a field's name follows.
const (
	badValuePrefix = "bad_value:"
	orderPrefix    = "order:"
	otherPrefix    = "other:" // a dimension past its limit of distinct values
)

func badValue(field string) string { return badValuePrefix + field }

// Flagged reports whether the record carries a quality flag.
func (r *Record) Flagged(flag string) bool { return slices.Contains(r.Flags, flag) }

// AddFlag adds a quality flag, keeping flags sorted and single. It never
// writes into an array that another record may share.
func (r *Record) AddFlag(flag string) {
	if i, found := slices.BinarySearch(r.Flags, flag); !found {
		r.Flags = slices.Insert(slices.Clip(r.Flags), i, flag)
	}
}

// knownFlag returns the flag that b names, as a shared string, where it is
// one that an importer may hand on: any but duplicate, which only the
// ingester can know.
func knownFlag(b []byte) (string, bool) {
	for _, f := range wholeFlags {
		if f == string(b) {
			return f, true
		}
	}
	prefix, field, found := strings.Cut(string(b), ":")
	if !found {
		return "", false
	}
	_, inRecord := recordSet.index[field]
	_, inTiming := timingSet.index[field]
	switch prefix + ":" {
	case badValuePrefix:
		return string(b), inRecord || inTiming
	case orderPrefix:
		return string(b), inTiming
	case otherPrefix:
		return string(b), inRecord
	}
	return "", false
}

var wholeFlags = [...]string{FlagStreamConflict, FlagBufferedUpstream, FlagZeroTiming, FlagClockSkew, FlagIDMissing,
	FlagTimeAssigned, FlagTimeShifted, FlagMultiAttempt, FlagTPSCapped}
