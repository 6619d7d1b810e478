package hedge

import (
	"math/rand/v2"
	"testing"
)

// TestWeeklyThresholdStays learns each week's threshold from traffic that was
// hedged with the last one (Exp(1), starting at the true P90). With stopped
// primaries as censored it stays; with the winners' own durations, or without
// the stopped ones, it falls (hedge.md: 2.30 and 10 %; 1.65 and 19.3 %; 1.71
// and 18.2 %).
func TestWeeklyThresholdStays(t *testing.T) {
	const rows, weeks = 60_000, 30
	type record func(x, y Wait, d int64) (Wait, bool)
	loser := func(x, y Wait, d int64) bool { return x.Micros > d && d+y.Micros < x.Micros }
	for _, tc := range []struct {
		name         string
		keep         record
		d, ratio     float64
		within, room float64
	}{
		{"stopped primaries censored", func(x, y Wait, d int64) (Wait, bool) {
			if loser(x, y, d) {
				return Wait{Micros: d + y.Micros, Censored: true}, true
			}
			return x, true
		}, 2.3026, 0.10, 0.01, 0.03},
		{"winners' own durations are wrong", func(x, y Wait, d int64) (Wait, bool) {
			if loser(x, y, d) {
				return y, true
			}
			return x, true
		}, 1.65, 0.193, 0.01, 0.02},
		{"dropping stopped primaries is wrong", func(x, y Wait, d int64) (Wait, bool) {
			return x, !loser(x, y, d)
		}, 1.71, 0.182, 0.01, 0.02},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(71, 71))
			d, ratio := int64(2_302_585), 0.0
			var late, lateRatio float64 // mean of the last ten weeks
			for week := range weeks {
				log, over := make([]Wait, 0, rows), 0
				for range rows {
					x, y := Wait{Micros: int64(1e6 * r.ExpFloat64())}, Wait{Micros: int64(1e6 * r.ExpFloat64())}
					over += b2i(x.Micros > d)
					if w, ok := tc.keep(x, y, d); ok {
						log = append(log, w)
					}
				}
				ratio = float64(over) / rows
				if week >= weeks-10 {
					late, lateRatio = late+float64(d)/1e7, lateRatio+ratio/10
				}
				d = micros(NewDistribution(log).Quantile(0.9).Micros)
			}
			near(t, "threshold", late, tc.d, tc.within)
			near(t, "ratio", lateRatio, tc.ratio, tc.room)
		})
	}
}
