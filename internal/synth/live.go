package synth

import (
	"context"
	"fmt"
	"math"
	"time"

	"headway/schema"
)

// Clock tells and waits for time.
type Clock interface {
	// Now returns the current time.
	Now() time.Time
	// After returns a channel that delivers once d has passed.
	After(d time.Duration) <-chan time.Time
}

// WallClock is the machine's clock.
type WallClock struct{}

// Now implements Clock.
func (WallClock) Now() time.Time { return time.Now() }

// After implements Clock.
func (WallClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// maxLate is how far the live generator may fall behind, because its sink is
// slow or the machine slept, before it goes on from now.
const maxLate = time.Second

// Live hands records to sink at wall-clock pace until ctx ends, which returns
// nil; rate is the mean of requests a second over a week, in the rhythm of
// day and week. A record is handed on when its handler ends, as gateways do:
// CreatedAt lies its total before now. The record is reused: sink copies it to
// keep it. Errors: a rate that is not above 0, and what sink returns.
func Live(ctx context.Context, rate float64, seed uint64, clock Clock, sink func(*schema.Record) error) error {
	if math.IsNaN(rate) || math.IsInf(rate, 0) || rate <= 0 {
		return fmt.Errorf("live rate %v: give a rate above 0 requests a second", rate)
	}
	f := newFleet(seed)
	var rec schema.Record
	due := clock.Now()
	for ctx.Err() == nil {
		busy := rate * load(due) / meanLoad
		due = due.Add(time.Duration(f.dice.ExpFloat64() / busy * float64(time.Second)))
		now := clock.Now()
		if now.Sub(due) > maxLate {
			due = now
		}
		select {
		case <-ctx.Done():
			return nil
		case <-clock.After(due.Sub(now)):
		}
		for i := range f.request(due.UTC()) {
			f.write(&rec, i)
			rec.CreatedAt = due.UTC().Add(-rec.Timing.TotalHandler.Value).Truncate(time.Millisecond)
			if err := sink(&rec); err != nil {
				return fmt.Errorf("handing on a live record: %w", err)
			}
		}
	}
	return nil
}
