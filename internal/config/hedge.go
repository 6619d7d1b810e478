package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"headway/query"
	"headway/schema"
)

// Hedge holds the settings of advice and policy, for all routes and by route.
type Hedge struct {
	Default Route            `yaml:"default"`
	Routes  map[string]Route `yaml:"routes"`
	Rho     float64          `yaml:"rho"` // correlation of the pessimistic case, 0 to 1
	// HoldoutShare of the requests that would be hedged are not, so that the
	// gain can be measured, 0 to 1.
	HoldoutShare float64 `yaml:"holdout_share"`
	// ValidFor is how long a policy from one piece of advice holds.
	ValidFor time.Duration `yaml:"valid_for"`
	Schedule Schedule      `yaml:"schedule"`
	// Currency names the money of Prices, which are by model.
	Currency  string                   `yaml:"currency"`
	Prices    map[string]Price         `yaml:"prices"`
	Providers map[string]HedgeProvider `yaml:"providers"`
	Channels  map[string]HedgeChannel  `yaml:"channels"`
}

// Schedule says when advice is made and stored.
type Schedule struct {
	Every string `yaml:"every"` // off, day or week (Mondays)
	At    string `yaml:"at"`    // hour and minute in UTC, for example 00:20
}

// Price is money per million tokens.
type Price struct {
	Input  float64 `yaml:"input"`
	Output float64 `yaml:"output"`
}

// HedgeProvider says what a provider does with a loser that is cancelled.
type HedgeProvider struct {
	CancelBillsFull bool `yaml:"cancel_bills_full"`
}

// HedgeChannel says what a channel shares with others.
type HedgeChannel struct {
	Queue string `yaml:"queue"` // upstream queue; channels of one queue are no backup for each other
}

// Route says what hedging may do on one route.
type Route struct {
	Tier        string        `yaml:"tier"`   // core or other; hedging is meant for core
	Metric      string        `yaml:"metric"` // first-token metric; empty for the sources' own
	SideEffects bool          `yaml:"side_effects"`
	SharedQueue bool          `yaml:"shared_queue"` // primary and backup share one upstream queue
	Floor       time.Duration `yaml:"floor"`        // smallest hedge delay, at least 100ms
	Cap         time.Duration `yaml:"cap"`          // largest hedge delay, 0 for none
	Timeout     time.Duration `yaml:"timeout"`      // request time-out, 0 for unknown
	Target      string        `yaml:"target"`       // p95, p99 or empty for the highest with enough rows
	Budget      float64       `yaml:"budget"`       // largest share of requests that may be hedged, 0 for none
	HedgeAfter  time.Duration `yaml:"hedge_after"`  // delay in force, 0 for none
}

// minFloor is the smallest hedge delay that advice may give (hedge.md, Guards).
const minFloor = 100 * time.Millisecond

func (h Hedge) validate() error {
	errs := []error{h.Default.validate("hedge.default"), h.Schedule.validate()}
	bad := func(when bool, format string, args ...any) {
		if when {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(h.Routes)) {
		errs = append(errs, h.Routes[name].validate("hedge.routes."+name))
	}
	bad(!(h.Rho >= 0 && h.Rho <= 1), "hedge.rho %v: give a correlation from 0 to 1", h.Rho)
	bad(!(h.HoldoutShare >= 0 && h.HoldoutShare < 1), "hedge.holdout_share %v: give a share from 0 to below 1, for example 0.05", h.HoldoutShare)
	bad(h.ValidFor < time.Hour, "hedge.valid_for %s: give at least 1h, and longer than the schedule takes", h.ValidFor)
	for _, model := range slices.Sorted(maps.Keys(h.Prices)) {
		p := h.Prices[model]
		bad(!(p.Input >= 0 && p.Output >= 0), "hedge.prices.%s: give prices per million tokens, 0 or more", model)
	}
	bad(len(h.Prices) > 0 && h.Currency == "", "hedge.currency: name the money of hedge.prices, for example USD")
	for _, name := range slices.Sorted(maps.Keys(h.Channels)) {
		bad(h.Channels[name].Queue == "", "hedge.channels.%s.queue: name the upstream queue, or leave the channel out", name)
	}
	return errors.Join(errs...)
}

func (s Schedule) validate() error {
	if _, err := s.Offset(); err != nil {
		return err
	}
	switch s.Every {
	case "off", "day", "week":
		return nil
	}
	return fmt.Errorf("hedge.schedule.every %q: use off, day or week", s.Every)
}

// Offset is At as the time since midnight UTC.
func (s Schedule) Offset() (time.Duration, error) {
	at, err := time.Parse("15:04", s.At)
	if err != nil {
		return 0, fmt.Errorf("hedge.schedule.at %q: write hour and minute in UTC, for example 00:20", s.At)
	}
	return time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute, nil
}

func (r Route) validate(key string) error {
	var errs []error
	bad := func(when bool, format string, args ...any) {
		if when {
			errs = append(errs, fmt.Errorf(key+format, args...))
		}
	}
	bad(r.Tier != "" && r.Tier != "core" && r.Tier != "other", ".tier %q: use core or other", r.Tier)
	if f, ok := schema.NewRegistry().Lookup(r.Metric); r.Metric != "" && (!ok || !f.FirstToken) {
		near := query.Nearest(r.Metric, []string{string(schema.MetricFirstResponse), string(schema.MetricFirstText)})
		bad(true, ".metric %q: name a first-token metric, for example %s", r.Metric, strings.Join(append(near, string(schema.MetricFirstResponse))[:1], ""))
	}
	bad(r.Floor != 0 && r.Floor < minFloor, ".floor %s: a hedge delay below %s only duplicates load; raise it", r.Floor, minFloor)
	floor := max(r.Floor, minFloor)
	bad(r.Cap != 0 && r.Cap < floor, ".cap %s: it is below the floor %s", r.Cap, floor)
	bad(r.Timeout < 0, ".timeout %s: give a time above 0, or leave it out", r.Timeout)
	bad(r.HedgeAfter < 0, ".hedge_after %s: give a time above 0, or leave it out", r.HedgeAfter)
	bad(!(r.Budget >= 0 && r.Budget <= 1), ".budget %v: give the share of requests that may be hedged, from 0 to 1, for example 0.05", r.Budget)
	if _, err := r.TargetQuantile(); err != nil {
		errs = append(errs, fmt.Errorf("%s.target %w", key, err))
	}
	return errors.Join(errs...)
}

// TargetQuantile is Target as a number, 0 where it is left out.
func (r Route) TargetQuantile() (float64, error) {
	switch strings.ToLower(r.Target) {
	case "":
		return 0, nil
	case "p95":
		return 0.95, nil
	case "p99":
		return 0.99, nil
	}
	return 0, fmt.Errorf("%q: use p95, p99 or leave it out", r.Target)
}
