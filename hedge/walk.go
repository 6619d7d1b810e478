package hedge

import (
	"math"
	"slices"
	"time"
)

// Walk is a walk-forward over the days of a window: each day's delay comes
// from the seven days before it, and is held against what the day did.
type Walk struct {
	Days []WalkDay
	// Expected and Realised are trigger ratios pooled over the days; Low and
	// High bound the realised one with 95 % where nothing changes from day to
	// day.
	Expected, Realised, Low, High float64
	// P is the two-sided chance of a pooled ratio so far from the expected one.
	P float64
	// Adjusted is P after Holm's correction for the keys judged together; P
	// itself for a single key.
	Adjusted float64
}

// WalkDay is one day of a walk-forward.
type WalkDay struct {
	Day      time.Time // UTC midnight
	TrainN   int
	N        int
	Delay    Point
	Expected float64 // trigger ratio
	Realised float64
	Next     RatioInterval // of this day alone
}

const (
	day       = 24 * time.Hour
	trainDays = 7
)

// dated are the waits of one UTC day.
type dated struct {
	day   time.Time
	waits []Wait
	// evaluated rows count by weight in the pooled ratio's error
	n, weight float64
}

// walk learns the delays of window's days from history and from the days
// before them. It returns nil where a row has no time, for a fixed delay, and
// where no day has enough rows to learn from.
func walk(history, window []Wait, rule Rule) *Walk {
	if rule.Fixed > 0 || len(window) == 0 {
		return nil
	}
	days := byDay(history, window)
	if days == nil {
		return nil
	}
	start := window[0].At
	for _, w := range window {
		if w.At.Before(start) {
			start = w.At
		}
	}
	start = start.UTC().Truncate(day)
	var out Walk
	for i := range days {
		if days[i].day.Before(start) {
			continue
		}
		train := i
		for train > 0 && days[i].day.Sub(days[train-1].day) <= trainDays*day {
			train--
		}
		if d, ok := walkDay(days[train:i], &days[i], rule); ok {
			out.Days = append(out.Days, d)
		}
	}
	if len(out.Days) == 0 {
		return nil
	}
	out.pool(days)
	return &out
}

// byDay sorts all rows into days, in order; nil where one has no time.
func byDay(sets ...[]Wait) []dated {
	byDay := map[time.Time][]Wait{}
	for _, waits := range sets {
		for _, w := range waits {
			if w.At.IsZero() {
				return nil
			}
			k := w.At.UTC().Truncate(day)
			byDay[k] = append(byDay[k], w)
		}
	}
	out := make([]dated, 0, len(byDay))
	for k, waits := range byDay {
		out = append(out, dated{day: k, waits: waits})
	}
	slices.SortFunc(out, func(a, b dated) int { return a.day.Compare(b.day) })
	return out
}

// walkDay applies the delay of the train days to one day.
func walkDay(train []dated, today *dated, rule Rule) (WalkDay, bool) {
	var rows []Wait
	for _, d := range train {
		rows = append(rows, d.waits...)
	}
	x, next := NewDistribution(rows), NewDistribution(today.waits)
	d := WalkDay{Day: today.day, TrainN: x.N(), N: next.N(), Delay: x.Quantile(rule.Quantile)}
	if x.N() < MinPoint(rule.Quantile) || !d.Delay.Reached {
		return d, false
	}
	at := micros(d.Delay.Micros)
	d.Realised = next.Exceed(at)
	d.Expected = expected(x, at, fraction(x, rule.Quantile))
	d.Next = predict(x, at, next.N(), false)
	weigh(train, today, x, next, at)
	return d, true
}

// expected is the mean share of a next row above a delay that lies between two
// order statistics of x, by fraction towards the next: (n·S + 1 − fraction) of
// n + 1.
func expected(x Distribution, at int64, fraction float64) float64 {
	n := x.Effective(at)
	return (n*x.Exceed(at) + 1 - fraction) / (n + 1)
}

// weigh notes by how much each day's chance events enter the pooled error.
func weigh(train []dated, today *dated, x, next Distribution, at int64) {
	n, m := x.Effective(at), next.Effective(at)
	today.n, today.weight = m, today.weight+1
	for i := range train {
		t := NewDistribution(train[i].waits)
		train[i].n = t.Effective(at)
		train[i].weight -= m / n
	}
}

// fraction is how far the q-quantile lies from its lower order statistic
// towards the next (type 7).
func fraction(x Distribution, q float64) float64 {
	h := q * float64(x.N()-1)
	return h - math.Floor(h)
}

// pool adds the days up.
func (w *Walk) pool(days []dated) {
	m := map[time.Time]float64{}
	for _, d := range days {
		m[d.day] = d.n
	}
	var t tally
	for _, d := range w.Days {
		t.count(m[d.Day], d.Expected, d.Realised)
	}
	t.spread(days)
	w.Expected, w.Realised, w.Low, w.High, w.P = t.judge()
	w.Adjusted = w.P
}

// tally is a pooled count of requests above their delays, beside its expected
// law. To first order a quantile's error is that of the share above the true
// quantile (Bahadur, 1966), so that the error of the pooled count is
// Σ_s w_s·(Z_s − p·m_s) over days s with Z_s above, where w_s is 1 for an
// evaluated day minus what it weighs in later days' training. Its second and
// third cumulants follow, and a Pearson III law with them.
type tally struct{ total, expected, realised, variance, third float64 }

// count adds n requests of one day.
func (t *tally) count(n, expected, realised float64) {
	t.total, t.expected, t.realised = t.total+n, t.expected+n*expected, t.realised+n*realised
}

// spread adds the cumulants of the days, after they were counted.
func (t *tally) spread(days []dated) {
	p := part(t.expected, t.total)
	for _, d := range days {
		t.variance += d.n * d.weight * d.weight * p * (1 - p)
		t.third += d.n * d.weight * d.weight * d.weight * p * (1 - p) * (1 - 2*p)
	}
}

// plus adds another key's.
func (t *tally) plus(o tally) {
	t.count(o.total, part(o.expected, o.total), part(o.realised, o.total))
	t.variance, t.third = t.variance+o.variance, t.third+o.third
}

// judge gives the expected and the realised share with its 95 % bounds and the
// two-sided chance of one so far off.
func (t tally) judge() (expected, realised, low, high, p float64) {
	law := pearson3{mean: t.expected, variance: t.variance, third: t.third}
	half := (1 - confidence) / 2
	low = math.Max(0, law.quantile(half)/t.total)
	high = math.Min(1, law.quantile(1-half)/t.total)
	p = math.Min(1, 2*math.Min(law.cdf(t.realised+0.5), 1-law.cdf(t.realised-0.5)))
	return t.expected / t.total, t.realised / t.total, low, high, p
}
