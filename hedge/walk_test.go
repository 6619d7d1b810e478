package hedge

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

var monday = time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)

// week makes perDay rows on each of days days from start on, their waits
// drawn by law.
func week(start time.Time, days, perDay int, law func(day int) float64) []Wait {
	var out []Wait
	for d := range days {
		for i := range perDay {
			at := start.Add(time.Duration(d)*day + time.Duration(i)*day/time.Duration(perDay))
			out = append(out, Wait{Micros: int64(1e6 * law(d)), At: at})
		}
	}
	return out
}

// TestWalkByHand recalculates one day with a plain count.
func TestWalkByHand(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 51))
	history := week(monday.Add(-7*day), 7, 40, func(int) float64 { return r.ExpFloat64() })
	window := week(monday, 2, 40, func(int) float64 { return r.ExpFloat64() })
	w := walk(history, window, P90())
	if w == nil || len(w.Days) != 2 || w.Days[1].TrainN != 280 || !w.Days[0].Day.Equal(monday) {
		t.Fatalf("%+v", w)
	}
	for i, got := range w.Days {
		from := monday.Add(time.Duration(i-7) * day)
		var train []float64
		above, n := 0, 0
		for _, x := range slices.Concat(history, window) {
			if !x.At.Before(from) && x.At.Before(from.Add(7*day)) {
				train = append(train, float64(x.Micros))
			}
		}
		slices.Sort(train)
		h := 0.9 * float64(len(train)-1)
		p90 := train[int(h)] + (h-math.Floor(h))*(train[int(h)+1]-train[int(h)])
		for _, x := range window[40*i : 40*i+40] {
			n++
			above += b2i(float64(x.Micros) > p90)
		}
		if math.Abs(got.Delay.Micros-p90) > 1e-3 || math.Abs(got.Realised-float64(above)/float64(n)) > 1e-12 || math.Abs(got.Expected-0.1) > 0.005 {
			t.Errorf("day %d: %+v, want P90 %v and %d of %d", i, got, p90, above, n)
		}
	}
	if mean := (w.Days[0].Realised + w.Days[1].Realised) / 2; math.Abs(w.Realised-mean) > 1e-12 {
		t.Errorf("pooled %v, want %v", w.Realised, mean)
	}
}

// TestWalkFalseAlarms: where nothing changes, p < 0.01 and the 95 % interval
// keep their promises, with and without history.
func TestWalkFalseAlarms(t *testing.T) {
	r := rand.New(rand.NewPCG(52, 52))
	law := func(int) float64 { return r.ExpFloat64() }
	for _, tc := range []struct {
		name    string
		perDay  int
		history bool
	}{{"30 a day, history", 30, true}, {"60 a day, alone", 60, false}} {
		t.Run(tc.name, func(t *testing.T) {
			const weeks = 2000
			alarms, outside := 0, 0
			for range weeks {
				var history []Wait
				if tc.history {
					history = week(monday.Add(-7*day), 7, tc.perDay, law)
				}
				w := walk(history, week(monday, 7, tc.perDay, law), P90())
				alarms += b2i(w.P < 0.01)
				outside += b2i(w.Realised < w.Low || w.Realised > w.High)
			}
			t.Logf("p < 0.01 in %.4f of the weeks, outside the interval %.4f", float64(alarms)/weeks, float64(outside)/weeks)
			if share := float64(alarms) / weeks; share > 0.018 {
				t.Errorf("p < 0.01 in %.4f of %d steady weeks", share, weeks)
			}
			if share := 1 - float64(outside)/weeks; share < 0.93 || share > 0.975 {
				t.Errorf("interval covers %.4f of %d steady weeks, want 0.95", share, weeks)
			}
		})
	}
}

// TestWalkSeesDrift: a law that slows by half in the middle of the week.
func TestWalkSeesDrift(t *testing.T) {
	r := rand.New(rand.NewPCG(53, 53))
	steady := func(int) float64 { return 0.5 + r.ExpFloat64() }
	drift := func(d int) float64 { return (0.5 + r.ExpFloat64()) * (1 + 0.25*float64(d)) }
	history := week(monday.Add(-7*day), 7, 200, steady)
	a := Advise(Rows{Primary: week(monday, 7, 200, drift), History: history}, P90(), quick())
	if a.Verdict != Unstable || a.Walk.Realised < 0.15 || !strings.Contains(a.Reasons[0], "Walking forward over 7 days") {
		t.Errorf("%s %q, walk %+v", a.Verdict, a.Reasons, a.Walk)
	}
	b := Advise(Rows{Primary: week(monday, 7, 200, steady), History: history}, P90(), quick())
	if b.Verdict == Unstable {
		t.Errorf("a steady week: %q", b.Reasons)
	}
}

func quick() Settings {
	s := DefaultSettings()
	s.Boot.Draws = 100
	return s
}

func TestNoWalk(t *testing.T) {
	r := rand.New(rand.NewPCG(54, 54))
	law := func(int) float64 { return r.ExpFloat64() }
	timed := week(monday, 3, 100, law)
	untimed := slices.Clone(timed)
	untimed[7].At = time.Time{}
	for _, tc := range []struct {
		name   string
		window []Wait
		rule   Rule
	}{{"a row without time", untimed, P90()}, {"fixed delay", timed, Rule{Fixed: 1}}, {"one day", week(monday, 1, 300, law), P90()},
		{"no rows", nil, P90()}, {"sparse", week(monday, 3, 9, law), P90()}} {
		if w := walk(nil, tc.window, tc.rule); w != nil {
			t.Errorf("%s: %+v", tc.name, w)
		}
	}
}

// TestHolm is the worked example of Holm (1979), section 4 style: the
// smallest is multiplied most and order is kept.
func TestHolm(t *testing.T) {
	got := Holm([]float64{0.01, 0.04, 0.03, 0.005})
	want := []float64{0.03, 0.06, 0.06, 0.02}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-12 {
			t.Errorf("%v, want %v", got, want)
		}
	}
	if len(Holm(nil)) != 0 || Holm([]float64{0.7, 0.9})[1] != 1 {
		t.Error("edge cases")
	}
}

// TestJudgeTogether: what alarms alone need not among many keys.
func TestJudgeTogether(t *testing.T) {
	weak := &Advice{N: 1000, Before: Summary{P90: Point{Reached: true}}, Delay: Point{Reached: true, Micros: 1e6}, Target: 0.95,
		Walk: &Walk{Days: make([]WalkDay, 6), P: 0.005}, Independent: &Case{}, Pessimistic: &Case{}}
	strong := *weak
	strong.Walk = &Walk{Days: make([]WalkDay, 6), P: 1e-6}
	weak.Regimes = &Regimes{P: 0.004, FirstShare: 0.3, SecondShare: 0.02}
	JudgeTogether([]*Advice{weak})
	if weak.Verdict != Unstable || len(weak.Reasons) != 2 {
		t.Errorf("alone: %s %q", weak.Verdict, weak.Reasons)
	}
	calm := *weak
	calm.Walk, calm.Regimes = &Walk{P: 0.5}, &Regimes{P: 0.5}
	third := calm
	third.Walk, third.Regimes = &Walk{P: 0.7}, &Regimes{P: 0.9}
	JudgeTogether([]*Advice{weak, &strong, &calm, &third})
	if weak.Verdict == Unstable || strong.Verdict != Unstable || calm.Verdict != DoNotHedge {
		t.Errorf("together: %s (adjusted %v), %s, %s", weak.Verdict, weak.Walk.Adjusted, strong.Verdict, calm.Verdict)
	}
}
