package query

import (
	"errors"
	"slices"
	"strings"
	"time"

	"headway/schema"
)

// maxAfter is the longest hedge delay; no attempt lasts longer (record.md).
const maxAfter = day

// ParseAfter reads a hedge delay: a quantile of the wait ("p90") or a
// duration ("1500ms"). One of the two results is set; the empty text is P90.
func ParseAfter(s string) (q float64, d time.Duration, err error) {
	if s == "" {
		return 0.9, 0, nil
	}
	if strings.HasPrefix(strings.ToLower(s), "p") {
		q, err = ParseQuantile(s)
		return q, 0, err
	}
	d, err = ParseDuration(s)
	if err != nil || d < time.Microsecond || d > maxAfter {
		return 0, 0, errors.New(quote(s) + " is no delay; write a quantile such as p90 or a duration such as 1500ms, at most 24h")
	}
	return 0, d.Truncate(time.Microsecond), nil
}

// ParseKey reads a key "model=…,route=…" whose dimensions must be those of
// by; a value of Missing or "" is "not recorded" and comes back as "". It
// returns nil for the empty text.
func ParseKey(reg *schema.Registry, s string, by []string) (map[string]string, *ParamError) {
	if s == "" {
		return nil, nil
	}
	key := map[string]string{}
	for part := range strings.SplitSeq(s, ",") {
		name, value, ok := strings.Cut(part, "=")
		f, known := reg.Lookup(name)
		if _, twice := key[f.Name]; !ok || !known || twice || !slices.Contains(by, f.Name) {
			return nil, keyError(part, by)
		}
		if value == Missing {
			value = ""
		}
		key[f.Name] = value
	}
	if len(key) != len(by) {
		return nil, keyError(s, by)
	}
	return key, nil
}

func keyError(got string, by []string) *ParamError {
	e := wrong("backup", "%s: name each dimension of by once, as %s=…", quote(got), strings.Join(by, "=…,"))
	return &e
}
