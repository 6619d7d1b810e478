package ops

import (
	"context"
	"log/slog"
	"time"
)

// Watch tells how often a component's readiness is looked at.
type Watch struct {
	Well     time.Duration // while it is well
	IllFirst time.Duration // first pause after a failed look; doubled after each
	IllMost  time.Duration // longest pause after a failed look
}

// DefaultWatch looks every two seconds, sooner after a failure.
func DefaultWatch() Watch {
	return Watch{Well: 2 * time.Second, IllFirst: 100 * time.Millisecond, IllMost: 5 * time.Second}
}

// Watch keeps a component's state current until ctx ends. It logs one line
// when the component becomes ready or ceases to be, none while the reason
// only changes its words. look returns nil while the component is well.
func (h *Health) Watch(ctx context.Context, log *slog.Logger, component string, w Watch, look func(context.Context) error) {
	known, was, pause := false, false, w.IllFirst
	for {
		err := look(ctx)
		if ctx.Err() != nil {
			return
		}
		reason := ""
		if err != nil {
			reason = err.Error()
		}
		h.Set(component, err == nil, reason)
		if flipped := !known || was != (err == nil); flipped {
			pause = w.IllFirst
			if err != nil {
				log.Warn("not ready", "component", component, "reason", reason)
			} else {
				log.Info("ready", "component", component)
			}
		}
		known, was = true, err == nil
		next := w.Well
		if err != nil {
			next, pause = pause, min(2*pause, w.IllMost)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(next):
		}
	}
}
