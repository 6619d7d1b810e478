package hedge

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// table collects reference values beside what is calculated.
type table struct {
	lines strings.Builder
	worst float64 // relative error over what is allowed, largest
	count int
}

// row notes one value; tolerance is relative.
func (b *table) row(t *testing.T, where, what string, want, got, tolerance float64) {
	t.Helper()
	off := math.Abs(got - want)
	if want != 0 {
		off /= math.Abs(want)
	}
	mark := ""
	if off > tolerance {
		mark = "  OFF"
		t.Errorf("%s, %s: %.6g, want %.6g", where, what, got, want)
	}
	b.count++
	b.worst = math.Max(b.worst, off/tolerance)
	fmt.Fprintf(&b.lines, "%-34s %-16s %12.6g %12.6g %10.2e%s\n", where, what, want, got, off, mark)
}

// TestReferenceTable prints every reference value of the specification with
// what is calculated and the relative error. Tolerances are 1e-3, or half of
// the last digit where the specification gives fewer.
func TestReferenceTable(t *testing.T) {
	var b table
	fmt.Fprintf(&b.lines, "\n%-34s %-16s %12s %12s %10s\n", "reference", "value", "expected", "got", "rel. error")
	laws(t, &b)
	optimalPolicies(t, &b)
	benchmarkValues(t, &b)
	correlations(t, &b)
	fixtures(t, &b)
	counts(t, &b)
	realRows(t, &b)
	t.Logf("%s%d values, the worst at %.0f %% of what is allowed", b.lines.String(), b.count, 100*b.worst)
	if b.count < 150 {
		t.Errorf("only %d values", b.count)
	}
}

func laws(t *testing.T, b *table) {
	for _, tc := range []struct {
		name string
		x    Distribution
		want [8]float64
	}{
		{"Exp(1)", grid(exponential), [8]float64{2.9957, 4.6052, 2.3026, 2.6492, 3.4539, 0.500, 2.9957, 3.8005}},
		{"Pareto(1.1, 2)", grid(pareto), [8]float64{30.464, 131.587, 16.2226, 19.3683, 26.2487, 0.726, 30.464, 37.485}},
		{"LogNormal(1, 1)", grid(logNormal(1, 1)), [8]float64{14.0814, 27.8365, 9.7919, 11.5272, 15.3220, 0.595, 14.0814, 18.1216}},
		{"LogNormal 5 ± 2, 5 % × 10", benchmarkGrid(), [8]float64{17.458, 64.203, 8.6649, 11.7266, 15.5297, 0.521, 17.458, 24.185}},
	} {
		x := tc.x
		d, late := x.Quantile(0.9), x.Quantile(0.95)
		h, h95 := Independent(x, x, Policy{Delay: int64(d.Micros), Q: 1}), Independent(x, x, Policy{Delay: int64(late.Micros), Q: 1})
		win, _ := h.Win()
		got := [8]float64{seconds(late), seconds(x.Quantile(0.99)), seconds(d), seconds(h.Quantile(0.95)), seconds(h.Quantile(0.99)), win, seconds(h95.Quantile(0.95)), seconds(h95.Quantile(0.99))}
		for i, what := range []string{"P95", "P99", "d = P90", "hedged P95", "hedged P99", "win", "d=P95: P95", "d=P95: P99"} {
			b.row(t, tc.name, what, tc.want[i], got[i], 1e-3)
		}
	}
}

