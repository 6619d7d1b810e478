package synth

import (
	"math"

	"headway/schema"
)

// call is one upstream call: its course in ms as if nothing cut it short, and
// the time at which something did. Times after the cut are never seen.
type call struct {
	role     schema.Role
	attempt  uint16
	channel  *channel
	inflight int64
	dispatch float64 // after t0

	headers   float64 // dispatch → headers
	event     float64 // headers → first event
	effective float64 // first event → first response
	text      float64 // first response → first text
	window    float64 // first text (response of a tool-only answer) → end
	gap       float64 // largest silence inside the window

	cut        float64 // after dispatch; never where the call completed
	outcome    schema.Outcome
	status     int32 // 0 for none
	errorClass string
}

func (c *call) response() float64 { return c.headers + c.event + c.effective }
func (c *call) complete() float64 { return c.response() + c.text + c.window }
func (c *call) end() float64      { return c.dispatch + min(c.complete(), c.cut) }
func (c *call) responded() bool   { return c.response() <= c.cut }

// answersError says whether the upstream answered, but with an error.
func (c *call) answersError() bool {
	return c.outcome == schema.OutcomeRateLimited || c.outcome == schema.OutcomeError
}

func (f *fleet) drawCall(q *request, ch *channel, dispatch float64) call {
	d, m := &f.dice, q.model
	busy := 0.85 + 0.15*q.load
	c := call{role: schema.RolePrimary, channel: ch, dispatch: dispatch, cut: never, outcome: schema.OutcomeCompleted, status: 200,
		inflight: int64(d.around(ch.inflight*q.load, 0.25))}
	c.headers = ch.rtt + d.around(m.admission*ch.factor*busy, 0.35)
	if d.chance(ch.tail) {
		c.headers *= 1 + d.pareto(1.3, 20)
	}
	wait := float64(q.input-q.cached)/1000*m.prefill*ch.factor*d.around(busy, 0.25) + d.around(60, 0.5)
	rate := d.around(m.tps/(0.9+0.1*q.load)/math.Sqrt(ch.factor), 0.22)
	thinking := float64(q.reasoning) / reasoningTPS * 1000 * d.around(1, 0.2)
	c.event = d.around(25, 0.5)
	if m.earlyEvent {
		c.effective = wait
	} else {
		c.event += wait
		c.effective = d.within(0, 12)
	}
	switch {
	case m.reasoning == hiddenReasoning:
		c.effective += thinking
	case q.tools && !q.toolOnly && d.chance(0.2):
		c.text = d.around(450, 0.6)
	default:
		c.text = d.within(0, 10)
	}
	if m.reasoning == shownReasoning {
		c.text += thinking
	}
	c.window = float64(max(q.visible-1, 1)) / rate * 1000
	c.gap = min(c.window, 3000/rate+d.around(110, 0.6))
	f.drawFate(q, &c)
	if p := f.planted; p.active(q.at) && p.kind.onCall != nil && !c.answersError() && p.matches(q, ch) {
		p.kind.onCall(p, f, q, &c)
	}
	if !q.stream && !c.answersError() {
		c.asOneBody(d)
	}
	c.timeOut(q.route.timeout)
	return c
}

// asOneBody turns a stream's course into that of an answer in one body: its
// headers come when the body is ready.
func (c *call) asOneBody(d *dice) {
	c.headers = min(c.complete(), never)
	c.event, c.effective, c.text, c.gap = 0, 0, 0, 0
	c.window = d.within(0.5, 4)
}

// drawFate cuts some calls short, as gateways see it every day.
func (f *fleet) drawFate(q *request, c *call) {
	d := &f.dice
	switch x := d.Float64(); {
	case x < 0.0040:
		c.refuse(d, schema.OutcomeRateLimited, 429, "rate_limited")
	case x < 0.0070:
		c.refuse(d, schema.OutcomeError, 503, "upstream_unavailable")
	case x < 0.0085:
		c.breakDown(d)
	case x < 0.0100:
		c.headers = never
	case x < 0.0115:
		c.event = never
	case x < 0.0125:
		c.fail(schema.OutcomeUpstreamClosed, 200, "connection_closed", c.complete()*d.within(0.3, 0.98))
	case x < 0.0205:
		c.fail(schema.OutcomeClientCancelled, 499, "client_closed", c.complete()*d.within(0.1, 0.98))
	}
}

func (c *call) fail(o schema.Outcome, status int32, class string, at float64) {
	c.outcome, c.status, c.errorClass, c.cut = o, status, class, at
}

// refuse ends a call with a quick error answer: headers, and nothing after.
func (c *call) refuse(d *dice, o schema.Outcome, status int32, class string) {
	c.headers = c.channel.rtt + d.around(30, 0.4)
	c.event = never
	c.fail(o, status, class, c.headers+d.within(0.2, 2))
}

// breakDown ends a call with an error answer that took its time.
func (c *call) breakDown(d *dice) {
	c.headers, c.event = d.within(1500, 9000), never
	c.fail(schema.OutcomeError, 500, "upstream_error", c.headers+d.within(0.2, 2))
}

// timeOut ends a call whose first output is not there in time; a stream that
// has begun may last.
func (c *call) timeOut(limit float64) {
	if c.response() > limit && c.cut > limit {
		c.fail(schema.OutcomeTimeout, 504, "timeout", limit)
	}
}
