package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"headway/query"
	"headway/schema"
)

// expectedSlow is the share of rows beyond the baseline's P95 that is no
// excess.
const expectedSlow = 0.05

// minP95 is the least number of rows behind a P95 that says something
// (hedge.md, minimum n for a point).
const minP95 = 59

// Breakdown returns groups by their contribution to excess slow requests:
// rows beyond the baseline's P95 of the same input band (below its P5, where
// small is slow), minus the 5 % expected. The baseline is the same window one
// week earlier or, where that has no rows, the seven days before the window.
// A censored row counts as slow when it was waited for beyond the bound.
func (s *Store) Breakdown(ctx context.Context, bq query.Breakdown, sc query.Scope) (query.BreakdownAnswer, error) {
	b := breakdown{ask: s.ask("breakdown"), by: bq.By}
	var err error
	if b.metric, b.warnings, err = b.ask.metric(ctx, bq.Metric, sc); err != nil {
		return query.BreakdownAnswer{}, err
	}
	a := query.BreakdownAnswer{By: bq.By}
	if err := b.baseline(ctx, &a, sc); err != nil {
		return a, err
	}
	p := &params{}
	rows, err := s.rows(sc, b.metric, []string{bq.By}, query.WaitMetric, p)
	if err != nil {
		return a, err
	}
	limit := bq.Limit
	or(&limit, defaultGroups)
	p.number("limit", int64(limit))
	if err := b.groups(ctx, &a, rows, p); err != nil {
		return a, err
	}
	cells, err := b.ask.cells(ctx, rows, p)
	if err != nil {
		return a, err
	}
	a.Meta = b.ask.meta(sc, bq.Explain)
	a.Meta.Metric, a.Meta.Warnings = &b.metric, b.warnings
	describe(&a.Meta, cells, query.WaitMetric)
	if n := countKeys(cells); n > limit {
		a.Meta.Warnings = append(a.Meta.Warnings, fmt.Sprintf("%d of %d groups are shown, those with the most excess; meta counts all", len(a.Groups), n))
	}
	return a, nil
}

// breakdown is one Breakdown question on its way.
type breakdown struct {
	ask      *question
	metric   schema.Field
	by       string
	bounds   map[string]float64 // stored units, by band
	warnings []string
}

func (b *breakdown) warn(format string, args ...any) {
	b.warnings = append(b.warnings, fmt.Sprintf(format, args...))
}

// slowQuantile is the quantile of the baseline beyond which rows are slow.
func (b *breakdown) slowQuantile() float64 {
	if b.metric.HigherIsWorse {
		return 1 - expectedSlow
	}
	return expectedSlow
}

// baseline finds the bounds, from the same window a week earlier, else from
// the week before the window.
func (b *breakdown) baseline(ctx context.Context, a *query.BreakdownAnswer, sc query.Scope) error {
	was := sc
	was.From, was.To = sc.From.Add(-week), sc.To.Add(-week)
	if err := b.bands(ctx, a, was); err != nil {
		return err
	}
	if a.BaselineN == 0 {
		was.From, was.To = sc.From.Add(-week), sc.From
		if err := b.bands(ctx, a, was); err != nil {
			return err
		}
		if a.BaselineN > 0 {
			b.warn("the same window one week earlier has no rows: the baseline is the seven days before the window")
		} else {
			b.warn("no baseline: neither the same window one week earlier nor the seven days before the window have rows, so nothing counts as slow")
		}
	}
	if !b.metric.HigherIsWorse {
		b.warn("small values of %s are the slow ones: slow rows lie below the baseline's P5, which stands where the P95 is shown", b.metric.Name)
	}
	return nil
}

