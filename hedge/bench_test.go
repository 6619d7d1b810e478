package hedge

import (
	"math"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"
	"time"
)

const million = 1_000_000

// manyRows are a million LogNormal(1, 1) waits in random order.
func manyRows() []Wait {
	r := rand.New(rand.NewPCG(81, 81))
	rows := make([]Wait, million)
	for i := range rows {
		rows[i].Micros = int64(1e6 * math.Exp(1+r.NormFloat64()))
	}
	return rows
}

// BenchmarkSimulate times what a million rows take beside a naive Monte Carlo
// that finds the hedged P99 as exactly as its rows do: with as many draws.
func BenchmarkSimulate(b *testing.B) {
	rows := manyRows()
	x := NewDistribution(rows)
	p := Policy{Delay: micros(x.Quantile(0.9).Micros), Q: 1}
	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			NewDistribution(rows)
		}
	})
	b.Run("exact/independent", func(b *testing.B) {
		for b.Loop() {
			h := Independent(x, x, p)
			h.Quantile(0.95)
			h.Quantile(0.99)
			h.Win()
		}
	})
	b.Run("exact/copula", func(b *testing.B) {
		for b.Loop() {
			h := Correlated(x, x, p, 0.6)
			h.Quantile(0.95)
			h.Quantile(0.99)
			h.Win()
		}
	})
	b.Run("naive Monte Carlo", func(b *testing.B) {
		r := rand.New(rand.NewPCG(82, 82))
		for b.Loop() {
			monteCarlo(r, rows, p.Delay)
		}
	})
	b.Run("SingleR", func(b *testing.B) {
		for b.Loop() {
			SingleR(x, x, 0.05, 0.95, 100_000)
		}
	})
	b.Run("curve of 400 delays", func(b *testing.B) {
		delays := LogSpaced(x.at[0], x.last, 400)
		for b.Loop() {
			Curve(x, x, delays, 0.6)
		}
	})
	b.Run("curve of 400 delays from the median", func(b *testing.B) {
		delays := LogSpaced(int64(x.Quantile(0.5).Micros), x.last, 400)
		for b.Loop() {
			Curve(x, x, delays, 0.6)
		}
	})
}

func monteCarlo(r *rand.Rand, rows []Wait, d int64) (p95, p99 int64, win float64) {
	out := make([]int64, len(rows))
	over, won := 0, 0
	for i := range out {
		q := rows[r.IntN(len(rows))].Micros
		if q > d {
			over++
			if y := d + rows[r.IntN(len(rows))].Micros; y < q {
				won, q = won+1, y
			}
		}
		out[i] = q
	}
	slices.Sort(out)
	return out[len(out)*95/100], out[len(out)*99/100], float64(won) / float64(over)
}

// BenchmarkRecommend times one key's whole advice with its bootstrap.
func BenchmarkRecommend(b *testing.B) {
	rows := manyRows()
	for _, n := range []int{1000, 20_000, million} {
		b.Run(map[int]string{1000: "1,000 rows", 20_000: "20,000 rows", million: "1,000,000 rows"}[n], func(b *testing.B) {
			for b.Loop() {
				Recommend(rows[:n], nil, P90(), DefaultSettings())
			}
		})
	}
}

// cpu is the processor time that this process took until now: what a loop
// takes on one core, however busy the machine is.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkCurveBesideMonteCarlo times 400 delays on a million rows beside a
// naive Monte Carlo of each delay, in one run. The naive one finds the P99 as
// exactly as the rows do, by as many draws; it is timed over eight of the
// delays and counted for 400.
func BenchmarkCurveBesideMonteCarlo(b *testing.B) {
	rows := manyRows()
	x := NewDistribution(rows)
	delays := LogSpaced(int64(x.Quantile(0.5).Micros), x.last, 400)
	everywhere := LogSpaced(x.at[0], x.last, 400)
	timed := func(f func()) float64 {
		from := cpu(b)
		f()
		return float64((cpu(b) - from).Microseconds()) / 1e3
	}
	for b.Loop() {
		curve := timed(func() { Curve(x, x, delays, 0.6) })
		whole := timed(func() { Curve(x, x, everywhere, 0.6) })
		single := timed(func() { SingleR(x, x, 0.05, 0.95, 100_000) })
		naive := 50 * timed(func() {
			r := rand.New(rand.NewPCG(83, 83))
			for i := 0; i < len(delays); i += 50 {
				monteCarlo(r, rows, delays[i])
			}
		})
		b.ReportMetric(curve, "cpu-ms/curve")
		b.ReportMetric(whole, "cpu-ms/whole-range")
		b.ReportMetric(single, "cpu-ms/SingleR")
		b.ReportMetric(naive, "cpu-ms/naive")
		b.ReportMetric(naive/curve, "naive/curve")
	}
}
