package hedge

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// calibrateWeeks is how many weeks of each law TestCalibration draws; the full
// table takes 1000.
var calibrateWeeks = flag.Int("calibrate.weeks", 8, "simulated weeks of each law in TestCalibration")

// known is a law that weeks are drawn from.
type known struct {
	name string
	// state is what an hour of the week is in, drawn anew for every hour.
	state func(r *rand.Rand, hour int) float64
	draw  func(r *rand.Rand, state float64) float64 // seconds
	cdf   func(t float64) float64                   // over all hours
	// censor is the mean of an exponential time at which requests are cut off;
	// 0 for none.
	censor float64
	right  Verdict // that the law deserves; empty is worked out
}

func alike(*rand.Rand, int) float64 { return 1 }

func knownLaws() []known {
	sigma := math.Sqrt(math.Log(1 + 4.0/25))
	mu := math.Log(5) - sigma*sigma/2
	normal := func(t, mu, s float64) float64 { return normalCDF((math.Log(t) - mu) / s) }
	exp := func(t float64) float64 { return -math.Expm1(-t) }
	drawExp := func(r *rand.Rand, s float64) float64 { return s * r.ExpFloat64() }
	scaled := func(share, by float64) func(float64) float64 {
		return func(t float64) float64 { return (1-share)*exp(t) + share*exp(t/by) }
	}
	return []known{
		{"exponential", alike, drawExp, exp, 0, ""},
		{"heavy tail (Pareto 1.1)", alike, func(r *rand.Rand, _ float64) float64 { return 2 * math.Pow(1-r.Float64(), -1/1.1) },
			func(t float64) float64 { return 1 - math.Pow(math.Max(1, t/2), -1.1) }, 0, ""},
		{"mixture (5 % ten times)", alike, func(r *rand.Rand, _ float64) float64 {
			x := math.Exp(mu + sigma*r.NormFloat64())
			if r.Float64() < 0.05 {
				x *= 10
			}
			return x
		}, func(t float64) float64 { return 0.95*normal(t, mu, sigma) + 0.05*normal(t/10, mu, sigma) }, 0, ""},
		{"tight (lognormal 0.1)", alike, func(r *rand.Rand, _ float64) float64 { return math.Exp(0.1 * r.NormFloat64()) },
			func(t float64) float64 { return normal(t, 0, 0.1) }, 0, ""},
		{"two regimes (half × 3)", func(_ *rand.Rand, hour int) float64 { return 1 + 2*float64(b2i(hour >= 84)) }, drawExp, scaled(0.5, 3), 0, Unstable},
		{"slow hours (3 in 10 × 3)", func(r *rand.Rand, _ int) float64 { return 1 + 2*float64(b2i(r.Float64() < 0.3)) }, drawExp, scaled(0.3, 3), 0, ""},
		{"censored exponential", alike, drawExp, exp, 4, ""},
	}
}

// deserved is the verdict that the law itself would get in the pessimistic
// case, without any chance in it.
func (k known) deserved(n int) Verdict {
	if k.right != "" {
		return k.right
	}
	target, _ := target(0, n)
	const points = 20_001
	waits := make([]Wait, points)
	for i := range waits {
		waits[i].Micros = int64(1e6 * inverse(k.cdf, (float64(i)+0.5)/points))
	}
	x := NewDistribution(waits)
	h := Correlated(x, x, Policy{Delay: micros(x.Quantile(0.9).Micros), Q: 1}, 0.6)
	win, _ := h.Win()
	before := x.Quantile(target)
	if win >= minWin && before.Micros-h.Quantile(target).Micros >= needed(before) {
		return Hedge
	}
	return DoNotHedge
}

// week draws n rows over seven days.
func (k known) week(r *rand.Rand, n int) []Wait {
	states := make([]float64, 7*24)
	for h := range states {
		states[h] = k.state(r, h)
	}
	out := make([]Wait, n)
	for i := range out {
		hour := r.IntN(len(states))
		at := monday.Add(time.Duration(hour)*time.Hour + time.Duration(r.IntN(3600))*time.Second)
		x := k.draw(r, states[hour])
		out[i] = Wait{Micros: int64(1e6 * x), At: at}
		if c := k.censor * r.ExpFloat64(); k.censor > 0 && c < x {
			out[i].Micros, out[i].Censored = int64(1e6*c), true
		}
	}
	return out
}

