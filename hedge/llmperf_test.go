package hedge

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// llmperf reads one key of the public leaderboard: rows without error and
// rows with code −100; a refused call's 0 is missing.
func llmperf(t *testing.T, provider, size string) []Wait {
	t.Helper()
	f, err := os.Open("../testdata/llmperf-leaderboard/individual.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []Wait
	for _, r := range all[1:] {
		if r[0] != provider || r[1] != size || r[3] != "" && r[3] != "-100" {
			continue
		}
		s, err := strconv.ParseFloat(r[4], 64)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, Wait{Micros: int64(math.Round(s * 1e6))})
	}
	return out
}

// TestRealRows is hedge.md's last table: llmperf, ms, d = P90, independent.
func TestRealRows(t *testing.T) {
	for _, tc := range []struct {
		provider, size, backup, backupSize string
		n                                  int
		d, trigger, win, p95, p99          float64
		after95, after99                   float64
		verdict                            Verdict
	}{
		{"replicate", "70b", "", "", 145, 12323.4, 0.1034, 0.6239, 24228.1, 63626.4, 13343.3, 14023.2, Hedge},
		{"replicate", "70b", "together", "70b", 145, 12323.4, 0.1034, 0.6991, 24228.1, 63626.4, 12870.0, 12999.2, ""},
		{"together", "13b", "anyscale", "13b", 149, 657.2, 0.1007, 0.2662, 703.6, 53262.9, 703.6, 854.3, ""},
		{"anyscale", "70b", "", "", 150, 321.2, 0.1, 0.0396, 362.0, 474.5, 362.0, 474.5, DoNotHedge},
		{"bedrock", "13b", "", "", 150, 569.6, 0.1, 0.0178, 661.9, 773.2, 661.9, 771.9, DoNotHedge},
		{"groq", "70b", "", "", 150, 298.8, 0.1, 0, 303.7, 350.0, 303.7, 350.0, DoNotHedge},
		{"fireworks", "70b", "", "", 150, 0, 0, 0, 0, 0, 0, 0, DoNotHedge},
	} {
		t.Run(tc.provider+" "+tc.size+" "+tc.backup, func(t *testing.T) {
			x := llmperf(t, tc.provider, tc.size)
			var y []Wait
			if tc.backup != "" {
				y = llmperf(t, tc.backup, tc.backupSize)
			}
			s := DefaultSettings()
			s.Target = 0.95
			a := Recommend(x, y, P90(), s)
			if tc.verdict != "" && a.Verdict != tc.verdict {
				t.Errorf("verdict %s %q, want %s", a.Verdict, a.Reasons, tc.verdict)
			}
			if few := strings.Contains(strings.Join(a.Reasons, " "), "slow requests are few"); few != (a.Verdict == Hedge) {
				t.Errorf("%s %q: 15 slow rows must be called few", a.Verdict, a.Reasons)
			}
			if tc.n == 150 && tc.d == 0 {
				return // only the verdict is known
			}
			if a.N != tc.n {
				t.Errorf("n %d, want %d", a.N, tc.n)
			}
			same := func(what string, got, want, within float64) {
				t.Helper()
				if math.Abs(got-want) > within {
					t.Errorf("%s = %.4f, want %.4f", what, got, want)
				}
			}
			same("d", a.Delay.Micros/1000, tc.d, 0.06)
			same("trigger", a.Trigger, tc.trigger, 5.1e-5)
			same("win", a.Independent.Win, tc.win, 5.1e-5)
			same("P95 before", a.Before.P95.Micros/1000, tc.p95, 0.06)
			same("P99 before", a.Before.P99.Micros/1000, tc.p99, 0.06)
			same("P95 after", a.Independent.After.P95.Micros/1000, tc.after95, 0.06)
			same("P99 after", a.Independent.After.P99.Micros/1000, tc.after99, 0.06)
		})
	}
}

// TestFileOrderAsTime shows the start-up effect of replicate 70b: its halves
// are two regimes (P90 24.3 s and 1.75 s).
func TestFileOrderAsTime(t *testing.T) {
	x := llmperf(t, "replicate", "70b")
	for i := range x {
		x[i].At = time.Unix(int64(60*i)+1, 0)
	}
	a := Recommend(x, nil, P90(), DefaultSettings())
	if a.Verdict != Unstable {
		t.Fatalf("verdict %s %q, want unstable", a.Verdict, a.Reasons)
	}
	near(t, "first half's P90", a.Regimes.FirstP90.Micros/1e6, 24.3, 0.005)
	near(t, "second half's P90", a.Regimes.SecondP90.Micros/1e6, 1.75, 0.005)
}
