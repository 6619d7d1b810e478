package query

import (
	"net/url"
	"strconv"
	"strings"
)

// Values writes the question as the parameters that ParseLatency reads back
// to the same question; so with the other Values methods.
func (q Latency) Values() url.Values {
	v := url.Values{}
	q.write(v)
	set(v, "metric", q.Metric)
	set(v, "q", quantileList(q.Quantiles))
	set(v, "by", strings.Join(q.By, ","))
	if q.Step != 0 {
		v.Set("step", FormatDuration(q.Step))
	}
	setNumber(v, "max_groups", q.MaxGroups)
	setExplain(v, q.Explain)
	return v
}

// Values writes the question as ParseDistribution reads it.
func (q Distribution) Values() url.Values {
	v := url.Values{}
	q.write(v)
	set(v, "metric", q.Metric)
	set(v, "q", quantileList(q.Quantiles))
	setExplain(v, q.Explain)
	return v
}

// Values writes the question as ParseBreakdown reads it.
func (q Breakdown) Values() url.Values {
	v := url.Values{}
	q.write(v)
	set(v, "metric", q.Metric)
	set(v, "by", q.By)
	setNumber(v, "limit", q.Limit)
	setExplain(v, q.Explain)
	return v
}

// Values writes the question as ParseHeadline reads it.
func (q Headline) Values() url.Values {
	v := url.Values{}
	q.write(v)
	setExplain(v, q.Explain)
	return v
}

// Values writes the question as ParseRequests reads it.
func (q Requests) Values() url.Values {
	v := url.Values{}
	q.write(v)
	set(v, "metric", q.Metric)
	set(v, "sort", q.Sort)
	setNumber(v, "limit", q.Limit)
	set(v, "page", q.Page)
	setExplain(v, q.Explain)
	return v
}

// Values writes the question as ParseRecommendation or, where it has a delay,
// a backup or a curve, ParseSimulate reads it.
func (h Hedge) Values() url.Values {
	v := url.Values{}
	h.write(v)
	set(v, "metric", h.Metric)
	set(v, "by", strings.Join(h.By, ","))
	set(v, "hedge_after", h.After)
	set(v, "backup", h.Backup)
	setNumber(v, "curve", h.Curve)
	setNumber(v, "limit", h.Limit)
	if h.Target != 0 {
		v.Set("target", FormatQuantile(h.Target))
	}
	setExplain(v, h.Explain)
	return v
}

// Values writes the question as ParseQuality reads it.
func (q Quality) Values() url.Values {
	v := url.Values{}
	q.write(v)
	setExplain(v, q.Explain)
	return v
}

// Values writes the question as ParseValues reads it; the field belongs to
// the path.
func (q Values) Values() url.Values {
	v := url.Values{}
	q.write(v)
	set(v, "prefix", q.Prefix)
	setNumber(v, "limit", q.Limit)
	setExplain(v, q.Explain)
	return v
}

func set(v url.Values, name, value string) {
	if value != "" {
		v.Set(name, value)
	}
}

func setNumber(v url.Values, name string, n int) {
	if n != 0 {
		v.Set(name, strconv.Itoa(n))
	}
}

func setExplain(v url.Values, explain bool) {
	if explain {
		v.Set("explain", "sql")
	}
}

func quantileList(qs []float64) string {
	texts := make([]string, len(qs))
	for i, q := range qs {
		texts[i] = FormatQuantile(q)
	}
	return strings.Join(texts, ",")
}
