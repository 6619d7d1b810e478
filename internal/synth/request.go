package synth

import (
	"time"
)

// request is what a client asked for, and the local stages before its calls.
type request struct {
	at       time.Time
	id       string
	trace    string
	load     float64
	model    *model
	route    *route
	gateway  *gateway
	client   *client
	channel  *channel // of the first call
	stream   bool
	tools    bool
	toolOnly bool
	effort   int // index of efforts, −1 for none

	input, cached, visible, reasoning int64
	limit                             int64   // asked output limit, 0 for none
	temperature                       float64 // −1 for none

	auth, distribution, body, other float64 // ms, before the dispatch
	tail                            float64 // ms, after the last call's end
	maxTries                        int
	retryTimeouts                   bool
}

func (f *fleet) drawRequest(at time.Time) {
	d, w := &f.dice, &f.weights
	q := &f.req
	*q = request{at: at, id: ulid(at, d), load: load(at), effort: -1, temperature: -1, maxTries: 2,
		model: &models[w.models.pick(d)], route: &routes[w.routes.pick(d)],
		gateway: &gateways[w.gateways.pick(d)], client: &clients[w.clients.pick(d)]}
	q.channel = f.channelOf(q.model.provider)
	if d.chance(0.25) {
		q.trace = traceID(d)
	}
	q.stream, q.tools = d.chance(q.route.stream), d.chance(q.route.tools)
	q.toolOnly = q.tools && q.stream && d.chance(0.4)
	if d.chance(0.6) {
		q.temperature = temperatures[d.IntN(len(temperatures))]
	}
	f.drawTokens(q)
	if p := f.planted; p.active(at) && p.kind.onRequest != nil {
		p.kind.onRequest(p, f, q)
	}
	f.drawLocal(q)
}

func (f *fleet) drawTokens(q *request) {
	d := &f.dice
	size := promptSizes[d.pick(q.route.prompts[:], 1)]
	q.input = min(maxPrompt, 1+int64(d.around(size.median, size.sigma)))
	if q.input > 1024 && (q.tools && d.chance(0.5) || d.chance(0.1)) {
		q.cached = int64(float64(q.input)*d.within(0.6, 0.95)) / 128 * 128
	}
	output := q.model.output
	switch {
	case q.toolOnly:
		output = 45
	case !q.stream:
		output *= 0.3
	}
	q.visible = 1 + int64(d.around(output, 0.7))
	if q.model.reasoning != noReasoning {
		q.effort = d.IntN(len(efforts))
		q.reasoning = 1 + int64(d.around(effortTokens[q.effort], 0.6))
	}
	if d.chance(0.6) {
		q.limit = outputLimits[d.IntN(len(outputLimits))]
		q.visible = min(q.visible, q.limit)
	}
}

func (f *fleet) drawLocal(q *request) {
	d := &f.dice
	q.auth += d.around(1.3, 0.5)
	q.distribution += d.around(0.5, 0.5)
	const bytesPerToken = 4
	q.body += 0.3 + float64(q.input)*bytesPerToken/q.client.speed*d.around(1, 0.5)
	q.other = d.around(0.3, 0.4)
	q.tail += d.around(2.5, 0.7)
	if d.chance(0.002) { // a client that reads slowly
		q.tail += d.around(700, 0.6)
	}
}
