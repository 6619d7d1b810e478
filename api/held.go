package api

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/semaphore"
)

// heldUploads is how many of the largest bodies are held in memory at once.
const heldUploads = 2

// held bounds the bytes of uploads that have to be read twice, and so are
// held whole.
type held struct {
	bytes *semaphore.Weighted
	most  int64         // of one upload
	wait  time.Duration // longest wait for room
}

func newHeld(maxBody int64, wait time.Duration) *held {
	return &held{bytes: semaphore.NewWeighted(heldUploads * maxBody), most: maxBody, wait: wait}
}

// enter waits for room for n bytes and returns how to give it back, or the
// problem why there is none.
func (h *held) enter(ctx context.Context, n int64) (leave func(), err error) {
	waiting, cancel := context.WithTimeout(ctx, h.wait)
	defer cancel()
	if h.bytes.Acquire(waiting, n) == nil {
		return func() { h.bytes.Release(n) }, nil
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("waiting for room to hold an upload: %w", ctx.Err())
	}
	return nil, problem("overloaded", fmt.Sprintf("other uploads with shift_to_now hold the %d bytes there are for them; send it again later, or split it",
		heldUploads*h.most)).after(retrySoon)
}
