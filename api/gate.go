package api

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// gate lets a bounded number of questions in at once; a bounded number may
// wait for a bounded time.
type gate struct {
	limits  Limits
	places  chan struct{}
	waiting atomic.Int64
}

func newGate(l Limits) *gate { return &gate{limits: l, places: make(chan struct{}, l.Concurrency)} }

// enter waits for a place and returns how to leave it, or the problem why
// there is none.
func (g *gate) enter(ctx context.Context) (leave func(), err error) {
	leave = func() { <-g.places }
	select {
	case g.places <- struct{}{}:
		return leave, nil
	default:
	}
	defer g.waiting.Add(-1)
	if g.waiting.Add(1) > int64(g.limits.Queue) {
		return nil, problem("busy", fmt.Sprintf("%d questions run and %d wait already; ask again later, or raise query.concurrency",
			g.limits.Concurrency, g.limits.Queue)).after(retrySoon)
	}
	timer := time.NewTimer(g.limits.QueueTime)
	defer timer.Stop()
	select {
	case g.places <- struct{}{}:
		return leave, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for a place: %w", ctx.Err())
	case <-timer.C:
		return nil, problem("overloaded", fmt.Sprintf("all %d places were busy for %s; ask again later, or raise query.concurrency",
			g.limits.Concurrency, g.limits.QueueTime)).after(g.limits.QueueTime)
	}
}
