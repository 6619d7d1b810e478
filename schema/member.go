package schema

import "time"

// memberKind says how a member's value is read.
type memberKind uint8

const (
	kindText   memberKind = iota // string, cut and shared
	kindBool                     // true or false
	kindCount                    // whole number
	kindFloat                    // number ≥ 0
	kindMillis                   // time in milliseconds
	// The rest have rules of their own, see headway.go.
	kindVersion
	kindRequestID
	kindAttempt
	kindRole
	kindCreatedAt
	kindStatus
	kindOutcome
	kindTraceID
	kindOther
	kindIngest
	kindGroup
)

// member is one key of the canonical JSON: its name and the place of its
// value. The accessor of its kind is set, the others are nil.
type member struct {
	name    string
	bad     string // the flag bad_value:<name>
	literal string // ,"<name>": as most gateways write it
	kind    memberKind
	text    func(*Record) *string
	bool    func(*Record) *Opt[bool]
	count   func(*Record) *Opt[int64]
	float   func(*Record) *Opt[float64]
	span    func(*Record) *Opt[time.Duration]
}

// memberSet is an immutable list of members with look-up by key.
type memberSet struct {
	list  []member
	index map[string]int
}

func newMemberSet(list []member) *memberSet {
	set := &memberSet{list: list, index: make(map[string]int, len(list))}
	for i := range list {
		list[i].bad = badValue(list[i].name)
		list[i].literal = `,"` + list[i].name + `":`
		set.index[list[i].name] = i
	}
	return set
}

// follower remembers which member followed which: gateways write keys in one
// order, so that the next key need only be compared, not looked up.
type follower struct {
	set  *memberSet
	next []int // by position + 1 of the key before; −1 is not known
	at   int   // position of the last key, −1 at an object's start
}

func follow(set *memberSet) follower {
	f := follower{set: set, next: make([]int, len(set.list)+1)}
	for i := range f.next {
		f.next[i] = -1
	}
	return f
}

// member scans the next key of an object, as scanner.member does. at is its
// position in the set, −1 for a key that the set does not have.
func (f *follower) member(s *scanner, first bool) (key []byte, at int, ok bool) {
	comma := 0
	if first {
		f.at, comma = -1, 1 // no comma ahead of the first key
	}
	guess := f.next[f.at+1]
	if guess >= 0 && s.literal(f.set.list[guess].literal[comma:]) {
		f.at = guess
		return nil, guess, true
	}
	if key, ok = s.member(first); !ok {
		return nil, -1, false
	}
	at, known := f.set.index[string(key)]
	if !known {
		return key, -1, true
	}
	f.next[f.at+1] = at
	f.at = at
	return key, at, true
}

func ruled(name string, k memberKind) member { return member{name: name, kind: k} }

func text(name string, at func(*Record) *string) member {
	return member{name: name, kind: kindText, text: at}
}

func yesNo(name string, at func(*Record) *Opt[bool]) member {
	return member{name: name, kind: kindBool, bool: at}
}

func whole(name string, at func(*Record) *Opt[int64]) member {
	return member{name: name, kind: kindCount, count: at}
}

func real(name string, at func(*Record) *Opt[float64]) member {
	return member{name: name, kind: kindFloat, float: at}
}

func millis(name string, at func(*Record) *Opt[time.Duration]) member {
	return member{name: name, kind: kindMillis, span: at}
}