// bands fills the bounds of each input band from one window.
func (b *breakdown) bands(ctx context.Context, a *query.BreakdownAnswer, was query.Scope) error {
	a.BaselineFrom, a.BaselineTo, a.BaselineN = was.From, was.To, 0
	a.BandP95, b.bounds = map[string]*float64{}, map[string]float64{}
	p := &params{}
	rows, err := b.ask.store.rows(was, b.metric, []string{"input_band"}, query.WaitMetric, p)
	if err != nil {
		return err
	}
	var thin, censored []string
	fill := map[string]string{"rows": rows, "quantile": strconv.FormatFloat(b.slowQuantile(), 'g', 3, 64)}
	err = b.ask.run(ctx, file("baseline.sql"), fill, p, func(r driver.Rows) error {
		var band string
		var n, c uint64
		var values []float64
		if err := r.Scan(&band, &n, &c, &values); err != nil {
			return err
		}
		a.BaselineN += int64(n)
		a.BandP95[band] = nil
		if len(values) == 1 {
			b.bounds[band] = values[0]
		}
		if c > 0 {
			censored = append(censored, band)
		}
		if n < minP95 {
			thin = append(thin, fmt.Sprintf("%s: %d", bandName(band), n))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := b.censoredBounds(ctx, rows, p, censored); err != nil {
		return err
	}
	for band, v := range b.bounds {
		a.BandP95[band] = finite(shown(b.metric, v))
	}
	if len(thin) > 0 {
		b.warn("the baseline's P95 of some input bands stands on fewer than %d rows (%s)", minP95, strings.Join(thin, ", "))
	}
	return nil
}

// censoredBounds finds the bounds of bands with censored rows.
func (b *breakdown) censoredBounds(ctx context.Context, rows string, p *params, bands []string) error {
	values, err := b.censoredValues(ctx, rows, p, bands, []float64{b.slowQuantile()})
	if err != nil {
		return err
	}
	var without []string
	for _, band := range bands {
		if v := values[band]; len(v) == 1 && v[0] != nil {
			b.bounds[band] = stored(b.metric, *v[0])
		} else {
			without = append(without, bandName(band))
		}
	}
	if len(without) > 0 {
		b.warn("the baseline's P95 was not reached, for censored rows, in the input bands %s: their rows are not judged", strings.Join(without, ", "))
	}
	return nil
}

func bandName(band string) string {
	if band == "" {
		return query.Missing
	}
	return band
}

// groups fills the groups, those with the most excess first.
func (b *breakdown) groups(ctx context.Context, a *query.BreakdownAnswer, rows string, p *params) error {
	names := sortedKeys(b.bounds)
	bounds := make([]string, len(names))
	for i, band := range names {
		bounds[i] = strconv.FormatFloat(b.bounds[band], 'g', -1, 64)
	}
	p.list("bands", names)
	p.set("bounds", "["+strings.Join(bounds, ",")+"]")
	fill := map[string]string{"rows": rows, "slow": ">"}
	if !b.metric.HigherIsWorse {
		fill["slow"] = "<"
	}
	var censored []string
	err := b.ask.run(ctx, file("breakdown.sql"), fill, p, func(r driver.Rows) error {
		var g query.Group
		var n, c, failed, known, judged, slow uint64
		var values []float64
		if err := r.Scan(&g.Value, &n, &c, &failed, &known, &judged, &slow, &g.Excess, &values); err != nil {
			return err
		}
		g.N, g.Censored, g.Failures, g.FateKnown, g.Slow = int64(n), int64(c), int64(failed), int64(known), int64(slow)
		percentiles := inUnit(b.metric, values, 3)
		g.P50, g.P95, g.P99 = percentiles[0], percentiles[1], percentiles[2]
		if c > 0 {
			censored = append(censored, g.Value)
		}
		a.Groups = append(a.Groups, g)
		return nil
	})
	if err != nil {
		return err
	}
	values, err := b.censoredValues(ctx, rows, p, censored, []float64{0.5, 0.95, 0.99})
	for i := range a.Groups {
		if v := values[a.Groups[i].Value]; v != nil && slices.Contains(censored, a.Groups[i].Value) {
			for k, to := range []**float64{&a.Groups[i].P50, &a.Groups[i].P95, &a.Groups[i].P99} {
				*to = v[k]
			}
		}
	}
	return err
}

// censoredValues computes quantiles of groups with censored rows, in the
// metric's unit; nil where a quantile was not reached.
func (b *breakdown) censoredValues(ctx context.Context, rows string, p *params, groups []string, quantiles []float64) (map[string][]*float64, error) {
	if len(groups) == 0 {
		return nil, nil
	}
	if b.ask.store.cfg.Quantile == nil {
		b.warn("percentiles of groups with censored rows were not computed: this process was set up without Kaplan–Meier")
		return nil, nil
	}
	p.list("groups", groups)
	out := map[string][]*float64{}
	err := b.ask.run(ctx, file("group_values.sql"), map[string]string{"rows": rows, "micros": microsSlot(b.metric)}, p, func(r driver.Rows) error {
		var group string
		var observed, censored []int64
		if err := r.Scan(&group, &observed, &censored); err != nil {
			return err
		}
		out[group] = b.ask.store.censored(b.metric, joined(observed, censored), quantiles)
		return nil
	})
	return out, err
}

// censored computes quantiles of values of which some are censored, in the
// metric's unit; nil where one was not reached.
func (s *Store) censored(metric schema.Field, w query.Waits, quantiles []float64) []*float64 {
	out := make([]*float64, len(quantiles))
	for i, q := range quantiles {
		if s.cfg.Quantile == nil {
			break
		}
		if micros, ok := s.cfg.Quantile(w, q); ok {
			out[i] = finite(shown(metric, micros/microsOf(metric)))
		}
	}
	return out
}

// joined is observed and censored values as waits.
func joined(observed, censored []int64) query.Waits {
	w := query.Waits{Micros: slices.Concat(observed, censored), Censored: make([]bool, len(observed)+len(censored))}
	for i := len(observed); i < len(w.Censored); i++ {
		w.Censored[i] = true
	}
	return w
}
