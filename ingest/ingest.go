// Package ingest moves Kafka records to a sink in batches: none lost, none
// doubled, none silently dropped. It decodes and judges through schema and
// classify, speaks no SQL, and holds no record that Kafka does not also hold.
package ingest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"headway/classify"
	"headway/schema"
)

// Ingester is one member of a consumer group. Any number of them, in any
// number of processes, share a group and a sink.
type Ingester struct {
	cfg        Config
	limits     limits
	sink       Sink
	classifier *classify.Classifier
	log        *slog.Logger
	now        func() time.Time
	broker     *broker
	board      *board
	metrics    *metrics
	budget     *budget
	guard      *guard
	batches    sync.Pool       // of *batch, so that their rows' memory is used again
	stop       context.Context // Run's; it ends when the Ingester shall stop
}

// Deps is what an Ingester needs; all of it is required.
type Deps struct {
	Sink       Sink
	Classifier *classify.Classifier
	Metrics    prometheus.Registerer // gets the headway_ metrics of ingestion
	Log        *slog.Logger
	Now        func() time.Time
}

// New returns an Ingester, or an error that lists every mistake of the
// configuration with its remedy. It connects to nothing.
func New(cfg Config, deps Deps) (*Ingester, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("setting ingestion up: %w", err)
	}
	if deps.Sink == nil || deps.Classifier == nil || deps.Metrics == nil || deps.Log == nil || deps.Now == nil {
		return nil, errors.New("setting ingestion up: every field of Deps is needed")
	}
	if _, err := newDecoders(cfg.Decode); err != nil {
		return nil, fmt.Errorf("setting ingestion up: %w", err)
	}
	in := &Ingester{
		cfg: cfg, limits: limits{rows: cfg.BatchRows, bytes: cfg.BatchBytes, age: cfg.BatchAge},
		sink: deps.Sink, classifier: deps.Classifier, log: deps.Log, now: deps.Now,
		broker: newBroker(cfg.Brokers, cfg.Security, cfg.Group, topicNames(cfg.Topics), cfg.Watch),
		board:  newBoard(deps.Log, deps.Now),
		budget: newBudget(cfg.MemoryBytes),
		guard:  newGuard(cfg.DailyModels, cfg.DailyChannels),
	}
	in.metrics = newMetrics(deps.Metrics, deps.Now, in.budget.inUse)
	deps.Metrics.MustRegister(newBoardMetrics(in.board, deps.Now))
	in.batches.New = func() any { return &batch{rows: deps.Sink.NewRows()} }
	in.board.await(onKafka, "group", "has not joined the consumer group yet")
	return in, nil
}

// maxBytes is the size above which messages are refused.
func (in *Ingester) maxBytes() int {
	if n := in.cfg.Decode.MaxBytes; n > 0 {
		return n
	}
	return schema.DefaultMaxBytes
}

func topicNames(topics []Topic) []string {
	names := make([]string, len(topics))
	for i, t := range topics {
		names[i] = t.Name
	}
	return names
}

// Run reads and lands until the context ends; then it lands what it has read,
// commits, leaves the group and returns nil within Config.StopWithin. What
// could not be landed in that time stays in Kafka for the next owner. It
// waits for Kafka, topics and sink however long they are away, and returns an
// error only where kafka-go refuses the configuration. Run runs once.
func (in *Ingester) Run(ctx context.Context) error {
	in.stop = ctx
	defer in.broker.close()
	for ctx.Err() == nil {
		topics, err := in.awaitTopics(ctx)
		if err != nil {
			break
		}
		if err := in.consume(ctx, topics); err != nil {
			return err
		}
	}
	return nil
}

// Status returns what keeps records from landing, and where each partition
// of this member stands.
func (in *Ingester) Status() Status { return in.board.status() }

// Ready returns nil where records can land, and else why not and the remedy.
func (in *Ingester) Ready(context.Context) error { return in.board.status().Err() }

func (in *Ingester) newBatch() *batch { return in.batches.Get().(*batch) }

// recycle takes a landed batch's memory back.
func (in *Ingester) recycle(b *batch) {
	b.reset()
	in.batches.Put(b)
}
