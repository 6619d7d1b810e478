package api

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"headway/query"
)

// Policy answers GET hedge/policy: what gateways poll.
type Policy struct {
	HoldoutShare float64     `json:"holdout_share" doc:"Of the requests that would be hedged, so many are not, at random, so that the gain can be measured; 0 to below 1."`
	Off          *PolicyOff  `json:"off" doc:"The switch for all keys; null while hedging is on."`
	Stale        bool        `json:"stale" doc:"The database does not answer: this is the last good policy. Headway-Policy-Age says how old it is."`
	Warnings     []string    `json:"warnings"`
	Keys         []PolicyKey `json:"keys"`
}

// PolicyOff says who switched hedging off, why and until when.
type PolicyOff struct {
	Who   string `json:"who"`
	Why   string `json:"why"`
	At    string `json:"at"`
	Until string `json:"until"`
}

// PolicyKey is the policy of one key.
type PolicyKey struct {
	Key          map[string]*string `json:"key"`
	Model        *string            `json:"model"`
	Route        *string            `json:"route"`
	Enabled      bool               `json:"enabled"`
	HedgeAfterMs *float64           `json:"hedge_after_ms" doc:"Null where no delay is known; enabled is then false."`
	Q            *float64           `json:"q" doc:"Chance of sending the backup once hedge_after_ms has passed; null with hedge_after_ms."`
	Budget       *float64           `json:"budget" doc:"Largest share of requests that may be hedged, a token bucket for the gateway; null for none."`
	ValidUntil   *string            `json:"valid_until" doc:"From then on the key is not hedged, unless the policy was read anew."`
	Verdict      *string            `json:"verdict"`
	AdviceID     *string            `json:"advice_id"`
	Reason       string             `json:"reason" doc:"Why it is enabled, or not."`
	Override     *PolicyOff         `json:"override" doc:"Who overrides the advice; null where nobody does."`
}

// keyPolicy is one key's policy before it is shown.
type keyPolicy struct {
	settings RouteSettings
	validFor time.Duration
	advice   *query.StoredAdvice
	override *query.PolicyChange
	off      *query.PolicyChange
	now      time.Time
}

// policyAt is the policy of all keys at now.
func (h HedgeSettings) policyAt(advice []query.StoredAdvice, changes []query.PolicyChange, now time.Time) Policy {
	state := query.FoldPolicy(changes, now)
	out := Policy{HoldoutShare: h.HoldoutShare, Off: presentChange(state.Off), Warnings: []string{}, Keys: []PolicyKey{}}
	byKey := map[string]*query.StoredAdvice{}
	var names []string
	for i, a := range advice {
		byKey[a.Key] = &advice[i]
		names = append(names, a.Key)
	}
	for name := range state.Overrides {
		if byKey[name] == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		key := query.ParseKeyText(name)
		p := keyPolicy{settings: h.Key(key, nil), validFor: h.ValidFor, advice: byKey[name], off: state.Off, now: now}
		if c, ok := state.Overrides[name]; ok {
			p.override = &c
		}
		out.Keys = append(out.Keys, p.show(key))
	}
	return out
}

func presentChange(c *query.PolicyChange) *PolicyOff {
	if c == nil {
		return nil
	}
	return &PolicyOff{Who: c.Who, Why: c.Why, At: stamp(c.At), Until: stamp(c.Until)}
}

// show is the policy of one key: the advice while it is valid, an override
// before it, and the switch before both.
func (p keyPolicy) show(key map[string]string) PolicyKey {
	out := PolicyKey{Key: keyOf(key), Model: orNull(key["model"]), Route: orNull(key["route"]), Override: presentChange(p.override), Reason: "no advice is stored for this key"}
	if p.settings.Budget > 0 {
		out.Budget = ptr(p.settings.Budget)
	}
	if p.advice != nil {
		p.showAdvice(&out)
	}
	if c := p.override; c != nil {
		p.showOverride(&out, *c)
	}
	if out.HedgeAfterMs == nil {
		if out.Enabled {
			out.Enabled, out.Reason = false, "an override enables it, but no delay is known: give hedge_after_ms with it"
		}
	} else if out.Q == nil {
		out.Q = ptr(1.0)
	}
	if p.off != nil {
		out.Enabled, out.Reason = false, "hedging is switched off everywhere"
	}
	return out
}

