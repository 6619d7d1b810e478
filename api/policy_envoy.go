package api

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// envoy writes the enabled keys that have a route as pieces of Envoy route
// configuration: hedge_policy with a per-try time-out, which Envoy really has.
// It knows neither a share of requests held out nor q, and waits for headers.
func envoy(p Policy) []byte {
	var out bytes.Buffer
	out.WriteString("# Hedging for Envoy, from Headway's policy. Merge each piece into the route of that name.\n" +
		"# Envoy hedges when no response headers came within per_try_timeout; Headway's delay is about the\n" +
		"# first token. They are the same only where headers come with the first token. Envoy has no chance\n" +
		"# q and no hold-out; a retry budget on the cluster stands for the budget.\n")
	for _, w := range p.Warnings {
		fmt.Fprintf(&out, "# warning: %s\n", w)
	}
	byRoute, order := map[string][]PolicyKey{}, []string{}
	for _, k := range p.Keys {
		if k.Route == nil || !k.Enabled || k.HedgeAfterMs == nil {
			continue
		}
		if byRoute[*k.Route] == nil {
			order = append(order, *k.Route)
		}
		byRoute[*k.Route] = append(byRoute[*k.Route], k)
	}
	if len(order) == 0 {
		out.WriteString("# No route is enabled.\nroutes: []\n")
		return out.Bytes()
	}
	out.WriteString("routes:\n")
	for _, route := range order {
		k := byRoute[route][0]
		for _, other := range byRoute[route] { // one delay a route: the longest hedges least
			if *other.HedgeAfterMs > *k.HedgeAfterMs {
				k = other
			}
		}
		writeEnvoy(&out, route, k, len(byRoute[route]))
	}
	return out.Bytes()
}

func writeEnvoy(out *bytes.Buffer, route string, k PolicyKey, models int) {
	d := time.Duration(*k.HedgeAfterMs * float64(time.Millisecond)).Round(time.Millisecond)
	if models > 1 {
		fmt.Fprintf(out, "  # the longest delay of %d models\n", models)
	}
	if k.ValidUntil != nil {
		fmt.Fprintf(out, "  # valid until %s\n", *k.ValidUntil)
	}
	fmt.Fprintf(out, "  - name: %s\n    route:\n      retry_policy:\n        retry_on: gateway-error\n        num_retries: 1\n        per_try_timeout: %ss\n      hedge_policy:\n        hedge_on_per_try_timeout: true\n",
		strconv.Quote(strings.ToValidUTF8(route, "?")), strconv.FormatFloat(d.Seconds(), 'f', 3, 64))
}
