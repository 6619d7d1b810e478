package classify

import (
	"fmt"
	"maps"

	"headway/schema"
)

// Classifier judges records by one set of rules. It is immutable and safe for
// concurrent use.
type Classifier struct {
	version string
	routes  map[string]int
	models  map[string]int
	// grid holds the thresholds of each route × model with exceptions; row 0
	// and column 0 stand for all others.
	grid [][]limits
}

// New returns a classifier for the rules. Its error lists every mistake of
// the rules with the remedy.
func New(rules Rules) (*Classifier, error) {
	if err := rules.Validate(); err != nil {
		return nil, fmt.Errorf("reading the classifier's thresholds: %w", err)
	}
	c := &Classifier{version: rules.Version(), routes: numbered(rules.Routes), models: numbered(rules.Models)}
	base := DefaultRules().Default
	maps.Copy(base, rules.Default)
	c.grid = make([][]limits, len(c.routes)+1)
	fill := func(route string, row int) {
		c.grid[row] = make([]limits, len(c.models)+1)
		c.grid[row][0] = compile(base, rules.Routes[route])
		for model, column := range c.models {
			c.grid[row][column] = compile(base, rules.Routes[route], rules.Models[model])
		}
	}
	fill("", 0)
	for route, row := range c.routes {
		fill(route, row)
	}
	return c, nil
}

// numbered gives each name a place from 1 on; a name that is not in the map
// gets the map's zero.
func numbered(by map[string]Settings) map[string]int {
	out := make(map[string]int, len(by))
	for name := range by {
		out[name] = len(out) + 1
	}
	return out
}

func compile(levels ...Settings) limits {
	var l limits
	for _, level := range levels {
		for name, v := range level {
			if s, ok := settingNamed(name); ok {
				s.apply(&l, v)
			}
		}
	}
	return l
}

// RulesVersion returns the version that every verdict of c carries.
func (c *Classifier) RulesVersion() string { return c.version }

// Classify returns the verdict for one record, whose Derived must be filled as
// schema.Derive tells. It keeps no reference to the record, and judges its
// timing only: healthy is no statement about the record's outcome.
func (c *Classifier) Classify(r *schema.Record) Verdict {
	l := &c.grid[c.routes[r.Route]][c.models[r.Model]]
	v := read(r)
	out := verdict{Verdict: Verdict{Labels: []Label{}, Evidence: []Evidence{}, RulesVersion: c.version}}
	out.judge(&v, l)
	missing, applies := v.missing()
	out.Unmeasured = missing.and(applies).names()
	out.NotApplicable = missing.without(applies).names()
	out.Stage = v.largestStage()
	switch {
	case len(out.Labels) > 0:
		out.Primary = out.Labels[0]
	case v.measured(missing.and(applies)):
		out.Primary = Healthy
	default:
		out.Primary = Unknown
	}
	return out.Verdict
}
