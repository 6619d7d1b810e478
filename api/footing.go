package api

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"headway/query"
	"headway/schema"
)

// footing is what a question about percentiles stands on: one metric, and
// rows whose offsets start at one instant unless the question mixes them.
type footing struct {
	metric  schema.Field
	asked   string
	scope   query.Scope
	leftOut int64 // rows of other start points
	rows    int64 // of the scope, before the metric leaves any out
	// others are the first-token metrics that the rows' sources record, where
	// all of them record another than the metric.
	others   []string
	warnings []string
}

// find settles metric and rows of a question. by are the question's groups.
func (s *Server) find(ctx context.Context, sc query.Scope, asked string, by []string) (footing, error) {
	counts, err := s.Quality.Values(ctx, query.Values{Field: "source", Limit: 500}, sc)
	if err != nil {
		return footing{}, fmt.Errorf("finding the sources of the rows: %w", err)
	}
	return s.stand(sc, asked, by, counts.Values)
}

// stand is the pure part of find.
func (s *Server) stand(sc query.Scope, asked string, by []string, sources []query.ValueCount) (footing, error) {
	f := footing{asked: asked, scope: sc}
	if s.Notice != "" {
		f.warnings = append(f.warnings, s.Notice)
	}
	starts := map[schema.StartPoint]int64{}
	for _, v := range sources {
		starts[s.startOf(v.Value)] += v.N
	}
	chosen := sources
	mixes := slices.Contains(by, "source") || slices.Contains(by, "start_point") || filtersOn(sc, "source") || filtersOn(sc, "start_point")
	if len(starts) > 1 && !mixes {
		main := mostRows(starts)
		chosen = slices.DeleteFunc(slices.Clone(sources), func(v query.ValueCount) bool { return s.startOf(v.Value) != main })
		f.narrow(main, starts)
	}
	fallback, mixed := s.defaultMetric(chosen)
	if query.IsBareTTFT(asked) {
		fallback, mixed = s.DefaultMetric, nil
	}
	if asked == "" && len(mixed) > 1 {
		f.warnings = append(f.warnings, "the sources' own first-token metrics differ ("+strings.Join(mixed, ", ")+"); this answer uses "+fallback)
	}
	var err error
	f.metric, err = query.ResolveMetric(s.Fields, asked, fallback)
	for _, v := range chosen {
		f.rows += v.N
	}
	f.others = s.otherMetrics(chosen, f.metric)
	return f, err
}

// otherMetrics are the sources' own first-token metrics where none of them is
// the metric; nil where one may record it.
func (s *Server) otherMetrics(sources []query.ValueCount, metric schema.Field) []string {
	var out []string
	for _, v := range sources {
		src, ok := s.Sources.Lookup(v.Value)
		if !ok || src.Name == "headway" || !metric.FirstToken || string(src.HedgeMetric) == metric.Name {
			return nil
		}
		if name := string(src.HedgeMetric); !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	sort.Strings(out)
	return out
}

// sayNoValue words why no row counts for the metric although there are rows.
func (f footing) sayNoValue() string {
	name := f.metric.Name
	if f.asked != "" && f.asked != name {
		name = f.asked + " is " + name + " here; "
	} else {
		name += ": "
	}
	if len(f.others) == 0 {
		return fmt.Sprintf("%snone of the %d rows has a value that counts; left_out has the reasons, and quality which fields the sources record", name, f.rows)
	}
	return fmt.Sprintf("%sthese sources record %s: ask with metric=%s", name, strings.Join(f.others, ", "), f.others[0])
}

// narrow keeps the rows of one start point only.
func (f *footing) narrow(main schema.StartPoint, starts map[schema.StartPoint]int64) {
	var others []string
	for p, n := range starts {
		if p != main {
			f.leftOut += n
			others = append(others, string(p))
		}
	}
	sort.Strings(others)
	f.scope.Where = append(slices.Clone(f.scope.Where), query.Condition{Dimension: "start_point", Op: query.OpIn, Values: []string{string(main)}})
	f.warnings = append(f.warnings, fmt.Sprintf("rows whose times start at %q only; %d rows that start at %s are left out, since two clocks share no percentile: ask with start_point=%s, or group by start_point",
		main, f.leftOut, strings.Join(others, ", "), others[0]))
}

func filtersOn(sc query.Scope, dimension string) bool {
	return slices.ContainsFunc(sc.Where, func(c query.Condition) bool { return c.Dimension == dimension })
}

func mostRows(starts map[schema.StartPoint]int64) schema.StartPoint {
	var best schema.StartPoint
	for p, n := range starts {
		if n > starts[best] || n == starts[best] && p < best {
			best = p
		}
	}
	return best
}

func (s *Server) startOf(source string) schema.StartPoint {
	if src, ok := s.Sources.Lookup(source); ok {
		return src.StartPoint
	}
	return schema.StartHandler
}

// defaultMetric is the first-token metric that all sources share, else the
// configured one beside the names that differ.
func (s *Server) defaultMetric(sources []query.ValueCount) (name string, differ []string) {
	for _, v := range sources {
		metric := s.DefaultMetric
		if src, ok := s.Sources.Lookup(v.Value); ok && v.Value != "headway" {
			metric = string(src.HedgeMetric)
		}
		if !slices.Contains(differ, metric) {
			differ = append(differ, metric)
		}
	}
	sort.Strings(differ)
	if len(differ) == 1 {
		return differ[0], nil
	}
	return s.DefaultMetric, differ
}