func (p keyPolicy) showAdvice(out *PolicyKey) {
	a := answerOf(*p.advice)
	until := p.advice.MadeAt.Add(p.validFor)
	out.HedgeAfterMs, out.Verdict, out.AdviceID, out.ValidUntil = a.HedgeAfterMs, orNull(a.Verdict), ptr(p.advice.ID), ptr(stamp(until))
	switch {
	case !p.now.Before(until):
		out.Reason = "the advice is no longer valid: none newer was made"
	case p.settings.SideEffects || p.settings.SharedQueue:
		out.Reason = "the configuration says that this route is not safe to hedge"
	case a.Verdict != "hedge":
		out.Reason = "the verdict is " + a.Verdict
	case p.settings.Tier != TierCore:
		out.Reason = "the route is not of tier core, and hedging is off elsewhere"
	default:
		out.Enabled, out.Reason = true, "the verdict is hedge, on a route of tier core"
	}
}

func (p keyPolicy) showOverride(out *PolicyKey, c query.PolicyChange) {
	out.Enabled, out.ValidUntil, out.Reason = c.Enabled, ptr(stamp(c.Until)), "a person overrides the advice"
	if c.HedgeAfter != nil {
		out.HedgeAfterMs = ptr(millis(*c.HedgeAfter))
	}
	if c.Q != nil {
		out.Q = c.Q
	}
	if c.Budget != nil {
		out.Budget = c.Budget
	}
	if c.Enabled && p.settings.SideEffects {
		out.Enabled, out.Reason = false, "the route has side effects: a request must not be sent twice, whoever says so"
	}
}

// policyCache keeps what the policy is made from, so that polling gateways
// cost the database one question in policyFresh, and so that they get the
// last good policy while it is down.
type policyCache struct {
	mu      sync.Mutex
	tried   time.Time // when the database was last asked
	loaded  time.Time // when it last answered; zero for never
	advice  []query.StoredAdvice
	changes []query.PolicyChange
	err     error
}

const (
	// policyFresh is how long what was read is good enough for another answer.
	policyFresh = 10 * time.Second
	// policyWait is how long the database may take; then the last good policy
	// is better than none.
	policyWait = 5 * time.Second
)

// forget makes the next answer read anew.
func (c *policyCache) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tried = time.Time{}
}

// policy returns the policy at now, and how old what it is made from is.
func (s *Server) policy(ctx context.Context) (Policy, time.Duration, error) {
	c, now := s.policies, s.Now().UTC()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tried.IsZero() || now.Sub(c.tried) >= policyFresh || now.Before(c.tried) {
		c.tried = now
		advice, changes, err := s.readPolicy(ctx, now)
		if c.err = err; err == nil {
			c.advice, c.changes, c.loaded = advice, changes, now
		} else if ctx.Err() != nil { // this client went away; the next one asks again
			c.tried = time.Time{}
		}
		if err != nil && !c.loaded.IsZero() {
			s.Log.Warn("the hedge policy can't be read anew; the last good one is served", "as_of", stamp(c.loaded), "error", err)
		}
	}
	if c.loaded.IsZero() {
		return Policy{}, 0, c.err
	}
	out := s.Hedge.policyAt(c.advice, c.changes, now)
	if c.err != nil {
		out.Stale = true
		out.Warnings = append(out.Warnings, fmt.Sprintf("the database does not answer: this is the policy as of %s, which holds until each key's valid_until; /readyz says more", stamp(c.loaded)))
	}
	return out, now.Sub(c.loaded), nil
}

func (s *Server) readPolicy(ctx context.Context, now time.Time) ([]query.StoredAdvice, []query.PolicyChange, error) {
	ctx, cancel := context.WithTimeout(ctx, policyWait)
	defer cancel()
	advice, err := s.Advices.LatestAdvice(ctx, now.Add(-s.Hedge.ValidFor-week), now)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the newest hedge advice: %w", err)
	}
	changes, err := s.Advices.PolicyChanges(ctx, query.Window{From: now.Add(-maxOverride - 24*time.Hour), To: now.Add(time.Minute)})
	if err != nil {
		return nil, nil, fmt.Errorf("reading changes of the hedge policy: %w", err)
	}
	return advice, changes, nil
}

// keep drops the keys that a gateway did not ask for.
func (p *Policy) keep(want map[string]string) {
	p.Keys = slices.DeleteFunc(p.Keys, func(k PolicyKey) bool {
		have := textOf(k.Key)
		for d, v := range want {
			if got, ok := have[d]; !ok || got != v {
				return true
			}
		}
		return false
	})
}
