package main

import (
	"context"
	"net/url"
	"time"

	"headway/api"
	"headway/internal/config"
	"headway/query"
	"headway/schema"
)

// retryAdvice is how long a failed making of advice waits for the next try.
const retryAdvice = 5 * time.Minute

// nextAdvice is the next time at or after now at which advice is due.
func nextAdvice(s config.Schedule, now time.Time) time.Time {
	offset, _ := s.Offset() // Load has checked it
	next := now.UTC().Truncate(24 * time.Hour).Add(offset)
	for next.Before(now) || s.Every == "week" && next.Weekday() != time.Monday {
		next = next.AddDate(0, 0, 1)
	}
	return next
}

// adviseOnSchedule makes and stores advice when it is due, until ctx ends.
// Several servers may do so: what one has stored the others leave alone.
func (n *node) adviseOnSchedule(ctx context.Context, srv *api.Server) {
	due := nextAdvice(n.cfg.Hedge.Schedule, time.Now())
	for {
		timer := time.NewTimer(time.Until(due))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		if err := n.advise(ctx, srv); err != nil && ctx.Err() == nil {
			n.log.Error("making hedge advice on schedule; it is tried again", "in", retryAdvice, "error", err)
			due = time.Now().Add(retryAdvice)
			continue
		}
		due = nextAdvice(n.cfg.Hedge.Schedule, time.Now().Add(time.Second))
	}
}

// advise makes advice on every model and route for the last seven whole days.
func (n *node) advise(ctx context.Context, srv *api.Server) error {
	q, err := query.ParseRecommendation(schema.NewRegistry(), url.Values{})
	if err != nil {
		return err
	}
	made, err := srv.MakeAdvice(ctx, q, "schedule")
	if err == nil {
		n.log.Info("hedge advice was made on schedule", "keys", len(made.Advice), "new", made.New)
	}
	return err
}
