package store

import (
	"context"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"headway/query"
	"headway/schema"
)

// Request returns one request's attempts in order, none where the id is
// unknown, and where the primary's first-token time lies within its cohort:
// same model, route, input band, source and UTC day, of which unfinished rows
// are counted as censored. Duplicates are left out and counted.
func (s *Store) Request(ctx context.Context, id string, explain bool) (query.RequestAnswer, error) {
	q := s.ask("request")
	p := &params{}
	p.text("id", id)
	var a query.RequestAnswer
	duplicates := int64(0)
	err := q.run(ctx, file("request.sql"), map[string]string{"columns": attemptColumns()}, p, func(r driver.Rows) error {
		at, err := scanAttempt(r)
		switch {
		case err != nil:
			return err
		case at.Record.Flagged(schema.FlagDuplicate):
			duplicates++
		default:
			a.Attempts = append(a.Attempts, at)
		}
		return nil
	})
	if err != nil {
		return a, err
	}
	var sc query.Scope
	var metric *schema.Field
	for i := range a.Attempts {
		at := &a.Attempts[i]
		if at.Record.Role == schema.RolePrimary && metric == nil {
			sc = cohort(at)
			if metric, err = q.placeInCohort(ctx, &a, at, sc); err != nil {
				return a, err
			}
		}
	}
	a.Meta = q.meta(sc, explain)
	a.Meta.N, a.Meta.Metric = int64(len(a.Attempts)), metric
	if duplicates > 0 {
		a.Meta.LeftOut[string(schema.WaitDuplicate)] = duplicates
	}
	sources, starts := map[string]bool{}, map[string]bool{}
	for i := range a.Attempts {
		sources[a.Attempts[i].Record.Source] = true
		starts[string(a.Attempts[i].Record.StartPoint)] = true
	}
	a.Meta.Sources, a.Meta.StartPoints = sortedKeys(sources), sortedKeys(starts)
	return a, nil
}

// cohort are the rows that an attempt is compared with.
func cohort(at *query.Attempt) query.Scope {
	from := at.Record.CreatedAt.UTC().Truncate(day)
	sc := query.Scope{Window: query.Window{From: from, To: from.Add(day)}}
	for _, c := range []struct{ dimension, value string }{
		{"model", at.Record.Model}, {"route", at.Record.Route}, {"input_band", at.InputBand}, {"source", at.Record.Source},
	} {
		if c.value == "" {
			c.value = query.Missing
		}
		sc.Where = append(sc.Where, query.Condition{Dimension: c.dimension, Op: query.OpIn, Values: []string{c.value}})
	}
	return sc
}

// placeInCohort fills percentile and cohort of an attempt whose first-token
// time was observed, and returns the metric that was compared.
func (q *question) placeInCohort(ctx context.Context, a *query.RequestAnswer, at *query.Attempt, sc query.Scope) (*schema.Field, error) {
	name := schema.MetricFirstResponse
	if src, ok := q.store.sources.Lookup(at.Record.Source); ok {
		name = src.HedgeMetric
	}
	metric, err := query.ResolveMetric(q.store.reg, string(name), "")
	if err != nil {
		return nil, err
	}
	value := at.Record.Timing.FirstResponse
	if name == schema.MetricFirstText {
		value = at.Record.Timing.FirstTextDelta
	}
	p := &params{}
	rows, err := q.store.rows(sc, metric, nil, query.WaitMetric, p)
	if err != nil {
		return nil, err
	}
	p.float("value", float64(value.Value/time.Microsecond))
	err = q.run(ctx, file("cohort.sql"), map[string]string{"rows": rows}, p, func(r driver.Rows) error {
		var n uint64
		var share float64
		err := r.Scan(&n, &share)
		a.CohortN = int64(n)
		if value.Valid && n > 0 {
			a.Percentile = finite(share)
		}
		return err
	})
	return &metric, err
}
