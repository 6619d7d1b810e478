package hedge

import "slices"

// Holm adjusts p-values for being looked at together: one below α then
// keeps the chance of any false alarm below α (Holm, 1979).
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		if p[a] < p[b] {
			return -1
		}
		return b2i(p[a] > p[b])
	})
	out, least := make([]float64, len(p)), 0.0
	for rank, i := range order {
		least = max(least, min(1, p[i]*float64(len(p)-rank)))
		out[i] = least
	}
	return out
}

// JudgeTogether judges advices of one question anew, with the chances of
// their walk-forwards and regimes corrected for the number of keys.
func JudgeTogether(advices []*Advice) {
	var walks, halves []float64
	for _, a := range advices {
		if a.Walk != nil {
			walks = append(walks, a.Walk.P)
		}
		if a.Regimes != nil {
			halves = append(halves, a.Regimes.P)
		}
	}
	walks, halves = Holm(walks), Holm(halves)
	for _, a := range advices {
		if a.Walk != nil {
			a.Walk.Adjusted, walks = walks[0], walks[1:]
		}
		if a.Regimes != nil {
			a.Regimes.settle(halves[0])
			halves = halves[1:]
		}
		a.judge()
	}
}
