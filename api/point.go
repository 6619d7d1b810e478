package api

import "headway/query"

// presentPoint shows one bucket; values below their point minimum are null.
func presentPoint(p query.Point, quantiles []float64) Point {
	out := Point{At: stamp(p.At), N: p.N, Censored: p.Censored, Failures: p.Failures, Open: p.Open,
		Values: make([]*float64, len(quantiles)), BelowMinN: make([]bool, len(quantiles))}
	for i := range quantiles {
		if i < len(p.Values) {
			out.Values[i] = finite(p.Values[i])
		}
	}
	return out
}
