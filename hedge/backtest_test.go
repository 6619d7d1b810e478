package hedge

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// traced gives waits token counts, longer for slower ones.
func traced(name string, waits []Wait) Trace {
	t := Trace{Name: name}
	for _, w := range waits {
		t.Requests = append(t.Requests, Request{Wait: w, Input: w.Micros / 1000, Output: 100})
	}
	return t
}

func strategies() map[string]Strategy {
	return map[string]Strategy{
		"P50": {Rule: Rule{Quantile: 0.5}}, "P75": {Rule: Rule{Quantile: 0.75}}, "P90": {Rule: P90()}, "P95": {Rule: Rule{Quantile: 0.95}},
		"fixed 2 s": {Rule: Rule{Fixed: 2_000_000}}, "SingleR 5 %": {Budget: 0.05}, "SingleR 5 % at P99": {Budget: 0.05, Target: 0.99},
		"P50 with a floor": {Rule: Rule{Quantile: 0.5}, Floor: 1_000_000},
	}
}

// TestBacktestOfASteadyLaw: each rule's prediction holds on three weeks of one
// law, and so do the closed forms behind it.
func TestBacktestOfASteadyLaw(t *testing.T) {
	r := rand.New(rand.NewPCG(151, 151))
	rows := traced("exp", week(monday, 21, 400, func(int) float64 { return r.ExpFloat64() }))
	for name, s := range strategies() {
		got, err := BacktestKeys([]Trace{rows}, s, BacktestSettings{From: monday.Add(7 * day), Rho: 0.6})
		if err != nil {
			t.Fatal(err)
		}
		b := got.Pooled
		if len(b.Days) != 14 || b.N != 14*400 || b.Skipped != 0 || b.Verdict != "" {
			t.Fatalf("%s: %d days, %d rows, %d skipped, %s %q", name, len(b.Days), b.N, b.Skipped, b.Verdict, b.Warning)
		}
		p, o := b.Predicted, b.Realised
		t.Logf("%-18s trigger %.4f → %.4f (95 %%: %.4f–%.4f, p %.2f)  sent %.4f → %.4f  P95 %.3f → %.3f  P99 %.3f → %.3f  win %.3f → %.3f  input +%.1f %% → +%.1f %%", name,
			p.Trigger, o.Trigger, b.Low, b.High, b.P, p.Sent, o.Sent, p.Independent.P95.Micros/1e6, o.Independent.P95.Micros/1e6,
			p.Independent.P99.Micros/1e6, o.Independent.P99.Micros/1e6, p.Win, o.Win, 100*p.Cost.InputShare, 100*o.Cost.InputShare)
		if o.Trigger < b.Low || o.Trigger > b.High || b.High-b.Low > 0.06 {
			t.Errorf("%s: realised %v outside %v to %v", name, o.Trigger, b.Low, b.High)
		}
		near(t, name+" P95", o.Independent.P95.Micros, p.Independent.P95.Micros, 0.05)
		near(t, name+" P99", o.Independent.P99.Micros, p.Independent.P99.Micros, 0.08)
		near(t, name+" cost", o.Cost.Input, p.Cost.Input, 0.15)
		if math.Abs(p.Win-0.5) > 0.03 || math.Abs(o.Win-0.5) > 0.03 || !p.WinOK { // memoryless: every backup is even
			t.Errorf("%s: win %v → %v, want 0.5", name, p.Win, o.Win)
		}
		if p.Pessimistic.P99.Micros < p.Independent.P99.Micros || s.Budget > 0 && (math.Abs(p.Sent-0.05) > 2e-3 || p.Trigger < p.Sent) {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

// TestBacktestByHand: without censoring, the realised percentiles before are
// those of the days' rows at once, and those after those of drawn races.
func TestBacktestByHand(t *testing.T) {
	r := rand.New(rand.NewPCG(152, 152))
	rows := traced("drift", week(monday, 9, 150, func(d int) float64 { return math.Exp(0.1*float64(d)) * (0.2 + r.ExpFloat64()) }))
	got, err := BacktestKeys([]Trace{rows}, Strategy{Rule: P90()}, BacktestSettings{From: monday.Add(7 * day), Rho: 0.6})
	if err != nil || len(got.Pooled.Days) != 2 {
		t.Fatalf("%+v, %v", got.Pooled, err)
	}
	b, late := got.Pooled, rows.Requests[7*150:]
	want := NewDistribution(waitsOf(late))
	near(t, "P95 before", b.Realised.Before.P95.Micros, quantileOf(t, want, 0.95), 1e-9)
	near(t, "P99 before", b.Realised.Before.P99.Micros, quantileOf(t, want, 0.99), 1e-9)
	above, over, won := 0, 0, 0
	var drawn []Wait
	for i, q := range late {
		d := b.Days[i/150].Policy.Delay
		above += b2i(q.Micros > d)
		for range 400 {
			w := q.Micros
			if w > d {
				over++
				if y := d + late[r.IntN(len(late))].Micros; y < w {
					won, w = won+1, y
				}
			}
			drawn = append(drawn, Wait{Micros: w})
		}
	}
	if math.Abs(b.Realised.Trigger-float64(above)/300) > 1e-12 || b.Realised.Sent != b.Realised.Trigger {
		t.Errorf("trigger %v, want %d of 300", b.Realised.Trigger, above)
	}
	mc := NewDistribution(drawn)
	mc.n = len(late) // the rule's, behind which the races stand
	near(t, "P95", b.Realised.Independent.P95.Micros, quantileOf(t, mc, 0.95), 0.01)
	near(t, "P99", b.Realised.Independent.P99.Micros, quantileOf(t, mc, 0.99), 0.015)
	near(t, "win", b.Realised.Win, float64(won)/float64(over), 0.02)
	if b.Verdict != Unstable || !strings.Contains(b.Warning, "do not hold") {
		t.Errorf("a law that grows by a tenth a day: %s %q (p %v)", b.Verdict, b.Warning, b.P)
	}
}

// TestBacktestCovers: the interval of the realised ratio keeps its 95 % for
// every rule, and pooled over sparse keys.
func TestBacktestCovers(t *testing.T) {
	r := rand.New(rand.NewPCG(153, 153))
	law := func(int) float64 { return math.Exp(r.NormFloat64()) }
	for _, tc := range []struct {
		name         string
		s            Strategy
		keys, perDay int
	}{{"P75", Strategy{Rule: Rule{Quantile: 0.75}}, 1, 40}, {"P95", Strategy{Rule: Rule{Quantile: 0.95}}, 1, 60},
		{"fixed", Strategy{Rule: Rule{Fixed: 3_000_000}}, 1, 40}, {"P90 over six sparse keys", Strategy{Rule: P90()}, 6, 9}, {"SingleR", Strategy{Budget: 0.05}, 1, 60}} {
		t.Run(tc.name, func(t *testing.T) {
			const weeks = 120
			inside := 0
			for range weeks {
				var traces []Trace
				for range tc.keys {
					traces = append(traces, traced("k", week(monday, 14, tc.perDay, law)))
				}
				got, err := BacktestKeys(traces, tc.s, BacktestSettings{From: monday.Add(7 * day)})
				if err != nil || got.Pooled.N != tc.keys*tc.perDay*7 {
					t.Fatalf("%+v, %v", got.Pooled, err)
				}
				b := got.Pooled
				inside += b2i(b.Realised.Trigger >= b.Low && b.Realised.Trigger <= b.High)
			}
			t.Logf("interval covers %.3f of %d weeks", float64(inside)/weeks, weeks)
			if share := float64(inside) / weeks; share < 0.89 {
				t.Errorf("interval covers %.3f of %d weeks", share, weeks)
			}
		})
	}
}

func TestBacktestEdges(t *testing.T) {
	r := rand.New(rand.NewPCG(154, 154))
	law := func(int) float64 { return r.ExpFloat64() }
	none, err := BacktestKeys(nil, Strategy{Rule: P90()}, BacktestSettings{})
	if err != nil || none.Pooled.Verdict != InsufficientData || none.Pooled.N != 0 {
		t.Errorf("no keys: %+v, %v", none.Pooled, err)
	}
	for _, bad := range []Trace{{Name: "x", Requests: []Request{{}}}, {Name: "x", Requests: traced("", week(monday, 1, 3, law)).Requests, Backup: []Wait{{}}}} {
		if _, err := BacktestKeys([]Trace{bad}, Strategy{Rule: P90()}, BacktestSettings{}); err == nil || !strings.Contains(err.Error(), `"x"`) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	sparse := traced("sparse", week(monday, 10, 5, law))
	got, err := BacktestKeys([]Trace{sparse}, Strategy{Rule: P90()}, BacktestSettings{})
	if err != nil || got.Insufficient != 1 || got.Keys[0].Skipped != 10 || !strings.Contains(got.Keys[0].Warning, "Widen the window") {
		t.Errorf("five rows a day: %+v, %v", got.Keys, err)
	}
	holes := sparse
	holes.Requests = append(traced("", week(monday.Add(-3*day), 2, 50, law)).Requests, sparse.Requests...)
	got, err = BacktestKeys([]Trace{holes}, Strategy{Rule: P90()}, BacktestSettings{})
	if b := got.Keys[0]; err != nil || len(b.Days) != 6 || b.Days[0].N != 50 && b.Days[0].N != 5 || b.Skipped+len(b.Days) != 12 {
		t.Errorf("two full days, then five a day: %d days, %d skipped, %v", len(b.Days), b.Skipped, err)
	}
	// A backup that always takes 1 ms wins every race; its own days are learnt from.
	fast := traced("fast backup", week(monday, 14, 100, law))
	fast.Backup = week(monday, 14, 10, func(int) float64 { return 0.001 })
	got, err = BacktestKeys([]Trace{fast}, Strategy{Rule: P90()}, BacktestSettings{From: monday.Add(7 * day)})
	if err != nil || got.Pooled.Realised.Win < 0.98 || got.Pooled.Realised.Independent.P99.Micros > float64(got.Pooled.Days[0].Policy.Delay)*1.6 {
		t.Errorf("%+v, %v", got.Pooled.Realised, err)
	}
	silent := traced("silent", week(monday, 14, 100, law))
	for i := range silent.Requests {
		silent.Requests[i].Censored = silent.Requests[i].At.Before(monday.Add(7 * day))
	}
	got, err = BacktestKeys([]Trace{silent}, Strategy{Rule: P90()}, BacktestSettings{From: monday.Add(7 * day)})
	if err != nil || got.Keys[0].Skipped == 0 || got.Keys[0].Skipped == 7 {
		t.Errorf("a silent week before: %d days skipped, %v", got.Keys[0].Skipped, err)
	}
}
