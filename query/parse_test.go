package query

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"

	"headway/schema"
)

func values(t testing.TB, raw string) url.Values {
	t.Helper()
	v, err := url.ParseQuery(raw)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// parsers lets one table speak to every question.
func parsers() map[string]func(*schema.Registry, url.Values) (url.Values, error) {
	return map[string]func(*schema.Registry, url.Values) (url.Values, error){
		"latency": func(r *schema.Registry, v url.Values) (url.Values, error) {
			q, err := ParseLatency(r, v)
			return q.Values(), err
		},
		"distribution": func(r *schema.Registry, v url.Values) (url.Values, error) {
			q, err := ParseDistribution(r, v)
			return q.Values(), err
		},
		"breakdown": func(r *schema.Registry, v url.Values) (url.Values, error) {
			q, err := ParseBreakdown(r, v)
			return q.Values(), err
		},
		"headline": func(r *schema.Registry, v url.Values) (url.Values, error) {
			q, err := ParseHeadline(r, v)
			return q.Values(), err
		},
		"requests": func(r *schema.Registry, v url.Values) (url.Values, error) {
			q, err := ParseRequests(r, v)
			return q.Values(), err
		},
		"hedge/recommendation": func(r *schema.Registry, v url.Values) (url.Values, error) {
			q, err := ParseRecommendation(r, v)
			return q.Values(), err
		},
		"hedge/simulate": func(r *schema.Registry, v url.Values) (url.Values, error) {
			q, err := ParseSimulate(r, v)
			return q.Values(), err
		},
		"quality": func(r *schema.Registry, v url.Values) (url.Values, error) {
			q, err := ParseQuality(r, v)
			return q.Values(), err
		},
		"values": func(r *schema.Registry, v url.Values) (url.Values, error) {
			q, err := ParseValues(r, "model", v)
			return q.Values(), err
		},
	}
}

func TestBadQuestionsNameTheRemedy(t *testing.T) {
	reg := schema.NewRegistry()
	for _, tc := range []struct{ name, question, raw, param, want string }{
		{"unknown parameter", "latency", "metrc=tps", "metrc", "nearest: metric"},
		{"unknown filter", "latency", "modle=x", "modle", "nearest: model"},
		{"unknown metric", "latency", "metric=first_respnse_ms", "metric", "first_response_ms"},
		{"dimension as metric", "latency", "metric=channel", "metric", "where=channel="},
		{"unknown dimension", "latency", "by=chanel", "by", "nearest: channel"},
		{"unknown dimension in where", "latency", "where=rgion=eu", "where", "region"},
		{"measure as filter", "latency", "tps=5", "tps", "metric=tps"},
		{"identity as filter", "requests", "where=request_id=x", "where", "requests/{id}"},
		{"list as group", "latency", "by=flags", "by", "where=flags="},
		{"same group twice", "latency", "by=route,group", "by", "given twice"},
		{"too many groups", "latency", "by=model,route,channel,region", "by", "at most 3"},
		{"two breakdowns", "breakdown", "by=model,route", "by", "at most 1"},
		{"where without operator", "latency", "where=model", "where", "dimension!=value"},
		{"empty filter", "latency", "model=", "model", Missing},
		{"bool filter", "latency", "stream=yes", "stream", "true, false"},
		{"number filter", "latency", "status=5xx", "status", "number"},
		{"long filter", "latency", "model=" + strings.Repeat("m", 129), "model", "128 bytes"},
		{"not UTF-8", "latency", "model=%ff", "model", "UTF-8"},
		{"quantile above 1", "latency", "q=p100", "q", "p99.9"},
		{"quantile 0", "latency", "q=0", "q", "between 0 and 1"},
		{"quantile exponent", "latency", "q=5e-1", "q", "between 0 and 1"},
		{"quantile NaN", "latency", "q=NaN", "q", "between 0 and 1"},
		{"quantile count", "latency", "q=" + strings.Join(slices.Collect(manyQuantiles(21)), ","), "q", "at most 20"},
		{"step too small", "latency", "step=10ms", "step", "at least 1s"},
		{"step no duration", "latency", "step=fast", "step", "no duration"},
		{"time without zone", "latency", "from=2026-11-30T03:00:00", "from", "append Z"},
		{"not a time", "latency", "from=yesterday", "from", "now-1h"},
		{"forward time", "latency", "to=now%2B1h", "to", "now-1h"},
		{"rounding unit", "latency", "from=now/y", "from", "s, m, h, d or w"},
		{"epoch too large", "latency", "from=99999999999999999", "from", "milliseconds"},
		{"given twice", "latency", "from=now-1h&from=now-2h", "from", "give it once"},
		{"explain", "latency", "explain=plan", "explain", "sql"},
		{"limit too large", "requests", "limit=501", "limit", "1 to 500"},
		{"limit negative", "requests", "limit=-1", "limit", "1 to 500"},
		{"limit overflow", "requests", "limit=99999999999999999999", "limit", "1 to 500"},
		{"sort", "requests", "sort=slwo", "sort", "slow"},
		{"hedge metric", "hedge/recommendation", "metric=tps", "metric", "first_response_ms"},
		{"hedge target", "hedge/recommendation", "target=p42", "target", "p95, p99"},
		{"delay on a recommendation", "hedge/recommendation", "hedge_after=p90", "hedge_after", "unknown parameter"},
		{"delay", "hedge/simulate", "hedge_after=soon", "hedge_after", "1500ms"},
		{"delay negative", "hedge/simulate", "hedge_after=-5s", "hedge_after", "1500ms"},
		{"backup half named", "hedge/simulate", "backup=model=x", "backup", "route=…"},
		{"backup foreign dimension", "hedge/simulate", "backup=model=x,channel=y", "backup", "model=…"},
		{"curve of one point", "hedge/simulate", "curve=1", "curve", "2 to 400"},
		{"metric twice", "latency", "metric=tps&metric=auth_ms", "metric", "give it once"},
		{"breakdown twice", "breakdown", "by=model&by=route", "by", "give it once"},
		{"backup twice", "hedge/simulate", "backup=model=x&backup=route=y", "backup", "give it once"},
		{"no metric", "latency", "metric=", "metric", "no value"},
		{"no group", "latency", "by=", "by", "no value"},
		{"no quantile", "latency", "q=", "q", "no value"},
		{"an empty quantile", "latency", "q=p50,,p90", "q", "empty part"},
		{"a trailing comma", "latency", "by=model,", "by", "empty part"},
		{"no condition", "latency", "where=", "where", "no value"},
		{"no limit", "requests", "limit=", "limit", "no value"},
		{"no time", "latency", "from=", "from", "no value"},
		{"a metric like none", "latency", "metric=zzzzzz", "metric", "/api/v1/fields lists the measures"},
		{"a dimension like none", "latency", "by=qqqqqqq", "by", "/api/v1/fields lists the dimensions"},
		{"a parameter like none", "requests", "qqqqqqq=1", "qqqqqqq", "takes metric, sort, limit, page, from, to, where, explain"},
		{"a sort like none", "requests", "sort=zzzzzz", "sort", "time, slow"},
		{"role", "latency", "role=primry", "role", "nearest: primary"},
		{"role in capitals", "latency", "role=Primary", "role", "nearest: primary"},
		{"outcome", "latency", "outcome=time_out", "outcome", "nearest: timeout"},
		{"outcome of where", "latency", "where=outcome!=timeouts", "where", "nearest: timeout"},
		{"band", "latency", "input_band=0-2k", "input_band", "nearest: 0-1k"},
		{"label", "latency", "label=heathy", "label", "nearest: healthy"},
		{"labels", "latency", "labels=healthy", "labels", "no_first_token"},
		{"stage", "latency", "stage=header", "stage", "nearest: headers"},
		{"rate basis", "latency", "tps_basis=givn", "tps_basis", "nearest: given"},
		{"start point", "latency", "start_point=handlr", "start_point", "nearest: handler"},
		{"page elsewhere", "quality", "page=abc", "page", "unknown parameter"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := parsers()[tc.question](reg, values(t, tc.raw))
			var errs Errors
			if !errors.As(err, &errs) {
				t.Fatalf("error %v, want Errors", err)
			}
			if len(errs) != 1 || errs[0].Param != tc.param || !strings.Contains(errs.Error(), tc.want) {
				t.Fatalf("errors %q, want one about %s with %q", errs, tc.param, tc.want)
			}
		})
	}
}

