package store

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"headway/query"
	"headway/schema"
)

// defaultGroups is how many groups latency shows unless asked otherwise.
const defaultGroups = 20

// Latency returns percentiles of one metric per time bucket and group, groups
// with the most rows first. A bucket with censored rows has no Values but its
// Raw values, from which Kaplan–Meier gives them. Nothing is held back for
// small n.
func (s *Store) Latency(ctx context.Context, q query.Latency, sc query.Scope) (query.LatencyAnswer, error) {
	l, err := s.prepareLatency(ctx, q, sc)
	if err != nil {
		return query.LatencyAnswer{}, err
	}
	cells, err := l.ask.cells(ctx, l.rows, l.params)
	if err != nil {
		return query.LatencyAnswer{}, err
	}
	if err := l.buckets(ctx); err != nil {
		return query.LatencyAnswer{}, err
	}
	if l.anyCensored {
		if err := l.raw(ctx); err != nil {
			return query.LatencyAnswer{}, err
		}
	}
	m := l.ask.meta(sc, q.Explain)
	m.Metric, m.Step, m.Warnings = &l.metric, l.step, l.warnings
	describe(&m, cells, query.WaitMetric)
	series := l.series()
	if groups := countKeys(cells); groups > len(series) && len(q.By) > 0 {
		m.Warnings = append(m.Warnings, fmt.Sprintf("%d of %d groups are shown, those with the most rows; meta counts all", len(series), groups))
	}
	return query.LatencyAnswer{Meta: m, Quantiles: q.Quantiles, Series: series}, nil
}

// latency is one Latency question on its way.
type latency struct {
	ask         *question
	metric      schema.Field
	by          []string
	quantiles   []float64
	step        time.Duration
	now         time.Time
	to          time.Time
	rows        string
	top         string
	params      *params
	warnings    []string
	groups      map[string]*group
	anyCensored bool
}

func (s *Store) prepareLatency(ctx context.Context, q query.Latency, sc query.Scope) (*latency, error) {
	l := &latency{ask: s.ask("latency"), by: q.By, quantiles: q.Quantiles, now: s.cfg.Now(), to: sc.To,
		params: &params{}, top: "1", groups: map[string]*group{}}
	var err error
	if l.step, err = sc.StepFor(q.Step); err != nil {
		return nil, err
	}
	if l.metric, l.warnings, err = l.ask.metric(ctx, q.Metric, sc); err != nil {
		return nil, err
	}
	if l.rows, err = s.rows(sc, l.metric, q.By, query.WaitMetric, l.params); err != nil {
		return nil, err
	}
	l.params.number("step_ms", l.step.Milliseconds())
	if len(q.By) > 0 {
		groups := q.MaxGroups
		or(&groups, defaultGroups)
		l.params.number("max_groups", int64(groups))
		l.top = "key IN (" + file("latency_top.sql").body().render(map[string]string{"rows": l.rows}) + ")"
	}
	return l, nil
}

func (l *latency) buckets(ctx context.Context) error {
	fill := map[string]string{"rows": l.rows, "top": l.top, "quantiles": quantileArgs(l.quantiles)}
	return l.ask.run(ctx, file("latency.sql"), fill, l.params, func(r driver.Rows) error {
		var (
			at                         int64
			key                        []string
			n, censored, failed, known uint64
			values                     []float64
		)
		if err := r.Scan(&at, &key, &n, &censored, &failed, &known, &values); err != nil {
			return err
		}
		p := l.point(key, at)
		p.N, p.Censored, p.Failures, p.FateKnown = int64(n), int64(censored), int64(failed), int64(known)
		p.Values = inUnit(l.metric, values, len(l.quantiles))
		l.anyCensored = l.anyCensored || censored > 0
		return nil
	})
}

// raw reads the values of buckets with censored rows.
func (l *latency) raw(ctx context.Context) error {
	fill := map[string]string{"rows": l.rows, "top": l.top, "micros": microsSlot(l.metric)}
	return l.ask.run(ctx, file("latency_values.sql"), fill, l.params, func(r driver.Rows) error {
		var (
			at                 int64
			key                []string
			observed, censored []int64
		)
		if err := r.Scan(&at, &key, &observed, &censored); err != nil {
			return err
		}
		p := l.point(key, at)
		p.N, p.Censored = int64(len(observed)+len(censored)), int64(len(censored))
		p.Values = make([]*float64, len(l.quantiles))
		raw := joined(observed, censored)
		raw.Key = keyMap(l.by, key)
		p.Raw = &raw
		return nil
	})
}

// group is one series on its way.
type group struct {
	key    []string
	points map[int64]*query.Point // by the bucket's start
}

// point finds or makes the point of a group and bucket.
func (l *latency) point(key []string, atMs int64) *query.Point {
	id := strings.Join(key, "\x00") // control characters are no part of a dimension
	g := l.groups[id]
	if g == nil {
		g = &group{key: key, points: map[int64]*query.Point{}}
		l.groups[id] = g
	}
	p := g.points[atMs]
	if p == nil {
		at := time.UnixMilli(atMs).UTC()
		end := at.Add(l.step)
		p = &query.Point{At: at, Open: end.After(l.now) || end.After(l.to)}
		g.points[atMs] = p
	}
	return p
}

// series puts groups with the most rows first, and points in order of time.
func (l *latency) series() []query.Series {
	out := make([]query.Series, 0, len(l.groups))
	for _, id := range sortedKeys(l.groups) {
		g := l.groups[id]
		s := query.Series{Key: keyMap(l.by, g.key)}
		for _, p := range g.points {
			s.Points = append(s.Points, *p)
			s.N += p.N
		}
		slices.SortFunc(s.Points, func(a, b query.Point) int { return a.At.Compare(b.At) })
		out = append(out, s)
	}
	slices.SortStableFunc(out, func(a, b query.Series) int { return cmp.Compare(b.N, a.N) })
	return out
}

func countKeys(cells []cell) int {
	seen := map[uint64]bool{}
	for _, c := range cells {
		seen[c.id] = true
	}
	return len(seen)
}

// quantileArgs writes quantiles as an aggregate function's parameters.
func quantileArgs(qs []float64) string {
	texts := make([]string, len(qs))
	for i, q := range qs {
		texts[i] = strconv.FormatFloat(q, 'f', -1, 64)
	}
	return strings.Join(texts, ", ")
}

// inUnit turns stored values into the metric's unit; n nils where there are
// none.
func inUnit(f schema.Field, stored []float64, n int) []*float64 {
	out := make([]*float64, n)
	for i := range out {
		if i < len(stored) {
			out[i] = finite(shown(f, stored[i]))
		}
	}
	return out
}

// finite is v, nil where it is no number.
func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
