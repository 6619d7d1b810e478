package ingest

import (
	"context"
	"sync"
)

// budget bounds the memory of what is in flight. Who wants to read waits until
// less than the bound is in use; what was read is then added, so that one
// fetch may exceed the bound but never wait for itself. A partition with
// nothing in flight never waits, so that one that can't land starves no other:
// the bound may be exceeded by one fetch a partition.
type budget struct {
	mu    sync.Mutex
	bound int64
	used  int64
	freed chan struct{} // closed and renewed at each give while readers wait
}

func newBudget(bound int64) *budget {
	return &budget{bound: bound, freed: make(chan struct{})}
}

// wait returns when there is room or idle is true, or with the context's error.
func (b *budget) wait(ctx context.Context, idle func() bool) error {
	for {
		b.mu.Lock()
		room, freed := b.used < b.bound, b.freed
		b.mu.Unlock()
		if room || idle() {
			return ctx.Err()
		}
		select {
		case <-freed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// take adds n bytes; a negative n gives them back.
func (b *budget) take(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used += n
	if n < 0 {
		close(b.freed)
		b.freed = make(chan struct{})
	}
}

// inUse returns the bytes in flight.
func (b *budget) inUse() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}
