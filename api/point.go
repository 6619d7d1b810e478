package api

import (
	"headway/hedge"
	"headway/query"
	"headway/schema"
)

// presentPoint shows one bucket. Buckets with censored rows come with their
// values, and get percentiles by Kaplan–Meier. Values below their point
// minimum, or not reached, are null.
func presentPoint(p query.Point, quantiles []float64, metric schema.Field) Point {
	out := Point{At: stamp(p.At), N: p.N, Censored: p.Censored, Failures: p.Failures, Open: p.Open,
		Values: make([]*float64, len(quantiles)), BelowMinN: make([]bool, len(quantiles))}
	var law hedge.Distribution
	if p.Raw != nil {
		law = lawOf(*p.Raw)
	}
	for i, q := range quantiles {
		if out.BelowMinN[i] = p.N < int64(hedge.MinPoint(q)); out.BelowMinN[i] {
			continue
		}
		if p.Raw == nil && i < len(p.Values) {
			out.Values[i] = finite(p.Values[i])
		} else if at := law.Quantile(q); at.Reached {
			out.Values[i] = inUnit(metric, at.Micros)
		}
	}
	return out
}

// figure is one number of a strip: storage's, or by Kaplan–Meier where rows
// are censored. It is shown below its minimum n, and marked.
func figure(stored *float64, raw *query.Waits, n int64, q float64, unit schema.Unit) (value *float64, belowMinN bool) {
	belowMinN = n < int64(hedge.MinPoint(q))
	if raw == nil {
		return finite(stored), belowMinN
	}
	if p := lawOf(*raw).Quantile(q); p.Reached {
		return inUnit(schema.Field{Unit: unit}, p.Micros), belowMinN
	}
	return nil, belowMinN
}

// sturdy is v where n meets the quantile's point minimum, else null.
func sturdy(v *float64, n int64, q float64) *float64 {
	if n < int64(hedge.MinPoint(q)) {
		return nil
	}
	return finite(v)
}
