package query

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"headway/schema"
)

// ParseLatency reads the question of /latency. Errors are Errors, all
// mistakes at once; so with the other Parse functions.
func ParseLatency(reg *schema.Registry, v url.Values) (Latency, error) {
	r := newReader(reg, v, QuestionParams("latency"))
	q := Latency{Selection: r.selection(), Metric: r.metric(), Quantiles: r.quantiles(), By: r.dimensions("by", 3),
		Step: r.step(), MaxGroups: r.number("max_groups", 20, 1, 100), Explain: r.explain()}
	if len(q.Quantiles) == 0 {
		q.Quantiles = []float64{0.5, 0.95, 0.99}
	}
	return q, r.errs.orNil()
}

// ParseDistribution reads the question of /distribution. P50, P90, P95 and
// P99 are always among the quantiles.
func ParseDistribution(reg *schema.Registry, v url.Values) (Distribution, error) {
	r := newReader(reg, v, QuestionParams("distribution"))
	q := Distribution{Selection: r.selection(), Metric: r.metric(), Explain: r.explain()}
	q.Quantiles = sortedQuantiles(append(r.quantiles(), 0.5, 0.9, 0.95, 0.99))
	return q, r.errs.orNil()
}

// ParseBreakdown reads the question of /breakdown.
func ParseBreakdown(reg *schema.Registry, v url.Values) (Breakdown, error) {
	r := newReader(reg, v, QuestionParams("breakdown"))
	q := Breakdown{Selection: r.selection(), Metric: r.metric(), By: "channel",
		Limit: r.number("limit", 20, 1, 500), Explain: r.explain()}
	if by := r.dimensions("by", 1); len(by) == 1 {
		q.By = by[0]
	}
	return q, r.errs.orNil()
}

// ParseHeadline reads the question of /headline.
func ParseHeadline(reg *schema.Registry, v url.Values) (Headline, error) {
	r := newReader(reg, v, QuestionParams("headline"))
	q := Headline{Selection: r.selection(), Explain: r.explain()}
	return q, r.errs.orNil()
}

// ParseRequests reads the question of /requests. Page stays opaque here.
func ParseRequests(reg *schema.Registry, v url.Values) (Requests, error) {
	r := newReader(reg, v, QuestionParams("requests"))
	q := Requests{Selection: r.selection(), Metric: r.metric(), Sort: r.choice("sort", "time", requestSorts()),
		Limit: r.number("limit", 50, 1, 500), Page: r.one("page"), Explain: r.explain()}
	return q, r.errs.orNil()
}

// ParseRequest reads the question of /requests/{id}: whether to explain it.
func ParseRequest(v url.Values) (explain bool, err error) {
	r := newReader(&schema.Registry{}, v, []Param{explainParam(), {Name: "format"}})
	return r.explain(), r.errs.orNil()
}

// ParseRecommendation reads the question of /hedge/recommendation.
func ParseRecommendation(reg *schema.Registry, v url.Values) (Hedge, error) {
	r := newReader(reg, v, QuestionParams("hedge/recommendation"))
	q := r.hedge(100)
	return q, r.errs.orNil()
}

// ParseSimulate reads the question of /hedge/simulate.
func ParseSimulate(reg *schema.Registry, v url.Values) (Hedge, error) {
	r := newReader(reg, v, QuestionParams("hedge/simulate"))
	q := r.hedge(20)
	q.After, q.Backup = r.one("hedge_after"), r.one("backup")
	if s := r.one("curve"); s != "" {
		q.Curve = r.number("curve", 0, 2, 400)
	}
	if _, _, err := ParseAfter(q.After); err != nil {
		r.fail(wrong("hedge_after", "%s", clipTo(err.Error(), 200)))
	}
	if _, err := ParseKey(reg, q.Backup, q.By); err != nil {
		r.fail(*err)
	}
	return q, r.errs.orNil()
}

// ParseQuality reads the question of /quality.
func ParseQuality(reg *schema.Registry, v url.Values) (Quality, error) {
	r := newReader(reg, v, QuestionParams("quality"))
	q := Quality{Selection: r.selection(), Explain: r.explain()}
	return q, r.errs.orNil()
}

// ParseValues reads the question of /fields/{name}/values; field is the name
// from the path.
func ParseValues(reg *schema.Registry, field string, v url.Values) (Values, error) {
	r := newReader(reg, v, QuestionParams("values"))
	q := Values{Selection: r.selection(), Field: field, Prefix: r.one("prefix"),
		Limit: r.number("limit", 50, 1, 500), Explain: r.explain()}
	if f, ok := r.dimension("name", field); ok {
		q.Field = f.Name
	}
	if len(q.Prefix) > maxValueBytes {
		r.fail(wrong("prefix", "longer than %d bytes; records are cut there", maxValueBytes))
	}
	return q, r.errs.orNil()
}

func (r *reader) hedge(limit int) Hedge {
	q := Hedge{Selection: r.selection(), Metric: r.metric(), By: r.dimensions("by", 3),
		Limit: r.number("limit", limit, 1, 500), Explain: r.explain()}
	if len(q.By) == 0 {
		q.By = []string{"model", "route"}
	}
	if f, ok := r.reg.Lookup(q.Metric); ok && f.Kind == schema.KindMeasure && !f.FirstToken {
		r.fail(ParamError{Param: "metric", Message: f.Name + " is no first-token wait, so no hedge timer can watch it", Nearest: firstTokens(r.reg)})
	}
	if t := r.choice("target", "", targets()); t != "" {
		q.Target, _ = ParseQuantile(t)
	}
	return q
}

func firstTokens(reg *schema.Registry) []string {
	var out []string
	for _, f := range reg.Fields() {
		if f.FirstToken {
			out = append(out, f.Name)
		}
	}
	return out
}

func (r *reader) choice(name, fallback string, choices []string) string {
	s := r.one(name)
	if s == "" {
		return fallback
	}
	if !slices.Contains(choices, s) {
		r.fail(ParamError{Param: name, Message: quote(s) + " is not one of " + strings.Join(choices, ", "), Nearest: Nearest(s, choices)})
		return fallback
	}
	return s
}

func (r *reader) step() time.Duration {
	s := r.one("step")
	if s == "" {
		return 0
	}
	d, err := ParseDuration(s)
	switch {
	case err != nil:
		r.fail(wrong("step", "%s", clipTo(err.Error(), 200)))
	case d < time.Second || d%time.Second != 0:
		r.fail(wrong("step", "%q: give whole seconds, at least 1s", clip(s)))
	case d > MaxWindow:
		r.fail(wrong("step", "%q is longer than the longest window of %d days", clip(s), int64(MaxWindow/day)))
	default:
		return d
	}
	return 0
}
