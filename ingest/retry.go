package ingest

import (
	"context"
	"errors"
	"time"

	kafka "github.com/segmentio/kafka-go"
)

// backoff yields growing pauses.
type backoff struct{ min, max, last time.Duration }

func (b *backoff) next() time.Duration {
	b.last = min(max(2*b.last, b.min), b.max)
	return b.last
}

// pause waits for d, or returns the context's error.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// isFinal reports whether repeating a request to Kafka can't help: the
// partition is not ours any more, or not what it was.
func isFinal(err error) bool {
	return errors.Is(err, errFenced) || errors.Is(err, kafka.OffsetOutOfRange) || isMissing(err)
}

// askKafka repeats a request until it succeeds, the context ends or the error
// is final, and shows meanwhile that who waits for Kafka.
func (in *Ingester) askKafka(ctx context.Context, who string, do func(context.Context) error) error {
	wait := backoff{min: in.cfg.BackoffMin, max: in.cfg.BackoffMax}
	for {
		err := do(ctx)
		switch {
		case err == nil:
			in.board.clear(onKafka, who)
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case isFinal(err):
			return err
		}
		in.kafkaProblem(who, err)
		if err := pause(ctx, wait.next()); err != nil {
			return err
		}
	}
}

func (in *Ingester) kafkaProblem(who string, err error) {
	class, remedy := kafkaFault(err)
	in.metrics.kafkaErrors.WithLabelValues(class).Inc()
	in.board.report(onKafka, who, class, remedy, err)
}

// askSink is askKafka for the sink, for requests other than Land.
func (in *Ingester) askSink(ctx context.Context, who string, do func(context.Context) error) error {
	wait := backoff{min: in.cfg.BackoffMin, max: in.cfg.BackoffMax}
	for {
		err := do(ctx)
		if err == nil {
			in.board.clear(onSink, who)
			return nil
		}
		f := judge(ctx, err)
		if f.class == classStopped {
			return ctx.Err()
		}
		in.sinkProblem(who, f, err)
		if err := pause(ctx, wait.next()); err != nil {
			return err
		}
	}
}

func (in *Ingester) sinkProblem(who string, f fault, err error) {
	in.metrics.sinkErrors.WithLabelValues(string(f.class)).Inc()
	in.board.report(onSink, who, string(f.class), f.remedy, err)
}
