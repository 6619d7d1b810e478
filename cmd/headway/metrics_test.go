package main

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// TestEveryMetricIsDocumented: docs/operating.md lists the metrics that a
// process has, and no others.
func TestEveryMetricIsDocumented(t *testing.T) {
	var out bytes.Buffer
	n, err := newNode(&environment{getenv: func(string) string { return "" }, std: streams{out: &out, err: &out}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.close(nil); err != nil {
			t.Error(err)
		}
	})
	if err := n.openStore(); err != nil {
		t.Fatal(err)
	}
	if _, err := n.newAPI(nil, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := n.newIngester(); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile("../../docs/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(raw), "\n## What to watch\n")
	section, _, _ = strings.Cut(section, "\n## ")
	if !found {
		t.Fatal("docs/operating.md has no section What to watch")
	}
	documented := map[string]bool{}
	row := regexp.MustCompile("(?m)^\\| `(headway_[a-z_]+)(\\{[a-z_,]+\\})?` \\|([^|]+)\\|([^|]+)\\|")
	for _, m := range row.FindAllStringSubmatch(section, -1) {
		documented[m[1]+labels(m[2])] = true
	}
	for _, name := range registered(n.metrics) {
		if !documented[name] {
			t.Errorf("%s is not documented with its labels, unit and meaning", name)
		}
		delete(documented, name)
	}
	for name := range documented {
		t.Errorf("%s is documented, but no process has it", name)
	}
}

// labels sorts label names written as {a,b}.
func labels(list string) string {
	names := strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune("{}, ", r) })
	slices.Sort(names)
	return "{" + strings.Join(names, ",") + "}"
}

// registered lists our own metrics as name{labels}.
func registered(reg *prometheus.Registry) []string {
	descs := make(chan *prometheus.Desc)
	go func() { defer close(descs); reg.Describe(descs) }()
	parts := regexp.MustCompile(`fqName: "(headway_[a-z_]+)".*variableLabels: (\{[^}]*\})`)
	var out []string
	for d := range descs {
		if m := parts.FindStringSubmatch(d.String()); m != nil {
			out = append(out, m[1]+labels(m[2]))
		}
	}
	return out
}