// inverse is where a rising function passes p.
func inverse(cdf func(float64) float64, p float64) float64 {
	lo, hi := 0.0, 1.0
	for cdf(hi) < p {
		hi *= 2
	}
	for range 80 {
		if mid := (lo + hi) / 2; cdf(mid) < p {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// covered counts the weeks whose intervals hold the truth.
type covered struct {
	p90, ratio, p99 Proportion
	verdicts        map[Verdict]int
}

func (k known) calibrate(seed uint64, weeks, n int) covered {
	r := rand.New(rand.NewPCG(seed, 191))
	out := covered{verdicts: map[Verdict]int{}}
	p90 := inverse(k.cdf, 0.9)
	in := func(p *Proportion, i Interval, truth float64) {
		p.Of++
		p.Count += b2i((!i.Low.Valid || i.Low.Micros <= truth*1e6) && (!i.High.Valid || i.High.Micros >= truth*1e6))
	}
	s := DefaultSettings()
	s.Boot.Draws = 200
	for range weeks {
		a := Recommend(k.week(r, n), nil, P90(), s)
		out.verdicts[a.Verdict]++
		in(&out.p90, a.DelayInterval, p90)
		d := a.Delay.Micros / 1e6
		in(&out.p99, a.Independent.P99, inverse(func(t float64) float64 {
			f := k.cdf(t)
			if t >= d {
				f += (1 - f) * k.cdf(t-d)
			}
			return f
		}, 0.99))
		next := k
		next.censor = 0
		above := 0
		for _, w := range next.week(r, n) {
			above += b2i(w.Micros > micros(a.Delay.Micros))
		}
		share := float64(above) / float64(n)
		out.ratio.Of++
		out.ratio.Count += b2i(share >= a.TriggerNext.Low.Share && share <= a.TriggerNext.High.Share)
	}
	for _, p := range []*Proportion{&out.p90, &out.ratio, &out.p99} {
		p.bound()
	}
	return out
}

// TestCalibration draws weeks from known laws and counts how often the 95 %
// intervals hold the truth, and which verdicts come out. The full table:
//
//	go test ./hedge -run Calibration -v -calibrate.weeks=1000 -timeout 60m
func TestCalibration(t *testing.T) {
	verdicts := []Verdict{Hedge, DoNotHedge, Unstable, InsufficientData, Censored}
	var table strings.Builder
	fmt.Fprintf(&table, "\n%d weeks a law; share of 95 %% intervals that hold the truth\n%-26s %6s %8s %8s %8s   %v\n", *calibrateWeeks, "law", "n", "P90", "ratio", "P99 h.", verdicts)
	for i, k := range knownLaws() {
		t.Run(k.name, func(t *testing.T) {
			for _, n := range []int{150, 1000} {
				c := k.calibrate(uint64(i+1), *calibrateWeeks, n)
				var counts []int
				for _, v := range verdicts {
					counts = append(counts, c.verdicts[v])
				}
				deserved := k.deserved(n)
				fmt.Fprintf(&table, "%-26s %6d %8.3f %8.3f %8.3f   %v, %s deserved\n", k.name, n, c.p90.Share, c.ratio.Share, c.p99.Share, counts, deserved)
				k.assess(t, n, c, deserved)
			}
		})
	}
	t.Log(table.String())
}

// assess fails where a coverage is surely below 93 %, and where verdicts of
// hedge are mostly wrong. Rows that come together in hours may cover less: a
// week has only 168 of them.
func (k known) assess(t *testing.T, n int, c covered, deserved Verdict) {
	for what, p := range map[string]Proportion{"P90": c.p90, "ratio": c.ratio, "hedged P99": c.p99} {
		least := 0.93
		if strings.HasPrefix(k.name, "slow hours") {
			least = 0.85
		}
		if p.High < least {
			t.Errorf("n %d: the interval of %s covers %.3f of %d weeks", n, what, p.Share, p.Of)
		}
	}
	if wrong := c.verdicts[Hedge]; deserved != Hedge && 2*wrong > *calibrateWeeks {
		t.Errorf("n %d: %d times hedge, deserved %s", n, wrong, deserved)
	}
}
