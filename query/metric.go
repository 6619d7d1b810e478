package query

import (
	"strings"

	"headway/schema"
)

// IsBareTTFT tells whether a metric is asked for by the ambiguous name that
// resolves to the configured one.
func IsBareTTFT(name string) bool { return strings.EqualFold(name, "ttft") }

// ResolveMetric returns the field that a question's metric stands for: the
// field of that name or alias, or the field named fallback where the question
// names none or says "ttft".
func ResolveMetric(reg *schema.Registry, name, fallback string) (schema.Field, error) {
	if name == "" || IsBareTTFT(name) {
		name = fallback
	}
	f, ok := reg.Lookup(name)
	if !ok || f.Kind != schema.KindMeasure {
		return schema.Field{}, Errors{unknownName("metric", "metric", name, append(reg.Names(schema.KindMeasure), "ttft"), whereMeasures)}
	}
	return f, nil
}