// recordMembers are the keys of the record in canonical order.
func recordMembers() []member {
	return []member{
		ruled("v", kindVersion), ruled("request_id", kindRequestID), ruled("attempt", kindAttempt),
		ruled("role", kindRole), ruled("created_at", kindCreatedAt),
		text("gateway", func(r *Record) *string { return &r.Gateway }),
		text("model", func(r *Record) *string { return &r.Model }),
		text("route", func(r *Record) *string { return &r.Route }),
		text("channel", func(r *Record) *string { return &r.Channel }),
		text("provider", func(r *Record) *string { return &r.Provider }),
		text("region", func(r *Record) *string { return &r.Region }),
		text("operation", func(r *Record) *string { return &r.Operation }),
		yesNo("stream", func(r *Record) *Opt[bool] { return &r.Stream }),
		text("reasoning_effort", func(r *Record) *string { return &r.ReasoningEffort }),
		yesNo("has_tools", func(r *Record) *Opt[bool] { return &r.HasTools }),
		whole("max_output_tokens", func(r *Record) *Opt[int64] { return &r.MaxOutputTokens }),
		ruled("status", kindStatus), ruled("outcome", kindOutcome),
		text("error_class", func(r *Record) *string { return &r.ErrorClass }),
		whole("input_tokens", func(r *Record) *Opt[int64] { return &r.InputTokens }),
		whole("output_tokens", func(r *Record) *Opt[int64] { return &r.OutputTokens }),
		whole("cached_tokens", func(r *Record) *Opt[int64] { return &r.CachedTokens }),
		whole("reasoning_tokens", func(r *Record) *Opt[int64] { return &r.ReasoningTokens }),
		whole("stream_events", func(r *Record) *Opt[int64] { return &r.StreamEvents }),
		whole("text_deltas", func(r *Record) *Opt[int64] { return &r.TextDeltas }),
		millis("max_gap_ms", func(r *Record) *Opt[time.Duration] { return &r.MaxGap }),
		whole("channel_inflight", func(r *Record) *Opt[int64] { return &r.ChannelInflight }),
		ruled("trace_id", kindTraceID),
		millis("hedge_after_ms", func(r *Record) *Opt[time.Duration] { return &r.HedgeAfter }),
		real("temperature", func(r *Record) *Opt[float64] { return &r.Temperature }),
		real("top_p", func(r *Record) *Opt[float64] { return &r.TopP }),
		yesNo("warmup", func(r *Record) *Opt[bool] { return &r.Warmup }),
		yesNo("cache_hit", func(r *Record) *Opt[bool] { return &r.CacheHit }),
		text("client_region", func(r *Record) *string { return &r.ClientRegion }),
		ruled("other", kindOther), ruled("ingest", kindIngest), ruled("group", kindGroup),
	}
}

// timingMembers are the keys of other.timing in canonical order.
func timingMembers() []member {
	return []member{
		millis("upstream_start_ms", func(r *Record) *Opt[time.Duration] { return &r.Timing.UpstreamStart }),
		millis("auth_ms", func(r *Record) *Opt[time.Duration] { return &r.Timing.Auth }),
		millis("distribution_ms", func(r *Record) *Opt[time.Duration] { return &r.Timing.Distribution }),
		millis("body_read_ms", func(r *Record) *Opt[time.Duration] { return &r.Timing.BodyRead }),
		millis("upstream_headers_ms", func(r *Record) *Opt[time.Duration] { return &r.Timing.UpstreamHeaders }),
		millis("first_sse_event_ms", func(r *Record) *Opt[time.Duration] { return &r.Timing.FirstSSEEvent }),
		millis("first_response_ms", func(r *Record) *Opt[time.Duration] { return &r.Timing.FirstResponse }),
		millis("first_text_delta_ms", func(r *Record) *Opt[time.Duration] { return &r.Timing.FirstTextDelta }),
		millis("upstream_done_ms", func(r *Record) *Opt[time.Duration] { return &r.Timing.UpstreamDone }),
		millis("total_handler_ms", func(r *Record) *Opt[time.Duration] { return &r.Timing.TotalHandler }),
		real("visible_output_tps", func(r *Record) *Opt[float64] { return &r.GivenTPS }),
	}
}

// The two member sets; never changed after they are built.
var (
	recordSet = newMemberSet(recordMembers())
	timingSet = newMemberSet(timingMembers())
)
