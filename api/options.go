package api

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"headway/schema"
)

// Options are what a Server is made of. Uploads is nil where the process has
// no log to write to; every other part is needed.
type Options struct {
	Times      TimeStore
	Waits      WaitStore
	Hedges     HedgeStore
	Advices    AdviceStore
	Requests   RequestStore
	Quality    QualityStore
	Classifier Classifier
	Components Components
	Verifier   Verifier
	Uploads    Producer

	Fields  *schema.Registry
	Sources *schema.Sources
	Metrics *prometheus.Registry
	Web     fs.FS // the built dashboard, index.html at its root
	Log     *slog.Logger
	Now     func() time.Time
	NewID   func() string // request ids, and ids of records without one

	Version       string
	Notice        string // stands with every statistic, for example that the data is a sample; may be empty
	DefaultMetric string // what a bare ttft means
	Limits        Limits
	Records       RecordLimits
	Hedge         HedgeSettings
	Access        Access
}

// Limits bound what questions may cost the process.
type Limits struct {
	Concurrency int           // questions answered at once
	Queue       int           // questions waiting for a place
	QueueTime   time.Duration // longest wait for a place
	Timeout     time.Duration // longest time of one question
}

// DefaultLimits are those of one machine.
func DefaultLimits() Limits {
	return Limits{Concurrency: 8, Queue: 64, QueueTime: 5 * time.Second, Timeout: 30 * time.Second}
}

// RecordLimits bound uploads.
type RecordLimits struct {
	MaxBody   int64 // bytes of a body as sent, and eight times that unpacked
	MaxRecord int   // bytes of one record
	Retention time.Duration
	Content   schema.ContentMode
}

// DefaultRecordLimits take uploads of 64 MiB.
func DefaultRecordLimits() RecordLimits {
	return RecordLimits{MaxBody: 64 << 20, MaxRecord: schema.DefaultMaxBytes, Retention: schema.DefaultRetention, Content: schema.ContentDrop}
}

func (o Options) validate() error {
	for name, missing := range map[string]bool{
		"Times": o.Times == nil, "Waits": o.Waits == nil, "Hedges": o.Hedges == nil, "Advices": o.Advices == nil, "Requests": o.Requests == nil, "Quality": o.Quality == nil,
		"Classifier": o.Classifier == nil, "Components": o.Components == nil, "Verifier": o.Verifier == nil, "Fields": o.Fields == nil, "Sources": o.Sources == nil,
		"Metrics": o.Metrics == nil, "Web": o.Web == nil, "Log": o.Log == nil, "Now": o.Now == nil, "NewID": o.NewID == nil,
	} {
		if missing {
			return fmt.Errorf("api option %s is missing", name)
		}
	}
	if f, ok := o.Fields.Lookup(o.DefaultMetric); !ok || f.Kind != schema.KindMeasure {
		return fmt.Errorf("query.metric %q is no measure; use for example first_response_ms", o.DefaultMetric)
	}
	if l := o.Limits; l.Concurrency < 1 || l.Queue < 0 || l.QueueTime <= 0 || l.Timeout <= 0 {
		return errors.New("api limits: concurrency, queue time and timeout must be above 0")
	}
	if o.Records.MaxBody < 1 {
		return errors.New("api limits: the largest upload must be above 0 bytes")
	}
	return errors.Join(o.Access.Validate(), o.Hedge.validate())
}
