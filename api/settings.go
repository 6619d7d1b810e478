package api

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"headway/query"
)

// HedgeSettings say what advice may do, for all routes and by route.
type HedgeSettings struct {
	Default RouteSettings
	Routes  map[string]RouteSettings
	// Rho is the correlation of the pessimistic case, 0 to 1.
	Rho float64
	// Currency of Prices, for example USD; Prices are by model.
	Currency string
	Prices   map[string]Price
	// BillsFull says of providers whether they bill a cancelled answer in
	// full; it is not known of those that are left out.
	BillsFull map[string]bool
	// Queues name the upstream queue that a channel waits in; channels of one
	// queue are no backup for each other.
	Queues map[string]string
	// HoldoutShare of the requests that would be hedged are not, at random, so
	// that the gain can be measured; 0 to below 1.
	HoldoutShare float64
	// ValidFor is how long a policy from one piece of advice holds.
	ValidFor time.Duration
}

// Price is money per million tokens.
type Price struct{ Input, Output float64 }

// Tier says whether a route is meant to be hedged.
type Tier string

// The tiers. Hedging is off by default, and meant for core routes.
const (
	TierOther Tier = "other"
	TierCore  Tier = "core"
)

// RouteSettings say what hedging may do on one route.
type RouteSettings struct {
	SideEffects bool          // a request must not be sent twice
	SharedQueue bool          // primary and backup share one upstream queue
	Floor       time.Duration // smallest delay, at least 100 ms; 0 means that
	Cap         time.Duration // largest delay; 0 for none
	Timeout     time.Duration // request time-out; 0 for unknown
	Target      float64       // quantile of the verdict; 0 lets the answer choose
	Configured  time.Duration // delay in force; 0 for none
	Tier        Tier          // empty means other
	Metric      string        // first-token metric of the route; empty for the sources' own
	Budget      float64       // largest share of requests that may be hedged, 0 to 1; 0 for none
}

// minFloor is the smallest delay that advice may give (hedge.md, Guards).
const minFloor = 100 * time.Millisecond

// DefaultHedgeSettings allow hedging on every route from 100 ms on.
func DefaultHedgeSettings() HedgeSettings {
	return HedgeSettings{Default: RouteSettings{Floor: minFloor}, Rho: 0.6, HoldoutShare: 0.05, ValidFor: 8 * 24 * time.Hour}
}

// Route returns the settings of a route: what its own entry leaves out is the
// default's, and a danger named by either holds.
func (h HedgeSettings) Route(name string) RouteSettings {
	r, ok := h.Routes[name]
	if !ok {
		r = h.Default
	}
	r.SideEffects = r.SideEffects || h.Default.SideEffects
	r.SharedQueue = r.SharedQueue || h.Default.SharedQueue
	inherit(&r.Floor, h.Default.Floor)
	inherit(&r.Cap, h.Default.Cap)
	inherit(&r.Timeout, h.Default.Timeout)
	inherit(&r.Target, h.Default.Target)
	inherit(&r.Configured, h.Default.Configured)
	inherit(&r.Tier, h.Default.Tier)
	inherit(&r.Metric, h.Default.Metric)
	inherit(&r.Budget, h.Default.Budget)
	inherit(&r.Tier, TierOther)
	r.Floor = max(r.Floor, minFloor)
	return r
}

// Key returns the settings of a key. Where the key says nothing of the route,
// the filters may; else its rows may be of any route, and every danger named
// anywhere holds.
func (h HedgeSettings) Key(key map[string]string, where []query.Condition) RouteSettings {
	if name, ok := key["route"]; ok {
		return h.Route(name)
	}
	for _, c := range where {
		if c.Dimension == "route" && c.Op == query.OpIn && len(c.Values) > 0 {
			return h.strictest(c.Values)
		}
	}
	return h.strictest(slices.Sorted(maps.Keys(h.Routes)))
}

// strictest is the first of the routes, or the default, with every danger
// that any of them names.
func (h HedgeSettings) strictest(routes []string) RouteSettings {
	r := h.Route("")
	if len(routes) == 1 {
		r = h.Route(routes[0])
	}
	for _, name := range routes {
		other := h.Route(name)
		r.SideEffects = r.SideEffects || other.SideEffects
		r.SharedQueue = r.SharedQueue || other.SharedQueue
	}
	return r
}

func inherit[T comparable](v *T, from T) {
	var none T
	if *v == none {
		*v = from
	}
}

func (h HedgeSettings) validate() error {
	errs := []error{h.Default.validate("hedge.default")}
	for name, r := range h.Routes {
		errs = append(errs, r.validate("hedge.routes."+name))
	}
	for model, p := range h.Prices {
		if !(p.Input >= 0 && p.Output >= 0) {
			errs = append(errs, fmt.Errorf("hedge.prices.%s: prices per million tokens, 0 or more", model))
		}
	}
	if !(h.HoldoutShare >= 0 && h.HoldoutShare < 1) {
		errs = append(errs, fmt.Errorf("hedge.holdout_share %v: a share from 0 to below 1", h.HoldoutShare))
	}
	if h.ValidFor < 0 {
		errs = append(errs, fmt.Errorf("hedge.valid_for %s: a time above 0", h.ValidFor))
	}
	if !(h.Rho >= 0 && h.Rho <= 1) {
		errs = append(errs, fmt.Errorf("hedge.rho %v: a correlation from 0 to 1", h.Rho))
	}
	return errors.Join(errs...)
}

func (r RouteSettings) validate(key string) error {
	switch {
	case r.Floor != 0 && r.Floor < minFloor:
		return fmt.Errorf("%s.floor %s: at least %s, since a shorter delay only doubles the load", key, r.Floor, minFloor)
	case r.Cap != 0 && r.Cap < r.Floor:
		return fmt.Errorf("%s.cap %s: it is below the floor %s", key, r.Cap, r.Floor)
	case r.Tier != "" && r.Tier != TierCore && r.Tier != TierOther:
		return fmt.Errorf("%s.tier %q: core or other", key, r.Tier)
	case !(r.Budget >= 0 && r.Budget <= 1):
		return fmt.Errorf("%s.budget %v: a share of requests from 0 to 1", key, r.Budget)
	case r.Target != 0 && r.Target != 0.95 && r.Target != 0.99:
		return fmt.Errorf("%s.target %v: 0.95, 0.99 or 0", key, r.Target)
	}
	return nil
}

// metric is the first-token metric of a question that names none: that of the
// one route it is about. Where routes differ, the warning says so.
func (h HedgeSettings) metric(q query.Hedge) (name, warning string) {
	if q.Metric != "" {
		return q.Metric, ""
	}
	for _, c := range q.Where {
		if c.Dimension == "route" && c.Op == query.OpIn && len(c.Values) == 1 {
			return h.Route(c.Values[0]).Metric, ""
		}
	}
	for _, route := range slices.Sorted(maps.Keys(h.Routes)) {
		if m := h.Route(route).Metric; m != h.Default.Metric {
			return h.Default.Metric, fmt.Sprintf("route %s is configured to be hedged by %s: two metrics share no answer, so ask with route=%s to get it", route, m, route)
		}
	}
	return h.Default.Metric, ""
}

// shareQueue tells whether all channels of a key, busiest first, are known to
// wait in one upstream queue, so that none is a backup for another.
func (h HedgeSettings) shareQueue(channels []query.ValueCount) bool {
	queues := map[string]bool{}
	for _, c := range channels {
		queues[h.Queues[c.Value]] = true
	}
	return len(channels) > 1 && len(queues) == 1 && !queues[""]
}
