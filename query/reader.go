package query

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"headway/schema"
)

// reader takes a question apart and collects every mistake in it.
type reader struct {
	reg   *schema.Registry
	v     url.Values
	known map[string]Param
	own   []string // names of known, in order
	errs  Errors
}

func newReader(reg *schema.Registry, v url.Values, params []Param) *reader {
	r := &reader{reg: reg, v: maps.Clone(v), known: map[string]Param{}}
	for _, p := range params {
		r.known[p.Name] = p
		r.own = append(r.own, p.Name)
	}
	names := append(slices.Clone(r.own), reg.Names(schema.KindDimension)...)
	keys := make([]string, 0, len(v))
	for key := range v {
		keys = append(keys, key)
	}
	slices.Sort(keys) // messages in a stable order
	for _, key := range keys {
		r.checkKey(key, names)
	}
	return r
}

func (r *reader) checkKey(key string, names []string) {
	for _, v := range r.v[key] {
		if !utf8.ValidString(v) || strings.ContainsRune(v, 0) {
			r.fail(wrong(clip(strings.ToValidUTF8(key, "?")), "the value is not valid UTF-8 text"))
			return
		}
	}
	if p, ok := r.known[key]; ok {
		r.checkGiven(p)
		return
	}
	bare := strings.TrimSuffix(key, "!")
	if f, ok := r.reg.Lookup(bare); ok {
		if f.Kind == schema.KindDimension {
			return
		}
		e := wrong(key, "%s is a %s, not a parameter; filters take dimensions", f.Name, f.Kind)
		if _, takes := r.known["metric"]; takes && f.Kind == schema.KindMeasure {
			e.Message += ", a measure is asked for with metric=" + f.Name
		}
		r.fail(e)
		return
	}
	r.fail(UnknownParam(key, Nearest(bare, names), r.own))
}

// UnknownParam is the mistake of a parameter that there is none of; own are
// those there are.
func UnknownParam(name string, nearest, own []string) ParamError {
	e := ParamError{Param: clip(strings.ToValidUTF8(name, "?")), Message: "unknown parameter", Nearest: nearest}
	if len(nearest) == 0 {
		e.Message += "; this question takes " + strings.Join(own, ", ") + ": see /docs"
	}
	return e
}

// CheckGiven refuses a parameter that is given without a value, or twice where
// it takes one; nil where it is neither.
func CheckGiven(name string, values []string, list bool) *ParamError {
	switch {
	case len(values) > 1 && !list:
		return new(wrong(name, "given %d times; give it once", len(values)))
	case slices.Contains(values, ""):
		return new(wrong(name, "it has no value; give one, or leave the parameter out"))
	}
	return nil
}

func (r *reader) checkGiven(p Param) {
	if e := CheckGiven(p.Name, r.v[p.Name], p.List); e != nil {
		r.fail(*e)
		delete(r.v, p.Name) // one mistake, one message
	}
}

func (r *reader) fail(e ParamError) { r.errs = append(r.errs, e) }

// one returns a parameter that may be given once; "" when it is absent.
func (r *reader) one(name string) string { return r.v.Get(name) }

// list returns a parameter's values, given by repetition or with commas.
func (r *reader) list(name string) []string {
	var out []string
	for _, v := range r.v[name] {
		for part := range strings.SplitSeq(v, ",") {
			if part = strings.TrimSpace(part); part != "" {
				out = append(out, part)
			} else if v != "" {
				r.fail(wrong(name, "%s has an empty part; write values with one comma between", quote(v)))
				break
			}
		}
	}
	return out
}

// number returns a whole number in [low, high], or fallback when absent.
func (r *reader) number(name string, fallback, low, high int) int {
	s := r.one(name)
	if s == "" {
		return fallback
	}
	n, ok := digits(s)
	if !ok || n < int64(low) || n > int64(high) {
		r.fail(wrong(name, "%q: give a whole number from %d to %d", clip(s), low, high))
		return fallback
	}
	return int(n)
}

func (r *reader) selection() Selection {
	s := Selection{From: r.one("from"), To: r.one("to")}
	// Any instant will do: relative references are checked for their form.
	probe := time.UnixMilli(maxMillis).UTC()
	for _, p := range [][2]string{{"from", s.From}, {"to", s.To}} {
		if p[1] == "" {
			continue
		}
		if _, err := ParseTime(p[1], probe); err != nil {
			r.fail(wrong(p[0], "%s", clipTo(err.Error(), 200)))
		}
	}
	r.addFilters(&s)
	return s
}

func (r *reader) explain() bool {
	s := r.one("explain")
	if s != "" && s != "sql" {
		r.fail(ParamError{Param: "explain", Message: "the only explanation is sql", Nearest: []string{"sql"}})
	}
	return s == "sql"
}

func (r *reader) metric() string {
	name := r.one("metric")
	if name == "" || IsBareTTFT(name) {
		return name
	}
	f, ok := r.reg.Lookup(name)
	switch {
	case !ok:
		r.fail(unknownName("metric", "metric", name, append(r.reg.Names(schema.KindMeasure), "ttft"), whereMeasures))
	case f.Kind != schema.KindMeasure:
		r.fail(wrong("metric", "%s is a %s, not a measure; filter with where=%s=…", f.Name, f.Kind, f.Name))
	}
	return name
}

func (r *reader) dimension(param, name string) (schema.Field, bool) {
	f, ok := r.reg.Lookup(name)
	switch {
	case !ok:
		r.fail(unknownName(param, "dimension", name, r.reg.Names(schema.KindDimension), whereDimensions))
	case f.Kind == schema.KindIdentity:
		r.fail(wrong(param, "%s identifies single requests; look one up with requests/{id}", f.Name))
	case f.Kind != schema.KindDimension:
		r.fail(wrong(param, "%s is a %s, not a dimension", f.Name, f.Kind))
	default:
		return f, true
	}
	return schema.Field{}, false
}

// dimensions returns distinct canonical names, at most limit of them.
func (r *reader) dimensions(name string, limit int) []string {
	var out []string
	for _, d := range r.list(name) {
		f, ok := r.dimension(name, d)
		switch {
		case !ok:
		case f.Value == schema.ValueStrings:
			r.fail(wrong(name, "%s is a list, and a row would fall into several groups; filter with where=%s=… instead", f.Name, f.Name))
		case slices.Contains(out, f.Name):
			r.fail(wrong(name, "%s is given twice", f.Name))
		default:
			out = append(out, f.Name)
		}
	}
	if len(out) > limit {
		r.fail(wrong(name, "%d dimensions; group by at most %d", len(out), limit))
	}
	return out
}

func (r *reader) quantiles() []float64 {
	var out []float64
	for _, s := range r.list("q") {
		q, err := ParseQuantile(s)
		if err != nil {
			r.fail(wrong("q", "%s", clipTo(err.Error(), 200)))
			continue
		}
		out = append(out, q)
	}
	if len(out) > maxQuantiles {
		r.fail(wrong("q", "%d quantiles; ask for at most %d", len(out), maxQuantiles))
	}
	return sortedQuantiles(out)
}

func quote(s string) string { return `"` + clip(strings.ToValidUTF8(s, "?")) + `"` }

func clipTo(s string, n int) string {
	if len(s) > n {
		return strings.ToValidUTF8(s[:n], "") + "…"
	}
	return s
}
