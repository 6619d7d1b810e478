package hedge

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// lived serves n requests evenly over hours hours with the delay of 150 rows
// of Exp(1) above its P90; scale makes primaries slower by the hour, shared is
// the chance that a backup waits as its primary.
func lived(r *rand.Rand, n, hours int, d float64, scale func(hour float64) float64, shared float64) []Served {
	out := make([]Served, n)
	for i := range out {
		hour := float64(hours) * float64(i) / float64(n)
		x, y := scale(hour)*r.ExpFloat64(), r.ExpFloat64()
		if r.Float64() < shared {
			y = x
		}
		s := Served{Request: Request{Wait: Wait{Micros: int64(1e6 * x), At: monday.Add(time.Duration(hour * float64(time.Hour)))}}, HedgeAfter: int64(1e6 * d)}
		if x > d {
			b := Sent{After: s.HedgeAfter, Wait: Wait{Micros: int64(1e6 * y)}}
			if d+y < x {
				s.Micros, s.Censored, s.Superseded = b.After+b.Wait.Micros, true, true
			} else {
				b.Wait = Wait{Micros: s.Micros - b.After, Censored: true}
			}
			s.Backups = []Sent{b}
		}
		out[i] = s
	}
	return out
}

func TestDiagnose(t *testing.T) {
	r := rand.New(rand.NewPCG(181, 181))
	steady := func(float64) float64 { return 1 }
	for _, tc := range []struct {
		name   string
		served []Served
		want   Cause
		says   string
	}{
		{"within chance", lived(r, 3000, 24, 2.3026, steady, 0), WithinChance, "are chance"},
		{"drift", lived(r, 3000, 24, 2.3026, func(float64) float64 { return 1.6 }, 0), Drift, "Learn it again"},
		{"threshold too low", lived(r, 3000, 24, 0.7, func(float64) float64 { return 1 }, 0.8), LowOrCorrelated, "Raise the threshold"},
		{"correlated", lived(r, 3000, 24, 2.3026, func(float64) float64 { return 1.5 }, 0.7), LowOrCorrelated, "slow together"},
		{"load feedback", lived(r, 3000, 24, 2.3026, func(h float64) float64 { return 1 + h/12 }, 0), LoadFeedback, "Set a budget"},
		{"nothing in force", []Served{{Request: Request{Wait: Wait{Micros: 5}}}}, NoData, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := Diagnose(Trial{TrainN: 3000, Exceed: 300, Served: tc.served, Win: 0.5})
			t.Logf("%s: %s", d.Cause, d.Reason)
			if d.Cause != tc.want || !strings.Contains(d.Reason, tc.says) {
				t.Errorf("%+v, want %s", d, tc.want)
			}
			if (d.Cause != NoData && d.Cause != WithinChance) != (d.Ratio > d.Alarm && d.Alarm > 0) {
				t.Errorf("ratio %v, alarm %v, cause %s", d.Ratio, d.Alarm, d.Cause)
			}
		})
	}
}

// TestDiagnoseFalseAlarms: with a delay learnt from as many rows of the same
// law, "over 10 %" comes true half the time, the alarm in 2.5 %.
func TestDiagnoseFalseAlarms(t *testing.T) {
	r := rand.New(rand.NewPCG(182, 182))
	const weeks, n = 1500, 300
	over, alarms := 0, 0
	for range weeks {
		train := make([]Wait, n)
		for i := range train {
			train[i].Micros = int64(1e6 * r.ExpFloat64())
		}
		x := NewDistribution(train)
		d := x.at[n-n/10-1] // an order statistic with a tenth above
		served := lived(r, n, 24, float64(d)/1e6, func(float64) float64 { return 1 }, 0)
		got := Diagnose(Trial{TrainN: n, Exceed: n / 10, Served: served, Win: 0.5})
		over += b2i(got.Ratio > 0.1)
		alarms += b2i(got.Cause != WithinChance)
		if got.Alarm != Alarm(n, n, 1) {
			t.Fatalf("alarm %v, want %v", got.Alarm, Alarm(n, n, 1))
		}
	}
	t.Logf("over 10 %% in %.3f of %d steady weeks, alarm in %.4f", float64(over)/weeks, weeks, float64(alarms)/weeks)
	if share := float64(over) / weeks; share < 0.4 || share > 0.6 {
		t.Errorf("over 10 %% in %v of the weeks", share)
	}
	if share := float64(alarms) / weeks; share > 0.036 || share < 0.008 {
		t.Errorf("alarms in %v of the weeks", share)
	}
}

// TestKendall against every order of six values.
func TestKendall(t *testing.T) {
	var counts []Trend
	var permute func(rest, taken []float64)
	permute = func(rest, taken []float64) {
		if len(rest) == 0 {
			counts = append(counts, kendall(taken))
			return
		}
		for i := range rest {
			left := append(append([]float64{}, rest[:i]...), rest[i+1:]...)
			permute(left, append(append([]float64{}, taken...), rest[i]))
		}
	}
	permute([]float64{1, 2, 3, 4, 5, 6, 7}, nil)
	for _, tau := range []float64{1, 17.0 / 21, 13.0 / 21, 9.0 / 21} {
		as, p := 0, 0.0
		for _, c := range counts {
			as += b2i(c.Tau >= tau-1e-9)
			if math.Abs(c.Tau-tau) < 1e-9 {
				p = c.P
			}
		}
		if exact := float64(as) / float64(len(counts)); math.Abs(p-exact) > 0.012 {
			t.Errorf("τ %.3f: chance %v, by counting %v", tau, p, exact)
		}
	}
	if k := kendall([]float64{1, 2, 3, 4}); k.P != 1 || k.Blocks != 4 {
		t.Errorf("four values: %+v", k)
	}
	if k := kendall([]float64{3, 3, 3, 3, 3, 3}); k.Tau != 0 || k.P < 0.5 {
		t.Errorf("all equal: %+v", k)
	}
}
