package query

import (
	"net/url"
	"slices"
	"strconv"
	"time"

	"headway/schema"
)

// policyDays is how far back changes of the policy are shown by default.
const policyDays = 30 * day

// ParsePolicyChanges reads the question of /hedge/policy/changes; without a
// window it is about the last 30 days.
func ParsePolicyChanges(reg *schema.Registry, v url.Values, now time.Time) (Window, error) {
	r := newReader(reg, v, QuestionParams("hedge/policy/changes"))
	for _, name := range reg.Names(schema.KindDimension) {
		if v.Has(name) {
			r.fail(wrong(name, "changes are not filtered; each has its key"))
		}
	}
	s := Selection{From: r.one("from"), To: r.one("to")}
	if err := r.errs.orNil(); err != nil {
		return Window{}, err
	}
	sc, err := s.resolve(now, policyDays)
	if err == nil && s.To == "" {
		sc.To = sc.To.Add(time.Millisecond) // with what was changed just now
	}
	return sc.Window, err
}

// ParseStored reads a question about one stored thing: it has no parameters.
func ParseStored(v url.Values) error {
	r := newReader(&schema.Registry{}, v, []Param{{Name: "format"}})
	return r.errs.orNil()
}

// SingleRRule is the name of the rule that sends backups by chance.
const SingleRRule = "singler"

func defaultRules() []string { return []string{"p50", "p75", "p90", "p95", SingleRRule} }

// ParseBacktest reads the question of /hedge/backtest.
func ParseBacktest(reg *schema.Registry, v url.Values) (Hedge, error) {
	r := newReader(reg, v, QuestionParams("hedge/backtest"))
	q := r.hedge(20)
	q.Budget = 0.1
	if s := r.one("budget"); s != "" {
		b, err := strconv.ParseFloat(s, 64)
		if err != nil || !(b > 0 && b <= 1) {
			r.fail(wrong("budget", "%s: give the share of requests that may be hedged, above 0 and at most 1", quote(s)))
		} else {
			q.Budget = b
		}
	}
	for _, rule := range r.list("rule") {
		if rule != SingleRRule {
			if _, _, err := ParseAfter(rule); err != nil {
				r.fail(wrong("rule", "%s is no rule; write a quantile such as p90, a duration such as 1500ms, or %s", quote(rule), SingleRRule))
				continue
			}
		}
		if !slices.Contains(q.Rules, rule) {
			q.Rules = append(q.Rules, rule)
		}
	}
	if len(q.Rules) == 0 {
		q.Rules = defaultRules()
	}
	if len(q.Rules) > 12 {
		r.fail(wrong("rule", "%d rules; ask for at most 12", len(q.Rules)))
	}
	return q, r.errs.orNil()
}

// ParseObserved reads the question of /hedge/observed.
func ParseObserved(reg *schema.Registry, v url.Values) (Hedge, error) {
	r := newReader(reg, v, QuestionParams("hedge/observed"))
	q := r.hedge(100)
	return q, r.errs.orNil()
}
