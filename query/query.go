// Package query describes questions and answers independent of transport and
// storage: window, filter, parameters ⇄ URL, result types. It runs no query
// and speaks no HTTP.
package query

import "time"

// Op compares a dimension with a set of values.
type Op string

// The operators of a filter.
const (
	OpIn    Op = "="  // equals any of the values
	OpNotIn Op = "!=" // equals none of the values
)

// Condition is one filter on a dimension of the field registry. A value of
// Missing selects rows where the dimension was not recorded.
type Condition struct {
	Dimension string
	Op        Op
	Values    []string
}

// Missing is the filter value that stands for "not recorded".
const Missing = "(missing)"

// Selection is the part that every question shares: a half-open window and
// filters. From and To are kept as written ("now-1h", RFC 3339, epoch ms), so
// that a URL round-trips and relative ranges stay relative.
type Selection struct {
	From, To string
	Where    []Condition
}

// Window is a resolved selection of time: From inclusive, To exclusive, UTC.
type Window struct {
	From, To time.Time
}

// Scope is a resolved selection, as storage takes it.
type Scope struct {
	Window
	Where []Condition
}

// Latency asks for percentiles of one metric over time. An empty Metric means
// the default of the sources in the scope.
type Latency struct {
	Selection
	Metric    string
	Quantiles []float64 // each in (0, 1)
	By        []string  // dimensions
	Step      time.Duration
	MaxGroups int
	Explain   bool
}

// Distribution asks for histogram, exceedance curve and quantiles with
// intervals of one metric.
type Distribution struct {
	Selection
	Metric    string
	Quantiles []float64
	Explain   bool
}

// Breakdown asks which groups contribute most to excess slow requests.
type Breakdown struct {
	Selection
	Metric  string
	By      string
	Limit   int
	Explain bool
}

// Headline asks for the headline strip: the main metrics of a window beside
// the same window one week earlier.
type Headline struct {
	Selection
	Explain bool
}

// Requests asks for a page of attempts, newest or slowest first.
type Requests struct {
	Selection
	Metric  string
	Sort    string // "time" (newest first) or "slow" (largest metric first)
	Limit   int
	Page    string // opaque keyset token
	Explain bool
}

// Hedge asks for a hedge recommendation for every key of the scope, or
// simulates a given delay.
type Hedge struct {
	Selection
	Metric  string
	By      []string // dimensions of a key; default model, route
	After   string   // simulate: "p90" or a duration such as "1500ms"; empty asks for P90
	Target  float64  // target quantile; 0 lets the answer choose
	Backup  string   // simulate: a backup key "model=…,route=…"; empty is the primary's own law
	Curve   int      // simulate: points of a curve over the delay; 0 for none
	Limit   int      // keys shown, those with the most rows first; 0 for the default
	Rules   []string // back-test: "p90", a duration, or "singler"
	Budget  float64  // back-test: share of requests that singler may hedge
	Explain bool
}

// Quality asks what arrived, was rejected, flagged, stripped.
type Quality struct {
	Selection
	Explain bool
}

// Values asks for the most frequent values of one dimension.
type Values struct {
	Selection
	Field   string
	Prefix  string
	Limit   int
	Explain bool
}