func optimalPolicies(t *testing.T, b *table) {
	for _, tc := range []struct {
		name         string
		inverse      func(float64) float64
		n            int
		budget, k    float64
		d, q, t      float64
		within, half float64
	}{
		{"Exp(1)", exponential, 1_600_001, 0.10, 0.95, 1.8971, 2.0 / 3, 2.5903, 1e-3, 1e-3},
		{"Exp(1)", exponential, gridN, 0.10, 0.99, 2.3026, 1, 3.4539, 1e-3, 1e-3},
		{"Pareto", pareto, gridN, 0.05, 0.95, 15.08, 0.461, 21.24, 1e-3, 1.2e-3},
		{"Pareto", pareto, gridN, 0.10, 0.95, 11.61, 0.692, 17.18, 1e-3, 1e-3},
		{"Pareto", pareto, gridN, 0.02, 0.99, 50.17, 0.692, 60.30, 1e-3, 1e-3},
		{"LogNormal", logNormal(1, 1), gridN, 0.05, 0.95, 8.78, 0.415, 12.23, 1e-3, 1.3e-3},
		{"LogNormal", logNormal(1, 1), gridN, 0.10, 0.95, 7.65, 0.665, 10.98, 1e-3, 1e-3},
	} {
		x := gridOf(tc.inverse, tc.n)
		best, _ := SingleR(x, x, tc.budget, tc.k, 0)
		where := fmt.Sprintf("SingleR %s B %.2f k %.2f", tc.name, tc.budget, tc.k)
		b.row(t, where, "d*", tc.d, float64(best.Delay)/second, tc.half)
		b.row(t, where, "q*", tc.q, best.Q, tc.half)
		b.row(t, where, "t", tc.t, seconds(best.Reaches), tc.within)
	}
	x := grid(pareto)
	best, _ := SingleD(x, x, 0.05, 0.95, 0)
	b.row(t, "SingleD Pareto B 0.05 k 0.95", "t", 30.46, seconds(best.Reaches), 1e-3)
}

func benchmarkValues(t *testing.T, b *table) {
	x := benchmarkGrid()
	x.n = 1e9 // a continuous law: P99.9 would show what the rule does to 200,001 rows
	for _, tc := range []struct{ d, p95, p99, p999, trigger float64 }{{0, 17.46, 64.20, 102.41, 0}, {10, 12.71, 16.84, 45.30, 0.0720}, {50, 17.46, 54.36, 59.64, 0.0212}} {
		p := Policy{Delay: int64(tc.d * second), Q: b2f(tc.d > 0)}
		h := Independent(x, x, p)
		where := fmt.Sprintf("bhope/hedge static %.0f ms", tc.d)
		b.row(t, where, "P95", tc.p95, seconds(h.Quantile(0.95)), 1e-3)
		b.row(t, where, "P99", tc.p99, seconds(h.Quantile(0.99)), 1e-3)
		b.row(t, where, "P99.9", tc.p999, seconds(h.Quantile(0.999)), 1e-3)
		if tc.d > 0 {
			b.row(t, where, "trigger", tc.trigger, p.Trigger(x), 2.4e-3)
		}
	}
}

func correlations(t *testing.T, b *table) {
	x := grid(logNormal(1, 1))
	p := Policy{Delay: int64(x.Quantile(0.9).Micros), Q: 1}
	for _, tc := range []struct{ rho, p99, win float64 }{{0, 15.4, 0.59}, {0.3, 17.9, 0.47}, {0.6, 21.2, 0.31}, {0.9, 26.3, 0.09}} {
		h := Correlated(x, x, p, tc.rho)
		win, _ := h.Win()
		where := fmt.Sprintf("LogNormal, copula ρ %.1f", tc.rho)
		b.row(t, where, "P99", tc.p99, seconds(h.Quantile(0.99)), 0.02)
		b.row(t, where, "win", tc.win, win, math.Max(0.02, 0.0051/tc.win))
	}
}

func fixtures(t *testing.T, b *table) {
	rows := waits(1e6, 2e6, 3e6, 4e6, 5e6, 6e6, 7e6, 8e6, 9e6, 10e6)
	rows[2].Censored, rows[4].Censored = true, true
	d := NewDistribution(rows)
	for i, q := range []float64{0.25, 0.5, 0.75, 0.9} {
		b.row(t, "1 2 3* 4 5* 6 7 8 9 10", nameOf(q), [...]float64{4.2143, 6.9857, 8.4929, 9.4714}[i], d.Quantile(q).Micros/1e6, 1e-4)
	}
	x := NewDistribution(waits(10, 20, 30, 40, 50, 60, 70, 80, 90, 300))
	p := Policy{Delay: 81, Q: 1}
	h := Independent(x, x, p)
	win, _ := h.Win()
	b.row(t, "{1..9, 30}, d 8.1", "trigger", 0.2, p.Trigger(x), 1e-9)
	b.row(t, "{1..9, 30}, d 8.1", "win", 0.45, win, 1e-9)
	for i, q := range []float64{0.8, 0.9, 0.95, 0.99} {
		b.row(t, "{1..9, 30}, d 8.1", nameOf(q)+" before", [...]float64{8.2, 11.1, 20.55, 28.11}[i], x.Quantile(q).Micros/10, 1e-9)
		b.row(t, "{1..9, 30}, d 8.1", nameOf(q)+" after", [...]float64{8.2, 9.01, 9.055, 9.091}[i], h.Quantile(q).Micros/10, 1e-9)
	}
}

