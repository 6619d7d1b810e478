package synth

import "time"

// fleet draws requests and their calls. The one request it holds is reused.
type fleet struct {
	dice    dice
	planted *planted
	weights struct{ models, routes, gateways, clients weights }
	// channels and their weights by provider.
	channels map[string][]*channel
	shares   map[string]weights

	req   request
	calls []call
}

type weights struct {
	of    []float64
	total float64
}

func (w *weights) add(v float64) {
	w.of = append(w.of, v)
	w.total += v
}

func (w *weights) pick(d *dice) int { return d.pick(w.of, w.total) }

func newFleet(seed uint64) *fleet {
	f := &fleet{dice: newDice(seed), channels: map[string][]*channel{}, shares: map[string]weights{}}
	for i := range models {
		f.weights.models.add(models[i].weight)
	}
	for i := range routes {
		f.weights.routes.add(routes[i].weight)
	}
	for i := range gateways {
		f.weights.gateways.add(gateways[i].weight)
	}
	for i := range clients {
		f.weights.clients.add(clients[i].weight)
	}
	for i := range channels {
		c := &channels[i]
		f.channels[c.provider] = append(f.channels[c.provider], c)
		share := f.shares[c.provider]
		share.add(c.weight)
		f.shares[c.provider] = share
	}
	return f
}

// request draws one request at a time and returns its calls, in order of
// attempt; they are valid until the next request.
func (f *fleet) request(at time.Time) []call {
	f.drawRequest(at)
	f.calls = f.calls[:0]
	f.place()
	return f.calls
}

func (f *fleet) channelOf(provider string) *channel {
	share := f.shares[provider]
	return f.channels[provider][share.pick(&f.dice)]
}

// another returns a channel of the same provider other than c.
func (f *fleet) another(c *channel) *channel {
	for {
		if o := f.channelOf(c.provider); o != c {
			return o
		}
	}
}
