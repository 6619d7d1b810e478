package schema

import "time"

// Role says which of a request's attempts a record describes.
type Role string

// The roles of an attempt. RolePrimary is the default of a record that
// names none.
const (
	RolePrimary Role = "primary"
	RoleBackup  Role = "backup" // a hedge
	RoleRetry   Role = "retry"
)

// Outcome says how an attempt ended. The empty Outcome is "not recorded".
type Outcome string

// The outcomes of an attempt.
const (
	OutcomeCompleted       Outcome = "completed"
	OutcomeClientCancelled Outcome = "client_cancelled"
	OutcomeUpstreamClosed  Outcome = "upstream_closed"
	OutcomeTimeout         Outcome = "timeout"
	OutcomeError           Outcome = "error"
	OutcomeRateLimited     Outcome = "rate_limited"
	OutcomeSuperseded      Outcome = "superseded" // lost a hedge race
)

// StartPoint names the instant that a record's offsets are measured from.
type StartPoint string

// The start points. Rows with different start points never share one
// percentile unless the question asks for it.
const (
	StartHandler           StartPoint = "handler"            // t0: the gateway received the request
	StartAfterDistribution StartPoint = "after_distribution" // the gateway had chosen a channel
	StartFilterHeaders     StartPoint = "filter_headers"     // a proxy filter saw the request headers
	StartClient            StartPoint = "client"             // the client began to send
	StartAttempt           StartPoint = "attempt"            // t1: the upstream call began
)

// TPSBasis says where a record's visible output rate comes from.
type TPSBasis string

// The bases of a rate; the empty basis means the rate is missing.
const (
	TPSGiven   TPSBasis = "given"   // the record carried visible_output_tps
	TPSVisible TPSBasis = "visible" // (output − reasoning tokens) / (t6 − t5)
	TPSOutput  TPSBasis = "output"  // output tokens / (t6 − t5), reasoning tokens unknown
)

// Timing holds the measured times of one attempt. Offsets start at the
// record's StartPoint (t0 for gateways); durations have their own start.
// Resolution is one microsecond; a missing time stays missing.
type Timing struct {
	UpstreamStart   Opt[time.Duration] // t0 → t1, offset of this attempt's dispatch
	Auth            Opt[time.Duration] // duration of a local stage
	Distribution    Opt[time.Duration] // duration of a local stage
	BodyRead        Opt[time.Duration] // duration of a local stage
	UpstreamHeaders Opt[time.Duration] // t1 → t2, a duration: never subtract it from an offset alone
	FirstSSEEvent   Opt[time.Duration] // t0 → t3
	FirstResponse   Opt[time.Duration] // t0 → t4
	FirstTextDelta  Opt[time.Duration] // t0 → t5
	UpstreamDone    Opt[time.Duration] // t0 → t6; closing is not success
	TotalHandler    Opt[time.Duration] // t0 → t7
}

// Record is one attempt: one upstream call made for one client request.
// Empty strings and invalid Opts are "not recorded".
type Record struct {
	Origin Origin // where the bytes came from; zero outside ingestion

	Source     string     // name of the source whose adapter made the record
	StartPoint StartPoint // what offsets are measured from
	Precision  time.Duration

	RequestID string
	TraceID   string
	Attempt   uint16
	Role      Role
	CreatedAt time.Time // UTC, millisecond resolution

	Gateway, Model, Route, Channel, Provider string
	Region, ClientRegion                     string
	Operation, ReasoningEffort, ErrorClass   string
	Outcome                                  Outcome
	Stream, HasTools, Warmup, CacheHit       Opt[bool]
	Status                                   Opt[int32]

	MaxOutputTokens, InputTokens, OutputTokens Opt[int64]
	CachedTokens, ReasoningTokens              Opt[int64]
	StreamEvents, TextDeltas, ChannelInflight  Opt[int64]
	Temperature, TopP                          Opt[float64]
	MaxGap, HedgeAfter                         Opt[time.Duration]
	Timing                                     Timing
	GivenTPS                                   Opt[float64] // visible_output_tps as recorded, tokens per second

	// Flags are the quality flags of record.md, for example
	// "bad_value:auth_ms"; nil for a clean record.
	Flags []string

	Derived Derived
}

// Derived holds what is computed once from a record, by Derive, with the same
// definition everywhere. Tokens per second, durations with microseconds.
type Derived struct {
	TPS           Opt[float64] // visible output tokens per second
	TPSBasis      TPSBasis
	TPOT          Opt[time.Duration] // (t6 − t5) / (visible tokens − 1)
	Dispatch      Opt[time.Duration] // t0 → t1
	DispatchGiven bool               // true when UpstreamStart was recorded; else Dispatch is an estimate (lower bound)
	VisibleTokens Opt[int64]         // output − reasoning tokens, or output where reasoning is unknown
}

// Origin is a record's place in the log: topic, epoch (raised when a topic is
// re-created), partition and offset.
type Origin struct {
	Topic     string
	Epoch     uint32
	Partition int32
	Offset    int64
}

// Range is a run of offsets First..Last, both included, of one partition.
type Range struct {
	Topic       string
	Epoch       uint32
	Partition   int32
	First, Last int64
}

// Reject says why a message became no row. It never holds payload.
type Reject struct {
	Origin     Origin
	Source     string
	Reason     Reason
	Bytes      int       // size of the refused message
	ReceivedAt time.Time // arrival, UTC
}
