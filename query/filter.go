package query

import (
	"net/url"
	"slices"
	"sort"
	"strings"

	"headway/schema"
)

const (
	maxFilterValues = 500
	maxValueBytes   = 128 // as record.md cuts dimensions
)

// addFilters collects where= conditions and shorthand parameters into
// canonical conditions: one per dimension and operator, sorted, values sorted
// and distinct.
func (r *reader) addFilters(s *Selection) {
	sets := map[conditionKey][]string{}
	for _, w := range r.v["where"] {
		name, value, ok := strings.Cut(w, "=")
		if !ok {
			r.fail(wrong("where", "%q is no condition; write where=dimension=value or where=dimension!=value", clip(w)))
			continue
		}
		op := OpIn
		if n, not := strings.CutSuffix(name, "!"); not {
			name, op = n, OpNotIn
		}
		r.addCondition(sets, "where", name, op, []string{value})
	}
	for key, values := range r.v {
		name, op := key, OpIn
		if n, not := strings.CutSuffix(key, "!"); not {
			name, op = n, OpNotIn
		}
		f, ok := r.reg.Lookup(name)
		if _, known := r.known[name]; ok && !known && f.Kind == schema.KindDimension {
			r.addCondition(sets, key, name, op, values)
		}
	}
	s.Where = canonical(sets)
	if n := countValues(s.Where); n > maxFilterValues {
		r.fail(wrong("where", "%d values; one question takes at most %d", n, maxFilterValues))
	}
}

// conditionKey identifies a condition before its values are known.
type conditionKey struct {
	dimension string
	op        Op
}

func (r *reader) addCondition(sets map[conditionKey][]string, param, name string, op Op, values []string) {
	f, ok := r.dimension(param, name)
	if !ok {
		return
	}
	for _, v := range values {
		if e, bad := badValue(f, param, v); bad {
			r.fail(e)
			continue
		}
		k := conditionKey{f.Name, op}
		sets[k] = append(sets[k], v)
	}
}

func badValue(f schema.Field, param, v string) (ParamError, bool) {
	switch {
	case v == Missing:
		return ParamError{}, false
	case v == "":
		return wrong(param, "%s has no value; write %s for rows where it was not recorded", f.Name, Missing), true
	case len(v) > maxValueBytes:
		return wrong(param, "a value of %s is longer than %d bytes; records are cut there", f.Name, maxValueBytes), true
	case f.Value == schema.ValueBool && v != "true" && v != "false":
		return wrong(param, "%s is true, false or %s, not %q", f.Name, Missing, clip(v)), true
	case f.Value == schema.ValueInt:
		if _, ok := digits(v); !ok || len(v) > 9 {
			return wrong(param, "%s is a number or %s, not %q", f.Name, Missing, clip(v)), true
		}
	}
	return badChoice(f, param, v)
}

func canonical(sets map[conditionKey][]string) []Condition {
	var out []Condition
	for k, values := range sets {
		slices.Sort(values)
		out = append(out, Condition{Dimension: k.dimension, Op: k.op, Values: slices.Compact(values)})
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].Dimension != out[j].Dimension {
			return out[i].Dimension < out[j].Dimension
		}
		return out[i].Op > out[j].Op
	})
	return out
}

func countValues(where []Condition) int {
	n := 0
	for _, c := range where {
		n += len(c.Values)
	}
	return n
}

// write puts the selection into v: shorthand for equality, where= for the
// rest.
func (s Selection) write(v url.Values) {
	set(v, "from", s.From)
	set(v, "to", s.To)
	for _, c := range s.Where {
		for _, value := range c.Values {
			if c.Op == OpIn {
				v.Add(c.Dimension, value)
			} else {
				v.Add("where", c.Dimension+string(c.Op)+value)
			}
		}
	}
}

// clip shortens what a message quotes of a question.
func clip(s string) string {
	if len(s) > 60 {
		return s[:60] + "…"
	}
	return s
}
