package e2e

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	interfaceOf = regexp.MustCompile(`(?s)export interface (\w+)(?: extends (\w+))? \{(.*?)\n\}`)
	propertyOf  = regexp.MustCompile(`(\w+)\??: `)
)

// shapes reads the dashboard's types: interface to its properties, inherited
// ones included.
func shapes(t *testing.T) map[string][]string {
	t.Helper()
	raw, err := os.ReadFile("../../web/src/api/types.ts")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for _, m := range interfaceOf.FindAllStringSubmatch(string(raw), -1) {
		own := slices.Clone(out[m[2]])
		for _, p := range propertyOf.FindAllStringSubmatch(m[3], -1) {
			own = append(own, p[1])
		}
		slices.Sort(own)
		out[m[1]] = own
	}
	return out
}

// TestDashboardTypesAgree compares what the dashboard reads with what the
// OpenAPI document says the server writes.
func TestDashboardTypesAgree(t *testing.T) {
	t.Parallel()
	p := up(t)
	var doc struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]any `json:"properties"`
			} `json:"schemas"`
		} `json:"components"`
	}
	get(t, p, "/openapi.json", params(), &doc)
	checked := 0
	for name, want := range shapes(t) {
		if name == "Sample" { // the part that Advice and Simulated share
			continue
		}
		var got []string
		for property := range doc.Components.Schemas[name].Properties {
			got = append(got, property)
		}
		slices.Sort(got)
		checked++
		if !slices.Equal(got, want) {
			t.Errorf("%s\nserver    %s\ndashboard %s", name, strings.Join(got, " "), strings.Join(want, " "))
		}
	}
	if checked < 30 {
		t.Errorf("only %d types were compared", checked)
	}
}