func counts(t *testing.T, b *table) {
	for i, q := range []float64{0.9, 0.95, 0.99, 0.999} {
		b.row(t, "least n, point", nameOf(q), [...]float64{29, 59, 299, 2995}[i], float64(MinPoint(q)), 1e-9)
		b.row(t, "least n, interval", nameOf(q), [...]float64{36, 72, 368, 3688}[i], float64(MinInterval(q)), 1e-9)
	}
	for _, tc := range []struct{ n, q, low, high float64 }{{150, 0.9, 127, 143}, {150, 0.95, 137, 148}, {1000, 0.9, 881, 919}, {1000, 0.95, 936, 964},
		{1000, 0.99, 983, 997}, {10000, 0.9, 8941, 9059}, {10000, 0.99, 9880, 9920}} {
		low, high := Ranks(int(tc.n), tc.q)
		where := fmt.Sprintf("ranks, n %.0f %s", tc.n, nameOf(tc.q))
		b.row(t, where, "low", tc.low, float64(low), 1e-9)
		b.row(t, where, "high", tc.high, float64(high), 1e-9)
	}
	for _, tc := range []struct{ n, want float64 }{{150, 0.18}, {1000, 0.128}, {10_000, 0.1085}} {
		b.row(t, "alarm bound", fmt.Sprintf("n = m = %.0f", tc.n), tc.want, Alarm(int(tc.n), int(tc.n), 1), 1e-9)
	}
}

func realRows(t *testing.T, b *table) {
	for _, tc := range []struct {
		primary, size, backup, backupSize string
		want                              [8]float64
	}{
		{"replicate", "70b", "replicate", "70b", [8]float64{145, 12323.4, 0.1034, 0.6239, 24228.1, 63626.4, 13343.3, 14023.2}},
		{"replicate", "70b", "together", "70b", [8]float64{145, 12323.4, 0.1034, 0.6991, 24228.1, 63626.4, 12870.0, 12999.2}},
		{"together", "13b", "anyscale", "13b", [8]float64{149, 657.2, 0.1007, 0.2662, 703.6, 53262.9, 703.6, 854.3}},
		{"anyscale", "70b", "anyscale", "70b", [8]float64{150, 321.2, 0.1, 0.0396, 362.0, 474.5, 362.0, 474.5}},
		{"bedrock", "13b", "bedrock", "13b", [8]float64{150, 569.6, 0.1, 0.0178, 661.9, 773.2, 661.9, 771.9}},
		{"groq", "70b", "groq", "70b", [8]float64{150, 298.8, 0.1, 0, 303.7, 350.0, 303.7, 350.0}},
	} {
		x, y := NewDistribution(llmperf(t, tc.primary, tc.size)), NewDistribution(llmperf(t, tc.backup, tc.backupSize))
		d := x.Quantile(0.9)
		p := Policy{Delay: micros(d.Micros), Q: 1}
		h := Independent(x, y, p)
		win, _ := h.Win()
		got := [8]float64{float64(x.N()), d.Micros / 1e3, p.Trigger(x), win, x.Quantile(0.95).Micros / 1e3, x.Quantile(0.99).Micros / 1e3, h.Quantile(0.95).Micros / 1e3, h.Quantile(0.99).Micros / 1e3}
		for i, what := range []string{"n", "d", "trigger", "win", "P95", "P99", "hedged P95", "hedged P99"} {
			within := 1e-3
			if what == "win" {
				within = math.Max(within, 0.5e-4/math.Max(tc.want[i], 1e-4))
			}
			b.row(t, tc.primary+" "+tc.size+" → "+tc.backup, what, tc.want[i], got[i], within)
		}
	}
}
