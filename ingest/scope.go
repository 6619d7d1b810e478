package ingest

import (
	"context"
	"time"
)

func (in *Ingester) isStopping() bool {
	return in.stop.Err() != nil
}

// flushWithin is the part of StopWithin in which batches may still land.
func (in *Ingester) flushWithin() time.Duration { return in.cfg.StopWithin * 2 / 3 }

// readScope ends with the generation or when the Ingester stops.
func (in *Ingester) readScope(gen context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(gen)
	unhook := context.AfterFunc(in.stop, cancel)
	return ctx, func() { unhook(); cancel() }
}

// landScope outlives both for a while, so that a landing that has begun may
// end well.
func (in *Ingester) landScope(gen context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer cancel()
		limit := landLimit
		select {
		case <-ctx.Done():
			return
		case <-gen.Done():
		case <-in.stop.Done():
			limit = in.flushWithin()
		}
		_ = pause(ctx, limit) // an error means that the worker is done
	}()
	return ctx, cancel
}
