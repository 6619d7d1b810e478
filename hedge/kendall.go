package hedge

import "math"

// kendall is the rank correlation of values with their order, and the
// one-sided chance of one so high without a trend, by the normal law with the
// variance for ties and a continuity correction (Mann, 1945; Kendall, 1975).
func kendall(values []float64) Trend {
	n := len(values)
	t := Trend{Blocks: n, P: 1}
	if n < leastBlocks {
		return t
	}
	s, ties := 0, map[float64]int{}
	for i, v := range values {
		ties[v]++
		for _, w := range values[i+1:] {
			s += b2i(w > v) - b2i(w < v)
		}
	}
	spread := func(n int) float64 { return float64(n) * float64(n-1) * float64(2*n+5) }
	variance := spread(n)
	for _, k := range ties {
		variance -= spread(k)
	}
	variance /= 18
	t.Tau = float64(s) / (float64(n) * float64(n-1) / 2)
	if variance > 0 {
		t.P = normalCDF(-(float64(s) - 1) / math.Sqrt(variance))
	}
	return t
}
