package query

import (
	"strings"

	"headway/schema"
)

// Param describes one parameter of a question, for the API's document, the
// command line's help and the check for unknown names.
type Param struct {
	Name    string
	Doc     string
	Example string
	List    bool     // may be repeated; values may also be separated by commas
	Choices []string // the only values; nil where there are others
}

// QuestionParams are the parameters of every question, by its path under
// /api/v1. Filters by a dimension's own name come on top of them: see
// FilterParams.
func QuestionParams(question string) []Param {
	own := map[string][]Param{
		"latency":              {metricParam(), quantilesParam(), byParam("none"), stepParam(), groupsParam()},
		"distribution":         {metricParam(), quantilesParam()},
		"breakdown":            {metricParam(), breakdownByParam(), limitParam("20", "groups")},
		"headline":             {},
		"requests":             {metricParam(), sortParam(), limitParam("50", "attempts"), pageParam()},
		"hedge/recommendation": {metricParam(), byParam("model, route"), targetParam(), limitParam("100", "keys")},
		"hedge/simulate":       {metricParam(), byParam("model, route"), afterParam(), targetParam(), backupParam(), curveParam(), limitParam("20", "keys")},
		"hedge/backtest":       {metricParam(), byParam("model, route"), rulesParam(), budgetParam(), targetParam(), limitParam("20", "keys")},
		"hedge/observed":       {metricParam(), byParam("model, route"), limitParam("100", "keys")},
		"quality":              {},
		"values":               {prefixParam(), limitParam("50", "values")},
	}
	params, ok := own[question]
	switch {
	case question == "verify":
		return verifyParams()
	case question == "hedge/policy/changes":
		return selectionParams()[:2]
	case !ok:
		return nil
	}
	return append(params, selectionParams()...)
}

// TakesFilters reports whether a question is about a selection of rows.
func TakesFilters(question string) bool {
	return question != "" && question != "verify" && question != "hedge/policy/changes"
}

// FilterParams are the shorthand filters: one per dimension of the registry.
func FilterParams(reg *schema.Registry) []Param {
	var out []Param
	for _, name := range reg.Names(schema.KindDimension) {
		f, _ := reg.Lookup(name)
		out = append(out, Param{Name: name, Doc: "Filter: " + f.Doc + " Repeat for a set; " + Missing + " stands for not recorded.", List: true})
	}
	return out
}

func selectionParams() []Param {
	return []Param{
		{Name: "from", Doc: "Start of the window, inclusive: RFC 3339, epoch ms, now, now-1h, now-7d/d.", Example: "now-1h"},
		{Name: "to", Doc: "End of the window, exclusive; as from.", Example: "now"},
		{Name: "where", Doc: "Filter dimension=value or dimension!=value; repeat for more.", Example: "channel!=ch-3", List: true},
		explainParam(),
	}
}

func explainParam() Param {
	return Param{Name: "explain", Doc: "sql adds the statements and their parameters to meta.", Choices: []string{"sql"}}
}

func metricParam() Param {
	return Param{Name: "metric", Doc: "A measure of /api/v1/fields; ttft stands for the configured one. The answer says which one was used.", Example: "first_response_ms"}
}

func quantilesParam() Param {
	return Param{Name: "q", Doc: "Quantiles, p50 or 0.5, at most 20.", Example: "p50,p90,p99", List: true}
}

func byParam(fallback string) Param {
	return Param{Name: "by", Doc: "Dimensions to group by, at most 3; default " + fallback + ".", Example: "channel", List: true}
}

func breakdownByParam() Param {
	return Param{Name: "by", Doc: "The dimension to break down by; default channel.", Example: "channel"}
}

func stepParam() Param {
	return Param{Name: "step", Doc: "Width of a time bucket, whole seconds; default: about 240 buckets.", Example: "1m"}
}

func groupsParam() Param {
	return Param{Name: "max_groups", Doc: "Largest number of groups, 1 to 100; default 20, those with the most rows.", Example: "20"}
}

func limitParam(fallback, what string) Param {
	return Param{Name: "limit", Doc: "Largest number of " + what + ", 1 to 500; default " + fallback + ".", Example: fallback}
}

func sortParam() Param {
	return Param{Name: "sort", Doc: "time: newest first; slow: largest metric first.", Choices: requestSorts()}
}

func requestSorts() []string { return []string{"time", "slow"} }

func pageParam() Param {
	return Param{Name: "page", Doc: "next_page of the answer before; it belongs to the same question."}
}

func targetParam() Param {
	return Param{Name: "target", Doc: "Quantile the verdict is about: " + strings.Join(targets(), " or ") + "; default: the highest with enough rows.", Choices: targets()}
}

func targets() []string { return []string{"p95", "p99"} }

func afterParam() Param {
	return Param{Name: "hedge_after", Doc: "Delay before the backup: a quantile of the wait or a duration; default p90.", Example: "p90"}
}

func rulesParam() Param {
	return Param{Name: "rule", Doc: "Rules for the delay: a quantile of the wait (p90), a duration (1500ms) or singler; default " + strings.Join(defaultRules(), ", ") + ", and the configured delay where there is one.", Example: "p90,singler", List: true}
}

func budgetParam() Param {
	return Param{Name: "budget", Doc: "Share of requests that singler may hedge, 0 to 1; default 0.1.", Example: "0.05"}
}

func backupParam() Param {
	return Param{Name: "backup", Doc: "Key whose waits stand for the backup, dimension=value with commas; default: the primary's own law.", Example: "model=gpt-4o,route=eu"}
}

func curveParam() Param {
	return Param{Name: "curve", Doc: "Points of a curve over the delay, 2 to 400; default none.", Example: "100"}
}

func prefixParam() Param {
	return Param{Name: "prefix", Doc: "Only values that start with this text."}
}
