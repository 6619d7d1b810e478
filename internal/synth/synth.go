// Package synth invents timing records of a fleet of LLM gateways, seeded and
// in time order, with incidents planted on request; it writes nothing
// anywhere, and its figures describe no real provider.
package synth

import (
	"iter"
	"math"
	"time"

	"headway/schema"
)

// Config says what to invent. Either N or Rate is given.
type Config struct {
	Seed     uint64
	From, To time.Time // From inclusive, To exclusive
	N        int64     // records in all
	Rate     float64   // mean records a second over From..To; used where N is 0
	Incident string    // one of Incidents, empty for quiet data
	Severity Severity  // of the incident; empty means Clear
}

// Severity says how strongly an incident shows.
type Severity string

// The severities.
const (
	Clear Severity = "clear" // most affected requests are labelled
	Mild  Severity = "mild"  // the distribution moves, few requests cross a threshold
)

// Truth says what was planted, for comparison with what was found. Incident
// is empty for quiet data; From and To are then those of the data. Stage and
// Label are empty for incidents that slow nothing (fast failures).
type Truth struct {
	Incident  string    `json:"incident"`
	From      time.Time `json:"from"`
	To        time.Time `json:"to"`
	Stage     string    `json:"stage"`
	Dimension string    `json:"dimension"`
	Value     string    `json:"value"`
	Label     string    `json:"label"`
}

// Generator yields the records of one Config.
type Generator struct {
	cfg   Config
	fleet *fleet
	truth Truth
}

// New returns a generator, or an error that names the mistaken setting and
// the remedy. Memory does not grow with N.
func New(cfg Config) (*Generator, error) {
	if cfg.Severity == "" {
		cfg.Severity = Clear
	}
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	cfg.From, cfg.To = cfg.From.UTC(), cfg.To.UTC()
	if cfg.N == 0 {
		cfg.N = int64(math.Ceil(cfg.Rate * cfg.To.Sub(cfg.From).Seconds()))
	}
	g := &Generator{cfg: cfg, fleet: newFleet(cfg.Seed), truth: Truth{From: cfg.From, To: cfg.To}}
	if cfg.Incident != "" {
		g.fleet.planted = plant(cfg)
		g.truth = g.fleet.planted.truth()
	}
	return g, nil
}

// Truth returns what was planted.
func (g *Generator) Truth() Truth { return g.truth }

// All yields exactly N records in order of CreatedAt, as the decoder of the
// headway source would give them: Derived is filled, and answers that came in
// one piece carry their flag. The calls of one request follow each other; the
// last request is cut off where N is reached. The record is reused: copy it to
// keep it. All may be ranged over once.
func (g *Generator) All() iter.Seq[*schema.Record] {
	return func(yield func(*schema.Record) bool) {
		arrivals := newArrivals(g.cfg, g.fleet.planted)
		var rec schema.Record
		size := 1
		for left := g.cfg.N; left > 0; {
			at := arrivals.next(&g.fleet.dice, size, left)
			calls := g.fleet.request(at)
			size = len(calls)
			for i := range calls {
				if left == 0 {
					return
				}
				left--
				g.fleet.write(&rec, i)
				if !yield(&rec) {
					return
				}
			}
		}
	}
}
