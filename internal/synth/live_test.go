package synth_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"headway/internal/synth"
	"headway/schema"
)

// jumpingClock stands still until waited on, and then jumps.
type jumpingClock struct{ now time.Time }

func (c *jumpingClock) Now() time.Time { return c.now }

func (c *jumpingClock) After(d time.Duration) <-chan time.Time {
	if d > 0 {
		c.now = c.now.Add(d)
	}
	ready := make(chan time.Time, 1)
	ready <- c.now
	return ready
}

func TestLivePace(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	clock := &jumpingClock{now: monday}
	requests, last := 0, ""
	err := synth.Live(ctx, 2, 1, clock, func(r *schema.Record) error {
		if ended := r.CreatedAt.Add(r.Timing.TotalHandler.Value); ended.After(clock.now) || clock.now.Sub(ended) > 2*time.Millisecond {
			t.Fatalf("a record that ended at %s was handed on at %s", ended, clock.now)
		}
		if r.RequestID != last {
			last = r.RequestID
			requests++
		}
		if clock.now.Sub(monday) > 24*time.Hour {
			cancel()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	// A weekday is 1/meanLoad above the week's mean, meanLoad = 6.1/7.
	want := 2 * 86_400 * 7 / 6.1
	if sigma := math.Abs(float64(requests)-want) / math.Sqrt(want); sigma > 5 {
		t.Errorf("%d requests on a weekday; want about %.0f", requests, want)
	}
}

func TestLiveEnds(t *testing.T) {
	t.Parallel()
	full := errors.New("sink is full")
	err := synth.Live(t.Context(), 5, 1, &jumpingClock{now: monday}, func(*schema.Record) error { return full })
	if !errors.Is(err, full) || !strings.Contains(err.Error(), "live record") {
		t.Errorf("error %v; want the sink's, with what was being done", err)
	}
	for _, rate := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if err := synth.Live(t.Context(), rate, 1, &jumpingClock{now: monday}, nil); err == nil || !strings.Contains(err.Error(), "above 0") {
			t.Errorf("rate %v: error %v; want the remedy", rate, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := synth.Live(ctx, 0.001, 1, synth.WallClock{}, nil); err != nil {
		t.Errorf("ended context: %v; want nil", err)
	}
}

// TestLiveForgetsADelay lets a sink stall for an hour: the generator must go
// on from now instead of catching up in a burst.
func TestLiveForgetsADelay(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	clock := &jumpingClock{now: monday}
	n := 0
	err := synth.Live(ctx, 10, 1, clock, func(*schema.Record) error {
		if n++; n == 5 {
			clock.now = clock.now.Add(time.Hour)
		}
		if n == 50 {
			cancel()
		}
		return nil
	})
	if after := clock.now.Sub(monday.Add(time.Hour)); err != nil || after < 2*time.Second {
		t.Errorf("the records after the stall came within %s, %v; want them at their pace", after, err)
	}
}
