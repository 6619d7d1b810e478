package api

import (
	"fmt"
	"strings"

	"headway/hedge"
	"headway/query"
	"headway/schema"
)

// reading is one percentile of some rows: its value or, where it lies in mass
// that was never observed, the last time seen, which it exceeds.
type reading struct {
	value, atLeast        *float64
	belowMinN, notReached bool
}

// readPercentile takes storage's value or, where storage handed over values
// because some are censored, calculates it by Kaplan–Meier.
func readPercentile(stored *float64, raw *query.Waits, n int64, q float64, unit schema.Unit) reading {
	r := reading{belowMinN: n < int64(hedge.MinPoint(q))}
	if raw == nil {
		r.value = finite(stored)
		return r
	}
	return r.of(lawOf(*raw), q, unit)
}

func (r reading) of(law hedge.Distribution, q float64, unit schema.Unit) reading {
	metric := schema.Field{Unit: unit}
	switch p := law.Quantile(q); {
	case p.Reached:
		r.value = inUnit(metric, p.Micros)
	case law.N() > 0:
		r.notReached, r.atLeast = true, inUnit(metric, float64(p.AtLeast))
	}
	return r
}

// sturdy hides what stands on fewer rows than the point minimum.
func (r reading) sturdy() reading {
	if r.belowMinN {
		r.value, r.atLeast = nil, nil
	}
	return r
}

// shortfall counts why values of an answer are null.
type shortfall struct{ fewRows, notReached, both int }

func (s *shortfall) count(r reading, n int64) {
	switch {
	case n == 0 || r.value != nil:
	case r.belowMinN && r.notReached:
		s.both++
	case r.belowMinN:
		s.fewRows++
	case r.notReached:
		s.notReached++
	}
}

func (s *shortfall) add(o shortfall) {
	s.fewRows, s.notReached, s.both = s.fewRows+o.fewRows, s.notReached+o.notReached, s.both+o.both
}

func (s shortfall) warnings() []string {
	var out []string
	if s.notReached > 0 {
		out = append(out, fmt.Sprintf("%d values are null because so many of their rows ended without getting there that the percentile was not reached: it is at least the last time seen, given in at_least", s.notReached))
	}
	if s.both > 0 {
		out = append(out, fmt.Sprintf("%d values are null: so many of their rows ended without getting there that the percentile was not reached, and their bucket has fewer rows than its minimum; take a wider step to see the last time seen", s.both))
	}
	if s.fewRows > 0 {
		out = append(out, fmt.Sprintf("%d values are null: their bucket has fewer rows than the percentile's minimum; take a wider step", s.fewRows))
	}
	return out
}

// presentPoint shows one bucket. Buckets with censored rows come with their
// values, and get percentiles by Kaplan–Meier. Values below their point
// minimum, or not reached, are null.
func presentPoint(p query.Point, quantiles []float64, metric schema.Field) (Point, shortfall) {
	out := Point{At: stamp(p.At), N: p.N, Censored: p.Censored, Failures: p.Failures, Open: p.Open,
		Values: make([]*float64, len(quantiles)), AtLeast: make([]*float64, len(quantiles)), BelowMinN: make([]bool, len(quantiles))}
	var law hedge.Distribution
	if p.Raw != nil {
		law = lawOf(*p.Raw)
	}
	var short shortfall
	for i, q := range quantiles {
		r := reading{belowMinN: p.N < int64(hedge.MinPoint(q))}
		if p.Raw != nil {
			r = r.of(law, q, metric.Unit)
		} else if i < len(p.Values) {
			r.value = finite(p.Values[i])
		}
		r = r.sturdy()
		short.count(r, p.N)
		out.Values[i], out.AtLeast[i], out.BelowMinN[i] = r.value, r.atLeast, r.belowMinN
	}
	return out, short
}

// sayNotReached words percentiles that lie in mass that was never observed.
func sayNotReached(what string, percentiles []string) string {
	verb := "was"
	if len(percentiles) > 1 {
		verb = "were"
	}
	return fmt.Sprintf("%s of %s %s not reached: too many rows ended without getting there; at_least has the last time seen", strings.Join(percentiles, ", "), what, verb)
}
