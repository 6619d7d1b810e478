package api

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"headway/hedge"
	"headway/query"
	"headway/schema"
)

// groupQuantiles are the percentiles of a breakdown's groups.
var groupQuantiles = [3]float64{0.5, 0.95, 0.99}

func groupValues(g query.Group) [3]*float64 { return [3]*float64{g.P50, g.P95, g.P99} }

// laws are the laws of groups, by value, that have a percentile that storage
// did not reach.
type laws map[string]hedge.Distribution

// unreached are the groups of which storage has no percentile although rows
// are enough: too many of them are censored.
func unreached(groups []query.Group) []string {
	var out []string
	for _, g := range groups {
		for i, v := range groupValues(g) {
			if v == nil && g.Censored > 0 && g.N >= int64(hedge.MinPoint(groupQuantiles[i])) {
				out = append(out, g.Value)
				break
			}
		}
	}
	return out
}

// lastSeen loads the values of the groups with percentiles that were not
// reached, since storage tells no lower bound, and says so in a.
func (s *Server) lastSeen(ctx context.Context, a *query.BreakdownAnswer, q query.Breakdown, f footing) (laws, error) {
	groups := unreached(a.Groups)
	if len(groups) == 0 {
		return nil, nil
	}
	waits, m, err := s.Waits.Waits(ctx, within(f.scope, q.By, groups), f.metric, []string{q.By}, query.WaitMetric)
	var limit StoreError
	if errors.As(err, &limit) {
		if setting, _, ok := limit.Limit(); ok {
			a.Meta.Warnings = append(a.Meta.Warnings, fmt.Sprintf("percentiles were not reached in %d groups (%s), since too many rows ended before; their last time seen costs more than %s allows",
				len(groups), names(groups), setting))
			return nil, nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("reading the last times seen of %s by %s: %w", q.Metric, q.By, err)
	}
	out := laws{}
	for _, w := range waits {
		out[w.Key[q.By]] = lawOf(w)
	}
	a.Meta.Warnings = append(a.Meta.Warnings, fmt.Sprintf("percentiles are null because they were not reached in %d groups (%s): too many rows ended without getting there; p50_at_least, p95_at_least and p99_at_least have the last time seen",
		len(groups), names(groups)))
	a.Meta.RowsRead, a.Meta.Elapsed = a.Meta.RowsRead+m.RowsRead, a.Meta.Elapsed+m.Elapsed
	if q.Explain {
		a.Meta.SQL = append(a.Meta.SQL, m.SQL...)
	}
	return out, nil
}

// within keeps the rows of a scope whose dimension has one of the values; ""
// is "not recorded".
func within(sc query.Scope, dimension string, values []string) query.Scope {
	asked := make([]string, len(values))
	for i, v := range values {
		if asked[i] = v; v == "" {
			asked[i] = query.Missing
		}
	}
	sc.Where = append(append([]query.Condition{}, sc.Where...), query.Condition{Dimension: dimension, Op: query.OpIn, Values: asked})
	return sc
}

// read takes a group's percentiles, null below the point minimum.
func (l laws) read(g query.Group, metric schema.Field) [3]reading {
	var out [3]reading
	for i, v := range groupValues(g) {
		q := groupQuantiles[i]
		r := reading{belowMinN: g.N < int64(hedge.MinPoint(q)), value: finite(v)}
		if law, ok := l[g.Value]; ok && v == nil {
			if p := law.Quantile(q); !p.Reached && law.N() > 0 {
				r.notReached, r.atLeast = true, inUnit(metric, float64(p.AtLeast))
			}
		}
		out[i] = r.sturdy()
	}
	return out
}

// namesShown bounds how many values a sentence lists.
const namesShown = 5

func names(values []string) string {
	shown := make([]string, 0, namesShown+1)
	for i, v := range values {
		if i == namesShown {
			shown = append(shown, fmt.Sprintf("and %d more", len(values)-i))
			break
		}
		if v == "" {
			v = query.Missing
		}
		shown = append(shown, clip(v))
	}
	return strings.Join(shown, ", ")
}
