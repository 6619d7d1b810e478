package api

import (
	"context"
	"time"

	"headway/classify"
	"headway/query"
	"headway/schema"
)

// TimeStore answers questions about percentiles over time.
type TimeStore interface {
	// Latency returns percentiles of one metric per bucket and group.
	Latency(ctx context.Context, q query.Latency, sc query.Scope) (query.LatencyAnswer, error)
	// Breakdown returns groups by their contribution to excess slow requests.
	Breakdown(ctx context.Context, q query.Breakdown, sc query.Scope) (query.BreakdownAnswer, error)
	// Headline returns the main figures beside those of a week earlier.
	Headline(ctx context.Context, q query.Headline, sc query.Scope) (query.HeadlineAnswer, error)
}

// WaitStore loads the values of one metric, for exact calculation.
type WaitStore interface {
	// Waits returns one metric's values per key of the dimensions by, all
	// rows under one key where by is empty.
	Waits(ctx context.Context, sc query.Scope, metric schema.Field, by []string, mode query.WaitMode) ([]query.Waits, query.Meta, error)
}

// HedgeStore reads the rows that hedge answers are made from.
type HedgeStore interface {
	// HedgeRows hands the rows of each key to take, one key after another.
	HedgeRows(ctx context.Context, sc query.HedgeScope, take func(query.HedgeRows) error) (query.HedgeMeta, error)
	// HedgedRequests hands the requests of each key to take, with the backups
	// that were sent for them.
	HedgedRequests(ctx context.Context, sc query.HedgeScope, take func(query.HedgeServed) error) (query.HedgeMeta, error)
}

// AdviceStore keeps hedge advice and what people changed in the policy.
type AdviceStore interface {
	// SaveAdvice keeps pieces of advice; one kept twice counts once.
	SaveAdvice(ctx context.Context, all []query.StoredAdvice) error
	// Advice returns the advice of these ids, as far as there is.
	Advice(ctx context.Context, ids []string) ([]query.StoredAdvice, error)
	// LatestAdvice returns the newest advice of each key, of windows that
	// ended at to or before and that was made at since or later.
	LatestAdvice(ctx context.Context, since, to time.Time) ([]query.StoredAdvice, error)
	// SavePolicyChange keeps one change.
	SavePolicyChange(ctx context.Context, c query.PolicyChange) error
	// PolicyChanges returns the changes of a window, in order.
	PolicyChanges(ctx context.Context, w query.Window) ([]query.PolicyChange, error)
}

// RequestStore looks up single attempts.
type RequestStore interface {
	// Requests returns one page of attempts.
	Requests(ctx context.Context, q query.Requests, sc query.Scope) (query.RequestsAnswer, error)
	// Request returns one request's attempts, none where the id is unknown.
	Request(ctx context.Context, id string, explain bool) (query.RequestAnswer, error)
}

// QualityStore answers questions about the data itself.
type QualityStore interface {
	// Quality returns what arrived, was rejected and flagged.
	Quality(ctx context.Context, q query.Quality, sc query.Scope) (query.QualityAnswer, error)
	// Values returns the most frequent values of one dimension.
	Values(ctx context.Context, q query.Values, sc query.Scope) (query.ValuesAnswer, error)
}

// Classifier judges one record with the configured thresholds.
type Classifier interface {
	// Classify returns the verdict for one record whose Derived is filled.
	Classify(r *schema.Record) classify.Verdict
}

// Producer takes accepted records of an upload, as canonical JSON, and
// returns nil only when all of them are safe in the log.
type Producer interface {
	// Produce writes the records in order. It may keep them only after an
	// error: their memory is used again.
	Produce(ctx context.Context, records [][]byte) error
}

// Components reports the states of the process's parts for readiness.
type Components interface {
	// Components returns every part, sorted by name.
	Components() []ComponentState
}

// ComponentState is what one part says of itself.
type ComponentState struct {
	Component string
	Ready     bool
	Reason    string
	Since     time.Time
}
