package simulate

import (
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"headway/hedge"
)

func TestReadRefusesMistakesWithARemedy(t *testing.T) {
	ms := Options{ValueColumn: "v", Unit: time.Millisecond}
	for _, tc := range []struct {
		name, in string
		o        Options
		want     string
	}{
		{"absent column", "a,b\n1,2\n", ms, `no column "v"; the first row has a, b`},
		{"absent key", "v\n1\n", Options{ValueColumn: "v", Unit: time.Second, KeyColumns: []string{"k"}}, `no column "k"`},
		{"word", "v\nfast\n", ms, "--missing"},
		{"negative", "v\n-1000\n", ms, "--missing"},
		{"underscore", "v\n1_000\n", ms, "not a number"},
		{"wrong unit", "v\n1e15\n", ms, "is --unit right?"},
		{"object", "{\"v\":{\"a\":1}}\n", ms, "not a number"},
		{"not finite", "v\nNaN\n", ms, "not a number"},
		{"censored word", "v,c\n1,maybe\n", Options{ValueColumn: "v", Unit: time.Second, CensoredColumn: "c"}, "neither true nor false"},
		{"time without zone", "v,t\n1,2026-11-30T00:00:00\n", Options{ValueColumn: "v", Unit: time.Second, TimeColumn: "t"}, "RFC 3339 with a zone"},
		{"broken JSON", "{\"v\":1}\n{\"v\":\n", ms, "line 2"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Read(strings.NewReader(tc.in), tc.o)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}

func TestReadKeepsMissingMissing(t *testing.T) {
	in := "k,v,c,t\na,1.5,false,2026-11-30T00:00:00Z\na,,false,2026-11-30T00:00:01Z\nb,2,true,1764460800\na,-,false,2026-11-30T00:00:02Z\nb,0,,1764460800\n"
	keys, err := Read(strings.NewReader(in), Options{ValueColumn: "v", Unit: time.Second, KeyColumns: []string{"k"},
		Missing: []string{"-", "0"}, CensoredColumn: "c", TimeColumn: "t"})
	if err != nil {
		t.Fatal(err)
	}
	if len(keys) != 2 || keys[0].Missing != 2 || len(keys[0].Waits) != 1 || keys[0].Waits[0].Micros != 1_500_000 {
		t.Fatalf("keys %+v", keys)
	}
	if b := keys[1]; b.Missing != 1 || len(b.Waits) != 1 || !b.Waits[0].Censored || b.Waits[0].At.IsZero() {
		t.Errorf("key b %+v", b)
	}
}

func TestZerosGetAWord(t *testing.T) {
	keys, err := Read(strings.NewReader("v\n0\n1\n2\n"), Options{ValueColumn: "v", Unit: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(keys, hedge.P90(), "", hedge.DefaultSettings())
	if err != nil || len(r) != 1 || !strings.Contains(strings.Join(r[0].Notes, " "), "1 of 3 values are exactly 0") {
		t.Errorf("%+v, %v: want a note about the zero", r, err)
	}
}

// TestReplicate is the public leaderboard's hardest key, with the values that
// hedge.md gives for it.
func TestReplicate(t *testing.T) {
	f, err := os.Open("../../testdata/llmperf-leaderboard/individual.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	keys, err := Read(f, Options{ValueColumn: "ttft_s", Unit: time.Second, KeyColumns: []string{"provider", "model_size"},
		Where: []Condition{{"error_code", "429", true}, {"error_code", "-1", true}}})
	if err != nil {
		t.Fatal(err)
	}
	s := hedge.DefaultSettings()
	s.Target = 0.95
	results, err := Run(keys, hedge.P90(), "", s)
	if err != nil {
		t.Fatal(err)
	}
	verdicts := map[string]string{}
	for _, r := range results {
		name := r.Key["provider"] + " " + r.Key["model_size"]
		verdicts[name] = r.Verdict
		if name != "replicate 70b" {
			continue
		}
		for what, pair := range map[string][2]float64{
			"n": {float64(r.N), 145}, "hedge after": {*r.HedgeAfterMs, 12323.4}, "trigger": {*r.TriggerRatio, 0.1034},
			"win": {*r.WinChance, 0.6239}, "P95 before": {*r.Before.P95Ms, 24228.1}, "P95 after": {*r.After.P95Ms, 13343.3},
			"P99 before": {*r.Before.P99Ms, 63626.4}, "P99 after": {*r.After.P99Ms, 14023.2},
		} {
			if math.Abs(pair[0]-pair[1]) > 1e-5*math.Max(pair[1], 5) {
				t.Errorf("%s = %v, want %v", what, pair[0], pair[1])
			}
		}
		if strings.Join(r.Before.BelowMinN, " ") != "p99" {
			t.Errorf("below the minimum n: %v, want p99 alone", r.Before.BelowMinN)
		}
	}
	for name, want := range map[string]string{"replicate 70b": "hedge", "anyscale 70b": "do_not_hedge", "bedrock 13b": "do_not_hedge",
		"groq 70b": "do_not_hedge", "fireworks 70b": "do_not_hedge", "lepton 70b": "insufficient_data"} {
		if verdicts[name] != want {
			t.Errorf("%s: %s, want %s", name, verdicts[name], want)
		}
	}
	if _, err := Run(keys, hedge.P90(), "provider=together", s); err == nil || !strings.Contains(err.Error(), "name exactly one") {
		t.Errorf("error %v, want word of three keys", err)
	}
}
