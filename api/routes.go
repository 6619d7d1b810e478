package api

import "github.com/danielgtaylor/huma/v2"

const (
	recordsPath  = apiRoot + "records"
	classifyPath = apiRoot + "classify"
)

func (s *Server) routes(api huma.API) {
	ask(s, api, question[Latency]{path: "latency", asks: "latency", ask: s.latency,
		summary: "Percentiles of a metric over time"})
	ask(s, api, question[Distribution]{path: "distribution", asks: "distribution", ask: s.distribution,
		summary: "Histogram, exceedance curve and quantiles with intervals"})
	ask(s, api, question[Breakdown]{path: "breakdown", asks: "breakdown", ask: s.breakdown,
		summary: "Groups by their contribution to excess slow requests"})
	ask(s, api, question[Headline]{path: "headline", asks: "headline", ask: s.headline,
		summary: "Main figures beside those of a week earlier"})
	ask(s, api, question[Requests]{path: "requests", asks: "requests", ask: s.requests,
		summary: "A page of attempts"})
	ask(s, api, question[Request]{path: "requests/{id}", ask: s.request, pathDoc: "Request id.",
		summary: "One request's attempts as a timeline"})
	ask(s, api, question[Recommendation]{path: "hedge/recommendation", asks: "hedge/recommendation", ask: s.recommendation,
		summary: "After how long to send a backup, and whether to"})
	ask(s, api, question[Simulation]{path: "hedge/simulate", asks: "hedge/simulate", ask: s.simulation,
		summary: "What a hedge delay would have done, or a curve over delays"})
	ask(s, api, question[Backtest]{path: "hedge/backtest", asks: "hedge/backtest", ask: s.backtest,
		summary: "What each rule for the delay would have done, learned from the days before"})
	ask(s, api, question[Observed]{path: "hedge/observed", asks: "hedge/observed", ask: s.observed,
		summary: "What hedging really did"})
	ask(s, api, question[StoredAdvice]{path: "hedge/advice/{id}", asks: "", ask: s.storedAdvice, pathDoc: "Id of a stored piece of advice.",
		summary: "A stored piece of advice with what it was made from"})
	ask(s, api, question[Reproduction]{path: "hedge/advice/{id}/reproduction", asks: "", ask: s.reproduction, pathDoc: "Id of a stored piece of advice.",
		summary: "Whether the stored rows still give the same advice, byte for byte"})
	ask(s, api, question[PolicyChanges]{path: "hedge/policy/changes", asks: "hedge/policy/changes", ask: s.policyChanges,
		summary: "What people changed in the hedge policy, for charts"})
	ask(s, api, question[Quality]{path: "quality", asks: "quality", ask: s.quality,
		summary: "What arrived, was rejected, flagged, stripped"})
	ask(s, api, question[Fields]{path: "fields", ask: s.fields,
		summary: "The field registry"})
	ask(s, api, question[Values]{path: "fields/{name}/values", asks: "values", ask: s.values, pathDoc: "Name of a dimension.",
		summary: "Most frequent values of a dimension"})
	ask(s, api, question[Verification]{path: "verify", asks: "verify", ask: s.verify,
		summary: "Whether every message of a Kafka topic became exactly one row or reject"})
	s.registerAdvice(api)
	s.registerPolicy(api)
	s.registerClassify(api)
	s.registerRecords(api)
	s.registerHealth(api)
}
