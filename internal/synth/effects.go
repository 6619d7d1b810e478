package synth

import "headway/schema"

func outage(p *planted, f *fleet, _ *request, c *call) {
	d := &f.dice
	switch x := d.Float64(); {
	case x < p.degree(0.40, 0.06):
		c.headers = never
	case x < p.degree(0.65, 0.12):
		c.headers, c.event = d.within(3200, 9000), never
		c.fail(schema.OutcomeError, 503, "upstream_unavailable", c.headers+d.within(0.2, 2))
	default:
		c.headers += d.around(p.degree(6000, 1200), 0.35)
	}
}

func slowPrefill(p *planted, f *fleet, q *request, c *call) {
	c.event += float64(q.input) / 1000 * f.dice.around(p.degree(115, 35), 0.15)
}

func longReasoning(p *planted, f *fleet, q *request) {
	if p.matches(q, q.channel) {
		q.reasoning += int64(f.dice.around(p.degree(1500, 350), 0.35))
	}
}

func slowDecode(p *planted, f *fleet, q *request, c *call) {
	rate := f.dice.around(p.degree(7, 22), 0.2)
	c.window = max(c.window, float64(max(q.visible-1, 1))/rate*1000)
	c.gap = max(c.gap, min(c.window, 3000/rate))
	c.inflight *= 3
}

func stall(p *planted, f *fleet, _ *request, c *call) {
	silence := f.dice.around(p.degree(14_000, 5_000), 0.12)
	c.gap = max(c.gap, silence)
	c.window += silence
}

func slowNetwork(p *planted, f *fleet, _ *request, c *call) {
	c.headers += f.dice.around(p.degree(4800, 1000), 0.3)
	c.window *= p.degree(1.2, 1.05)
}

// buffer moves all that follows headers in front of the first event; at mild
// severity half of the calls take the proxy's path.
func buffer(p *planted, f *fleet, _ *request, c *call) {
	if c.event >= never || !f.dice.chance(p.degree(1, 0.5)) {
		return
	}
	c.event += c.effective + c.text + c.window + f.dice.around(p.degree(5000, 600), 0.3)
	c.effective, c.text, c.window = f.dice.within(0, 1), f.dice.within(0, 1), f.dice.within(1, 4)
}

func refuseMost(p *planted, f *fleet, _ *request, c *call) {
	if f.dice.chance(p.degree(0.6, 0.15)) {
		c.refuse(&f.dice, schema.OutcomeError, 503, "upstream_unavailable")
	}
}

func eagerRetries(p *planted, _ *fleet, q *request) {
	if p.matches(q, q.channel) {
		q.maxTries, q.retryTimeouts = 4, true
	}
}

func headersTimeOut(p *planted, f *fleet, _ *request, c *call) {
	const patience = 3200
	if c.headers += f.dice.around(p.degree(4200, 1700), 0.45); c.headers > patience {
		c.timesOut(patience)
	}
}

// whale turns a share of requests into those of one customer: long prompts
// of one region on the agent route, pinned to the incident's channel.
func whale(p *planted, f *fleet, q *request) {
	d := &f.dice
	if !d.chance(p.degree(0.33, 0.17)) {
		return
	}
	q.channel = channelNamed(p.value)
	for i := range models {
		if models[i].provider == q.channel.provider {
			q.model = &models[i]
			break
		}
	}
	q.route, q.client = &routes[2], &clients[0]
	q.stream, q.tools, q.toolOnly = true, true, false
	q.effort, q.reasoning = -1, 0
	q.input, q.cached = min(maxPrompt, 1+int64(d.around(38_000, 0.25))), 0
	q.visible = 1 + int64(d.around(q.model.output, 0.4))
	q.limit = 0
}

func queue(p *planted, f *fleet, _ *request, c *call) {
	c.event += f.dice.around(p.degree(7500, 1600), 0.3)
	c.inflight *= 6
}

func hang(p *planted, f *fleet, _ *request, c *call) {
	if f.dice.chance(p.degree(0.8, 0.08)) {
		c.event = never
	}
}

func channelNamed(name string) *channel {
	for i := range channels {
		if channels[i].name == name {
			return &channels[i]
		}
	}
	return nil
}
