package query

import (
	"time"

	"headway/schema"
)

// Waits are the values of one metric for one key, column-wise, in order of
// arrival: the value, whether it is right-censored, and when its row began.
type Waits struct {
	Key      map[string]string // dimension → value, "" for not recorded
	Micros   []int64           // microseconds of times, millionths of other units
	Censored []bool
	At       []time.Time
	LeftOut  map[string]int64
	// Failures are the attempts left out as failed: an error ended them before
	// there was a value. It is what advice about these waits needs beside them,
	// not the share of requests that failed, which is Failed of FateKnown.
	Failures int64
	// Failed and FateKnown are those of a Point.
	Failed, FateKnown int64
	// InputTokens are the prompt tokens of each row, −1 where unknown;
	// OutputTokens likewise.
	InputTokens, OutputTokens []int64
}

// Point is one time bucket of one group. Values holds one entry per asked
// quantile; nil is "no data" or below the point minimum.
type Point struct {
	At          time.Time
	N, Censored int64
	// Failures are the requests that failed, whatever the metric saw of them,
	// of FateKnown: error, rate_limited, upstream_closed, timeout or, without
	// an outcome, a status of 400 and above. They are primaries, unless the
	// question selects roles; duplicates and warm-ups are not among them. A
	// request that timed out failed and is censored in percentiles: these
	// answer different questions.
	Failures, FateKnown int64
	Values              []*float64 // in the metric's unit
	Open                bool       // the bucket is not over yet
	// Raw holds the bucket's values where some are censored: percentiles
	// then need Kaplan–Meier, and Values are nil. Times of arrival and tokens
	// are not filled.
	Raw *Waits
}

// Series is one group of a latency answer.
type Series struct {
	Key    map[string]string
	N      int64
	Points []Point
}

// LatencyAnswer answers Latency.
type LatencyAnswer struct {
	Meta      Meta
	Quantiles []float64
	Series    []Series
}

// Group is one row of a breakdown, sorted by Excess.
type Group struct {
	Value    string
	N        int64
	Censored int64
	// Failures and FateKnown are those of a Point.
	Failures, FateKnown int64
	Slow                int64    // rows above the baseline's P95 of the same input band
	Excess              float64  // Slow minus the 5 % expected
	P50                 *float64 // in the metric's unit
	P95                 *float64
	P99                 *float64
}

// BreakdownAnswer answers Breakdown.
type BreakdownAnswer struct {
	Meta         Meta
	By           string
	BaselineFrom time.Time
	BaselineTo   time.Time
	BaselineN    int64
	// BandP95 is the baseline's P95 by input band, in the metric's unit.
	BandP95 map[string]*float64
	Groups  []Group
}

// Figure is one number of the headline strip beside the same hour last week.
type Figure struct {
	Name     string // for example first_response_ms
	Quantile float64
	Unit     schema.Unit
	Start    string
	End      string
	Now      *float64
	NowN     int64
	Before   *float64
	BeforeN  int64
	// NowRaw and BeforeRaw hold the values where some are censored: the
	// number then needs Kaplan–Meier, and Now or Before is nil.
	NowRaw, BeforeRaw *Waits
}

// HeadlineAnswer answers Headline. Rates are per second, shares 0 to 1.
type HeadlineAnswer struct {
	Meta         Meta
	Figures      []Figure
	Requests     int64 // distinct primary attempts now
	RequestsWas  int64
	FailureShare *float64 // Failures of FateKnown, as in a Point
	FailureWas   *float64
	RatePerSec   float64
	RateWas      *float64
	Newest       *time.Time // newest record stored; nil when the store is empty
	Spark        []Point    // P95 of the first figure over the window
}

// Attempt is a stored row as requests and requests/{id} show it.
type Attempt struct {
	Record       schema.Record
	InsertedAt   time.Time
	Labels       []string
	PrimaryLabel string
	Stage        string
	InputBand    string
	RulesVersion string
	Evidence     []Evidence // in the order of Labels
	// AtLeast is how long an attempt without the metric of a slow list was
	// waited for before it ended: the metric would have been no less. It is
	// nil where the metric was recorded, and outside slow lists.
	AtLeast *time.Duration
}

// Evidence is a stored measurement that made a label fire; value and
// threshold are in the unit of the field's name.
type Evidence struct {
	Label, Field        string
	Value, Threshold    float64
	Censored, Estimated bool
}

// RequestsAnswer answers Requests.
type RequestsAnswer struct {
	Meta     Meta
	Attempts []Attempt
	Next     string // page token, empty on the last page
}

// RequestAnswer is one request with all its attempts in order.
type RequestAnswer struct {
	Meta     Meta
	Attempts []Attempt
	// Percentile is the share of its cohort (same model, route, input band,
	// same day) at or below the primary's metric, 0 to 1; nil without one.
	Percentile *float64
	CohortN    int64
}

// SourceQuality is what one source delivered in a window.
type SourceQuality struct {
	Source     string
	Rows       int64
	Duplicates int64
	Rejected   map[string]int64 // by reason
	Flags      map[string]int64
	Coverage   map[string]float64 // field → share of rows that carry it, 0 to 1
	Newest     *time.Time
}

// GatewayFreshness is when a gateway was last heard.
type GatewayFreshness struct {
	Gateway, Source string
	Newest          time.Time
	Rows            int64
}

// Lost is a run of messages that could not be read before they were gone.
// Ranges don't overlap.
type Lost struct {
	Range    schema.Range
	Cause    string
	At       time.Time
	Messages int64 // of the range, in neither rows nor rejects
}

// QualityAnswer answers Quality.
type QualityAnswer struct {
	Meta     Meta
	Sources  []SourceQuality
	Gateways []GatewayFreshness
	Lost     []Lost
}

// ValueCount is one dimension value with its number of rows.
type ValueCount struct {
	Value string
	N     int64
}

// ValuesAnswer answers Values.
type ValuesAnswer struct {
	Meta   Meta
	Field  string
	Values []ValueCount
}
