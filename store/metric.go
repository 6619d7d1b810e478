package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"headway/query"
	"headway/schema"
)

// metric is the measure that a question asks for. Where it names none, it is
// the one that the sources of its rows measure waits by, of the most rows
// where they differ, with a warning.
func (q *question) metric(ctx context.Context, name string, sc query.Scope) (schema.Field, []string, error) {
	s := q.store
	if name != "" {
		f, err := query.ResolveMetric(s.reg, name, string(schema.MetricFirstResponse))
		return f, nil, err
	}
	counts, err := q.defaults(ctx, sc)
	if err != nil {
		return schema.Field{}, nil, err
	}
	best := schema.MetricFirstResponse
	for m, n := range counts {
		if n > counts[best] || n == counts[best] && m < best {
			best = m
		}
	}
	var warnings []string
	if len(counts) > 1 {
		names := make(map[string]int64, len(counts))
		for m, n := range counts {
			names[string(m)] = n
		}
		warnings = []string{fmt.Sprintf("the sources' own first-token metrics differ (%s); this answer uses %s", strings.Join(sortedKeys(names), ", "), best)}
	}
	f, err := query.ResolveMetric(s.reg, string(best), string(best))
	return f, warnings, err
}

// defaults counts rows by the first-token metric of their sources.
func (q *question) defaults(ctx context.Context, sc query.Scope) (map[schema.Metric]int64, error) {
	s := q.store
	p := &params{}
	p.window(sc.Window)
	where, err := s.filter(sc.Where, p)
	if err != nil {
		return nil, err
	}
	counts := map[schema.Metric]int64{}
	err = q.run(ctx, file("sources.sql"), map[string]string{"filter": where}, p, func(r driver.Rows) error {
		var name string
		var n uint64
		if err := r.Scan(&name, &n); err != nil {
			return err
		}
		metric := schema.MetricFirstResponse
		if src, ok := s.sources.Lookup(name); ok {
			metric = src.HedgeMetric
		}
		counts[metric] += int64(n)
		return nil
	})
	return counts, err
}
