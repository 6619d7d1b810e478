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
}

// RouteSettings say what hedging may do on one route.
type RouteSettings struct {
	SideEffects bool          // a request must not be sent twice
	SharedQueue bool          // primary and backup share one upstream queue
	Floor       time.Duration // smallest delay, at least 100 ms; 0 means that
	Cap         time.Duration // largest delay; 0 for none
	Timeout     time.Duration // request time-out; 0 for unknown
	Target      float64       // quantile of the verdict; 0 lets the answer choose
	Configured  time.Duration // delay in force; 0 for none
}

// minFloor is the smallest delay that advice may give (hedge.md, Guards).
const minFloor = 100 * time.Millisecond

// DefaultHedgeSettings allow hedging on every route from 100 ms on.
func DefaultHedgeSettings() HedgeSettings {
	return HedgeSettings{Default: RouteSettings{Floor: minFloor}, Rho: 0.6}
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
	case r.Target != 0 && r.Target != 0.95 && r.Target != 0.99:
		return fmt.Errorf("%s.target %v: 0.95, 0.99 or 0", key, r.Target)
	}
	return nil
}
