package api

import (
	"math"
	"slices"

	"headway/hedge"
	"headway/query"
	"headway/schema"
)

// waitsOf hands storage's columns to hedge, in order of arrival.
func waitsOf(w query.Waits) []hedge.Wait {
	out := make([]hedge.Wait, len(w.Micros))
	for i, v := range w.Micros {
		out[i] = hedge.Wait{Micros: v, Censored: w.Censored[i]}
		if i < len(w.At) {
			out[i].At = w.At[i]
		}
	}
	return out
}

func lawOf(w query.Waits) hedge.Distribution { return hedge.NewDistribution(waitsOf(w)) }

// perUnit is how many of storage's whole numbers make one of the metric's
// unit: microseconds for times, millionths for the rest.
func perUnit(metric schema.Field) float64 {
	if metric.Unit == schema.UnitMillis {
		return 1000
	}
	return 1e6
}

// inUnit is a stored number in the metric's unit, without the noise of
// interpolating in binary: to a millionth.
func inUnit(metric schema.Field, stored float64) *float64 { return ptr(tidy(stored / perUnit(metric))) }

// tidy rounds to a millionth, a thousand times finer than what is stored.
func tidy(v float64) float64 { return math.Round(v*1e6) / 1e6 }

// ratio rounds a share to nine digits: 0.1, not 0.09999999999999998.
func ratio(v float64) float64 { return math.Round(v*1e9) / 1e9 }

func boundIn(metric schema.Field, b hedge.Bound) *float64 {
	if !b.Valid {
		return nil
	}
	return inUnit(metric, b.Micros)
}

// binsPerDecade makes bins 26 % wide.
const binsPerDecade = 10

// edge is the lower edge of bin k in the metric's unit.
func edge(k int) float64 { return math.Pow(10, float64(k)/binsPerDecade) }

// binOf is the bin of a value above 0; it is checked against the edges, since
// a logarithm of a power of ten may fall just below it.
func binOf(v float64) int {
	k := int(math.Floor(math.Log10(v) * binsPerDecade))
	for edge(k+1) <= v {
		k++
	}
	for edge(k) > v {
		k--
	}
	return k
}

// noBin stands for values of 0, which have no logarithm.
const noBin = math.MinInt

// histogram counts rows in logarithmic bins; values of 0 have the bin [0, 0].
func histogram(w query.Waits, metric schema.Field) []Bin {
	bins := map[int]*Bin{}
	for i, stored := range w.Micros {
		v, k := float64(stored)/perUnit(metric), noBin
		if v > 0 {
			k = binOf(v)
		}
		b := bins[k]
		if b == nil {
			b = &Bin{}
			if k != noBin {
				b.From, b.To = edge(k), edge(k+1)
			}
			bins[k] = b
		}
		if w.Censored[i] {
			b.Censored++
		} else {
			b.N++
		}
	}
	out := make([]Bin, 0, len(bins))
	for _, b := range bins {
		out = append(out, *b)
	}
	slices.SortFunc(out, func(a, b Bin) int {
		if a.From < b.From {
			return -1
		}
		return 1
	})
	return out
}

// curvePoints is how many points an exceedance curve has at most.
const curvePoints = 200

// delays are up to n values from low to high, evenly spaced by logarithm,
// distinct whole numbers.
func delays(low, high int64, n int) []int64 {
	low = max(low, 1)
	if high < low || n < 1 {
		return nil
	}
	if n == 1 || high == low {
		return []int64{low}
	}
	out := make([]int64, n)
	step := math.Log(float64(high)/float64(low)) / float64(n-1)
	for i := range out {
		out[i] = int64(math.Round(float64(low) * math.Exp(step*float64(i))))
	}
	out[n-1] = high
	return slices.Compact(out)
}

// exceedance is P(X > t) at values spaced by logarithm over those seen.
func exceedance(law hedge.Distribution, w query.Waits, metric schema.Field) []Exceedance {
	out := []Exceedance{}
	if len(w.Micros) == 0 {
		return out
	}
	for _, t := range delays(slices.Min(w.Micros), slices.Max(w.Micros), curvePoints) {
		out = append(out, Exceedance{At: *inUnit(metric, float64(t)), Share: max(0, ratio(law.Exceed(t)))})
	}
	return out
}
