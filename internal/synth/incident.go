package synth

import (
	"math"
	"time"

	"headway/schema"
)

// Incident describes one kind of trouble that can be planted.
type Incident struct {
	Name string `json:"name"`
	Doc  string `json:"doc"` // one sentence
}

// Incidents lists every kind.
func Incidents() []Incident {
	out := make([]Incident, len(kinds))
	for i, k := range kinds {
		out[i] = Incident{k.name, k.doc}
	}
	return out
}

// kind is one entry of the table of incidents: what is true while it lasts,
// and what it does to requests before their dispatch and to calls.
type kind struct {
	name, doc               string
	stage, dimension, label string
	values                  []string // of the dimension, one is drawn
	// traffic is how many times the usual records come while it lasts.
	traffic   [2]float64 // clear, mild; 0 means 1
	onRequest func(*planted, *fleet, *request)
	onCall    func(*planted, *fleet, *request, *call) // only calls that match
}

func kindNamed(name string) (*kind, bool) {
	for i := range kinds {
		if kinds[i].name == name {
			return &kinds[i], true
		}
	}
	return nil, false
}

// planted is a kind with its value and time. A nil planted is quiet.
type planted struct {
	kind     *kind
	value    string
	from, to time.Time
	mild     bool
}

// plant draws the incident's value and time from its own dice, so that all
// else before it is as in quiet data of the same seed. It lasts an eighth of
// the span, 20 minutes to 2 hours but no more than a third, and lies in the
// second half.
func plant(cfg Config) *planted {
	d := newDice(^cfg.Seed)
	k, _ := kindNamed(cfg.Incident)
	span := cfg.To.Sub(cfg.From)
	lasts := min(max(span/8, 20*time.Minute), 2*time.Hour, span/3).Truncate(time.Minute)
	free := span - span/2 - lasts
	start := span/2 + time.Duration(math.Floor(d.Float64()*free.Minutes()))*time.Minute
	from := cfg.From.Add(start.Truncate(time.Minute))
	return &planted{kind: k, value: k.values[d.IntN(len(k.values))], from: from, to: from.Add(lasts), mild: cfg.Severity == Mild}
}

func (p *planted) truth() Truth {
	return Truth{Incident: p.kind.name, From: p.from, To: p.to, Stage: p.kind.stage, Dimension: p.kind.dimension, Value: p.value, Label: p.kind.label}
}

func (p *planted) active(at time.Time) bool {
	return p != nil && !at.Before(p.from) && at.Before(p.to)
}

// traffic returns the factor on the records of the minute that begins at at.
func (p *planted) traffic(at time.Time) float64 {
	if !p.active(at) || p.kind.traffic == [2]float64{} {
		return 1
	}
	return p.degree(p.kind.traffic[0], p.kind.traffic[1])
}

// degree returns one of two strengths.
func (p *planted) degree(clear, mild float64) float64 {
	if p.mild {
		return mild
	}
	return clear
}

// matches says whether a request on a channel has the incident's value.
func (p *planted) matches(q *request, ch *channel) bool {
	switch p.kind.dimension {
	case "channel":
		return ch.name == p.value
	case "provider":
		return ch.provider == p.value
	case "region":
		return ch.region == p.value
	case "model":
		return q.model.name == p.value
	case "route":
		return q.route.name == p.value
	case "gateway":
		return q.gateway.name == p.value
	case "client_region":
		return q.client.region == p.value
	}
	return p.kind.dimension == "input_band" && q.input >= longPrompt
}

// longPrompt is where the band 64k+ begins.
const longPrompt = 64_000

// slowLocal returns an effect on one local stage of matching requests.
func slowLocal(stage func(*request) *float64, clear, mild, sigma float64) func(*planted, *fleet, *request) {
	return func(p *planted, f *fleet, q *request) {
		if p.matches(q, q.channel) {
			*stage(q) += f.dice.around(p.degree(clear, mild), sigma)
		}
	}
}

// slowHeaders returns an effect that keeps matching calls from their headers.
func slowHeaders(clear, mild, sigma float64) func(*planted, *fleet, *request, *call) {
	return func(p *planted, f *fleet, _ *request, c *call) {
		c.headers += f.dice.around(p.degree(clear, mild), sigma)
	}
}

// timesOut ends a call that got no headers in time.
func (c *call) timesOut(after float64) {
	c.headers = never
	c.fail(schema.OutcomeTimeout, 504, "headers_timeout", after)
}
