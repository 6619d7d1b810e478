package ops

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Interruptible returns a context that the first SIGINT or SIGTERM cancels.
// A second signal calls abort at once; delivery guarantees hold all the same.
func Interruptible(parent context.Context, abort func()) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		defer signal.Stop(signals)
		select {
		case <-signals:
			cancel()
		case <-parent.Done():
			return
		}
		select {
		case <-signals:
			abort()
		case <-parent.Done():
		}
	}()
	return ctx, cancel
}
