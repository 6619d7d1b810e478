package ops

import (
	"sort"
	"sync"
	"time"
)

// State is what one component says of itself.
type State struct {
	Component string
	Ready     bool
	Reason    string // what is wrong and the remedy; empty when ready
	Since     time.Time
}

// Health collects component states for readiness answers. It is safe for
// concurrent use.
type Health struct {
	mu     sync.Mutex
	now    func() time.Time
	states map[string]State
}

// NewHealth returns an empty Health that takes times from now.
func NewHealth(now func() time.Time) *Health {
	return &Health{now: now, states: map[string]State{}}
}

// Set records a component's state and reports whether it changed.
func (h *Health) Set(component string, ready bool, reason string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	old, known := h.states[component]
	if known && old.Ready == ready && old.Reason == reason {
		return false
	}
	h.states[component] = State{Component: component, Ready: ready, Reason: reason, Since: h.now().UTC()}
	return true
}

// Ready reports whether every named component has said that it is.
func (h *Health) Ready(components ...string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range components {
		if !h.states[c].Ready {
			return false
		}
	}
	return true
}

// States returns all states, sorted by component.
func (h *Health) States() []State {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := make([]State, 0, len(h.states))
	for _, s := range h.states {
		out = append(out, s)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Component < out[j].Component })
	return out
}
