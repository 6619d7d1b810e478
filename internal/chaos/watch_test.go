package chaos

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
)

// watch reads the group's committed offsets all the time: none may ever go
// back, whoever commits.
type watch struct {
	cancel context.CancelFunc
	done   chan struct{}

	mu      sync.Mutex
	last    map[int32]int64
	samples int
	faults  []string
}

const watchEvery = 100 * time.Millisecond

func (l *lab) startWatch() *watch {
	ctx, cancel := context.WithCancel(context.Background())
	w := &watch{cancel: cancel, done: make(chan struct{}), last: map[int32]int64{}}
	l.t.Cleanup(w.stop)
	go func() {
		defer close(w.done)
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				w.look(ctx, l.admin, l.topic)
			case <-ctx.Done():
				return
			}
		}
	}()
	return w
}

// look reads once. A broker that is down or still loading says nothing.
func (w *watch) look(ctx context.Context, admin *kadm.Client, topic string) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	all, err := admin.FetchOffsets(ctx, topic)
	if err != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.samples++
	seen := map[int32]bool{}
	for p, o := range all[topic] {
		if o.Err != nil {
			return
		}
		seen[p] = true
		if before, ok := w.last[p]; ok && o.At < before {
			w.faults = append(w.faults, fmt.Sprintf("partition %d went back from %d to %d (%s)", p, before, o.At, o.Metadata))
		}
		w.last[p] = o.At
	}
	for p, before := range w.last {
		if !seen[p] {
			w.faults = append(w.faults, fmt.Sprintf("partition %d has no commit any more, it had %d", p, before))
		}
	}
}

func (w *watch) committed() map[int32]int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := map[int32]int64{}
	for p, at := range w.last {
		out[p] = at
	}
	return out
}

func (w *watch) stop() {
	w.cancel()
	<-w.done
}