func manyQuantiles(n int) func(func(string) bool) {
	return func(yield func(string) bool) {
		for i := range n {
			if !yield(FormatQuantile(float64(i+1) / 100)) {
				return
			}
		}
	}
}

func TestAllMistakesAtOnce(t *testing.T) {
	_, err := ParseLatency(schema.NewRegistry(), values(t, "metric=x&q=2&step=no&by=nope&frm=now"))
	var errs Errors
	if !errors.As(err, &errs) || len(errs) != 5 {
		t.Fatalf("errors %v, want all 5", err)
	}
}

func TestValuesOfUnknownFieldNamesNearest(t *testing.T) {
	_, err := ParseValues(schema.NewRegistry(), "modell", url.Values{})
	if err == nil || !strings.Contains(err.Error(), "nearest: model") {
		t.Fatalf("error %v", err)
	}
}

func TestFilterForms(t *testing.T) {
	reg := schema.NewRegistry()
	want := []Condition{
		{"channel", OpIn, []string{"ch-1", "ch-2"}},
		{"channel", OpNotIn, []string{"ch-3"}},
		{"model", OpIn, []string{"a=b"}},
		{"route", OpIn, []string{Missing}},
	}
	for name, raw := range map[string]string{
		"where":     "where=model=a%3Db&where=channel!=ch-3&where=channel=ch-2&where=channel=ch-1&where=group=(missing)",
		"shorthand": "model=a%3Db&channel!=ch-3&channel=ch-1&channel=ch-2&channel=ch-1&route=(missing)",
		"mixed":     "model=a%3Db&where=channel!=ch-3&where=channel=ch-1&channel=ch-2&group=(missing)",
	} {
		t.Run(name, func(t *testing.T) {
			q, err := ParseHeadline(reg, values(t, raw))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.EqualFunc(q.Where, want, func(a, b Condition) bool {
				return a.Dimension == b.Dimension && a.Op == b.Op && slices.Equal(a.Values, b.Values)
			}) {
				t.Errorf("where %v, want %v", q.Where, want)
			}
		})
	}
}

func TestResolveMetric(t *testing.T) {
	reg := schema.NewRegistry()
	for _, tc := range []struct{ asked, want string }{
		{"", "first_text_delta_ms"}, {"ttft", "first_text_delta_ms"}, {"TTFT", "first_text_delta_ms"},
		{"first_response", "first_response_ms"}, {"tps", "tps"},
	} {
		f, err := ResolveMetric(reg, tc.asked, "first_text_delta_ms")
		if err != nil || f.Name != tc.want {
			t.Errorf("%q → %q, %v; want %q", tc.asked, f.Name, err, tc.want)
		}
	}
	if _, err := ResolveMetric(reg, "model", "tps"); err == nil {
		t.Error("a dimension is no metric")
	}
}
