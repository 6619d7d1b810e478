package store

import (
	"context"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"golang.org/x/sync/errgroup"

	"headway/query"
	"headway/schema"
)

// week is how far back the figures lie that the headline compares with.
const week = 7 * day

// atOnce bounds how many statements of one question run at the same time.
const atOnce = 4

// Headline returns the main figures of a window beside those of the same
// window one week earlier. The first figures are of the sources' own
// first-token metric. A figure with censored rows has no Now (or Before) but
// the values in NowRaw (or BeforeRaw), for Kaplan–Meier.
func (s *Store) Headline(ctx context.Context, hq query.Headline, sc query.Scope) (query.HeadlineAnswer, error) {
	q := s.ask("headline")
	first, warnings, err := q.metric(ctx, "", sc)
	if err != nil {
		return query.HeadlineAnswer{}, err
	}
	before := sc
	before.From, before.To = sc.From.Add(-week), sc.To.Add(-week)
	a := query.HeadlineAnswer{Figures: s.figures(first)}
	if err := q.fillFigures(ctx, a.Figures, sc, before); err != nil {
		return query.HeadlineAnswer{}, err
	}
	if err := q.traffic(ctx, &a, sc, before); err != nil {
		return query.HeadlineAnswer{}, err
	}
	if a.Newest, err = q.newest(ctx); err != nil {
		return query.HeadlineAnswer{}, err
	}
	spark, err := s.Latency(ctx, query.Latency{Metric: first.Name, Quantiles: []float64{0.95}, Explain: true}, sc)
	if err != nil {
		return query.HeadlineAnswer{}, err
	}
	if len(spark.Series) > 0 {
		a.Spark = spark.Series[0].Points
	}
	a.Meta = spark.Meta // its rows are those of the first figure
	a.Meta.Warnings = append(warnings, spark.Meta.Warnings...)
	own := q.meta(sc, hq.Explain)
	a.Meta.RowsRead += own.RowsRead
	a.Meta.Elapsed += own.Elapsed
	if a.Meta.SQL = nil; hq.Explain {
		a.Meta.SQL = append(own.SQL, spark.Meta.SQL...)
	}
	return a, nil
}

// figures are the headline's figures without values, the first metric first.
func (s *Store) figures(first schema.Field) []query.Figure {
	names := []string{first.Name}
	for _, m := range []schema.Metric{schema.MetricFirstResponse, schema.MetricFirstText} {
		if string(m) != first.Name {
			names = append(names, string(m))
		}
	}
	var out []query.Figure
	add := func(name string, quantiles ...float64) {
		f, _ := s.reg.Lookup(name) // a test looks all of them up
		for _, q := range quantiles {
			out = append(out, query.Figure{Name: f.Name, Quantile: q, Unit: f.Unit, Start: f.Start, End: f.End})
		}
	}
	for _, name := range names {
		add(name, 0.5, 0.95, 0.99)
	}
	add("total_handler_ms", 0.95)
	add("tps", 0.5)
	return out
}

// fillFigures computes each metric's figures for both windows.
func (q *question) fillFigures(ctx context.Context, figures []query.Figure, now, before query.Scope) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(atOnce)
	for from := 0; from < len(figures); {
		to := from
		for to < len(figures) && figures[to].Name == figures[from].Name {
			to++
		}
		run := figures[from:to]
		from = to
		g.Go(func() error {
			x, err := q.summary(ctx, run, now)
			for i := range run {
				run[i].Now, run[i].NowN, run[i].NowRaw = x.at(i), x.n, x.raw
			}
			return err
		})
		g.Go(func() error {
			x, err := q.summary(ctx, run, before)
			for i := range run {
				run[i].Before, run[i].BeforeN, run[i].BeforeRaw = x.at(i), x.n, x.raw
			}
			return err
		})
	}
	return g.Wait()
}

// summary is what summary.sql says of one metric and window.
type summary struct {
	n      int64
	values []*float64
	raw    *query.Waits
}

func (x summary) at(i int) *float64 {
	if i >= len(x.values) {
		return nil
	}
	return x.values[i]
}

// summary computes the figures of one metric in one window.
func (q *question) summary(ctx context.Context, run []query.Figure, sc query.Scope) (summary, error) {
	field, err := query.ResolveMetric(q.store.reg, run[0].Name, "")
	if err != nil {
		return summary{}, err
	}
	p := &params{}
	rows, err := q.store.rows(sc, field, nil, query.WaitMetric, p)
	if err != nil {
		return summary{}, err
	}
	quantiles := make([]float64, len(run))
	for i := range run {
		quantiles[i] = run[i].Quantile
	}
	var x summary
	fill := map[string]string{"rows": rows, "quantiles": quantileArgs(quantiles), "micros": microsSlot(field)}
	err = q.run(ctx, file("summary.sql"), fill, p, func(r driver.Rows) error {
		var n, censored uint64
		var values []float64
		var observedAt, censoredAt []int64
		err := r.Scan(&n, &censored, &values, &observedAt, &censoredAt)
		x.n, x.values = int64(n), inUnit(field, values, len(run))
		if censored > 0 {
			raw := joined(observedAt, censoredAt)
			x.raw = &raw
		}
		return err
	})
	return x, err
}

// traffic fills the counts and rates of both windows.
func (q *question) traffic(ctx context.Context, a *query.HeadlineAnswer, now, before query.Scope) error {
	n, share, err := q.requests(ctx, now)
	if err != nil {
		return err
	}
	was, shareWas, err := q.requests(ctx, before)
	if err != nil {
		return err
	}
	a.Requests, a.RequestsWas, a.FailureShare, a.FailureWas = n, was, share, shareWas
	end := now.To
	if t := q.store.cfg.Now(); t.Before(end) {
		end = t // a window that is not over yet has no rate for what is to come
	}
	if d := end.Sub(now.From).Seconds(); d > 0 {
		a.RatePerSec = float64(n) / d
	}
	if was > 0 {
		a.RateWas = finite(float64(was) / before.To.Sub(before.From).Seconds())
	}
	return nil
}

func (q *question) requests(ctx context.Context, sc query.Scope) (n int64, failureShare *float64, err error) {
	p := &params{}
	p.window(sc.Window)
	where, err := q.store.filter(sc.Where, p)
	if err != nil {
		return 0, nil, err
	}
	fill := map[string]string{"filter": where}
	lift(fill, sc.Where, nil)
	err = q.run(ctx, file("traffic.sql"), fill, p, func(r driver.Rows) error {
		var primaries, judged, failed uint64
		err := r.Scan(&primaries, &judged, &failed)
		n, failureShare = int64(primaries), finite(float64(failed)/float64(judged))
		return err
	})
	return n, failureShare, err
}

// newest is when the newest stored record was made, nil without any.
func (q *question) newest(ctx context.Context) (*time.Time, error) {
	var newest *time.Time
	err := q.run(ctx, file("newest.sql"), nil, &params{}, func(r driver.Rows) error {
		var n uint64
		var at time.Time
		if err := r.Scan(&n, &at); err != nil || n == 0 {
			return err
		}
		at = at.UTC()
		newest = &at
		return nil
	})
	return newest, err
}
