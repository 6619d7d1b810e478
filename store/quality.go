package store

import (
	"context"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"headway/query"
	"headway/schema"
)

// Quality returns what arrived, was refused, flagged and lost in a window,
// per source, and when each gateway was last heard within a week. Rejects and
// losses know no dimension but source, so that other filters leave them as
// they are.
func (s *Store) Quality(ctx context.Context, qq query.Quality, sc query.Scope) (query.QualityAnswer, error) {
	q := s.ask("quality")
	var a query.QualityAnswer
	found := map[string]*query.SourceQuality{}
	if err := q.arrived(ctx, found, sc); err != nil {
		return a, err
	}
	if err := q.flagged(ctx, found, sc); err != nil {
		return a, err
	}
	if err := q.refused(ctx, found, sc); err != nil {
		return a, err
	}
	var err error
	if a.Gateways, err = q.gateways(ctx, sc); err != nil {
		return a, err
	}
	if a.Lost, err = q.losses(ctx, sc); err != nil {
		return a, err
	}
	if a.Meta, err = q.counted(ctx, sc, qq.Explain); err != nil {
		return a, err
	}
	for _, name := range sortedKeys(found) {
		a.Sources = append(a.Sources, *found[name])
	}
	if onlySource := onlyOn(sc.Where, "source"); !onlySource && len(sc.Where) > 0 {
		a.Meta.Warnings = append(a.Meta.Warnings, "rejects and losses have no dimension but source: the other filters do not narrow them")
	}
	return a, nil
}

func onlyOn(where []query.Condition, dimension string) bool {
	for _, c := range where {
		if c.Dimension != dimension {
			return false
		}
	}
	return true
}

// of finds or makes a source's quality.
func of(found map[string]*query.SourceQuality, source string) *query.SourceQuality {
	if found[source] == nil {
		found[source] = &query.SourceQuality{Source: source, Rejected: map[string]int64{}, Flags: map[string]int64{}, Coverage: map[string]float64{}}
	}
	return found[source]
}

// arrived fills rows, duplicates and coverage.
func (q *question) arrived(ctx context.Context, found map[string]*query.SourceQuality, sc query.Scope) error {
	p, where, err := q.scope(sc)
	if err != nil {
		return err
	}
	fields, carried := coverage(q.store.reg)
	return q.run(ctx, file("quality_sources.sql"), map[string]string{"filter": where, "carried": carried}, p, func(r driver.Rows) error {
		var source string
		var rows, duplicates uint64
		var newest time.Time
		var counts []uint64
		if err := r.Scan(&source, &rows, &duplicates, &newest, &counts); err != nil {
			return err
		}
		newest = newest.UTC()
		s := of(found, source)
		s.Rows, s.Duplicates, s.Newest = int64(rows), int64(duplicates), &newest
		for i, f := range fields {
			if single := rows - duplicates; single > 0 {
				s.Coverage[f.Name] = float64(counts[i]) / float64(single)
			}
		}
		return nil
	})
}

// coverage lists the fields that a row may lack, and the SQL that counts the
// rows which carry each.
func coverage(reg *schema.Registry) (fields []schema.Field, carried string) {
	var parts []string
	for _, f := range reg.Fields() {
		var present string
		switch {
		case f.Kind == schema.KindMeasure:
			present = expression(f) + " IS NOT NULL"
		case f.Kind != schema.KindDimension || f.Value == schema.ValueStrings:
			continue
		default:
			present = asText(f) + " != ''"
		}
		fields = append(fields, f)
		parts = append(parts, "countIf("+present+" AND NOT has(flags, 'duplicate'))")
	}
	return fields, strings.Join(parts, ", ")
}

func (q *question) flagged(ctx context.Context, found map[string]*query.SourceQuality, sc query.Scope) error {
	p, where, err := q.scope(sc)
	if err != nil {
		return err
	}
	return q.run(ctx, file("quality_flags.sql"), map[string]string{"filter": where}, p, func(r driver.Rows) error {
		var source, flag string
		var n uint64
		err := r.Scan(&source, &flag, &n)
		of(found, source).Flags[flag] = int64(n)
		return err
	})
}

// refused fills the rejects, of the sources that the question selects.
func (q *question) refused(ctx context.Context, found map[string]*query.SourceQuality, sc query.Scope) error {
	sources := sc
	sources.Where = nil
	for _, c := range sc.Where {
		if c.Dimension == "source" {
			sources.Where = append(sources.Where, c)
		}
	}
	p, where, err := q.scope(sources)
	if err != nil {
		return err
	}
	return q.run(ctx, file("quality_rejects.sql"), map[string]string{"filter": where}, p, func(r driver.Rows) error {
		var source, reason string
		var n uint64
		err := r.Scan(&source, &reason, &n)
		of(found, source).Rejected[reason] = int64(n)
		return err
	})
}

func (q *question) gateways(ctx context.Context, sc query.Scope) ([]query.GatewayFreshness, error) {
	p, where, err := q.scope(sc)
	if err != nil {
		return nil, err
	}
	var out []query.GatewayFreshness
	err = q.run(ctx, file("gateways.sql"), map[string]string{"filter": where}, p, func(r driver.Rows) error {
		var g query.GatewayFreshness
		var n uint64
		err := r.Scan(&g.Gateway, &g.Source, &g.Newest, &n)
		g.Newest, g.Rows = g.Newest.UTC(), int64(n)
		out = append(out, g)
		return err
	})
	return out, err
}
