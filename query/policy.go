package query

import (
	"net/url"
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
