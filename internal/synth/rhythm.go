package synth

import (
	"math"
	"time"
)

// load returns how busy the fleet is at a time, 1 on the mean of a weekday:
// a day wave with its top at 15:00 UTC, and quiet weekends.
func load(at time.Time) float64 {
	at = at.UTC()
	hour := float64(at.Hour()) + float64(at.Minute())/60
	l := 1 + 0.6*math.Sin(2*math.Pi*(hour-9)/24)
	if day := at.Weekday(); day == time.Saturday || day == time.Sunday {
		l *= 0.55
	}
	return l
}

// meanLoad is the mean of load over a week.
const meanLoad = (5 + 2*0.55) / 7

// arrivals turns a known number of records into times in order, by the rhythm
// of load, without holding them: order statistics of the uniform law, one
// after the other, mapped through the cumulated load of each minute.
type arrivals struct {
	from, to time.Time
	planted  *planted
	total    float64   // load over all minutes
	passed   float64   // load of the minutes before the current one
	rest     float64   // 1 − the last uniform order statistic
	minute   time.Time // start of the current minute's slice
	weight   float64   // load of the current slice
}

func newArrivals(cfg Config, p *planted) *arrivals {
	a := &arrivals{from: cfg.From, to: cfg.To, planted: p, rest: 1}
	for at := a.from; at.Before(a.to); at = at.Add(time.Minute) {
		a.total += a.slice(at)
	}
	a.minute = a.from
	a.weight = a.slice(a.minute)
	return a
}

// slice returns the load of the minute that begins at at, which the span's
// end may cut short.
func (a *arrivals) slice(at time.Time) float64 {
	w := load(at) * a.planted.traffic(at)
	if left := a.to.Sub(at); left < time.Minute {
		w *= float64(left) / float64(time.Minute)
	}
	return w
}

// next returns the time of the next request, given the records of the one
// before and those left to come (Devroye, Non-Uniform Random Variate
// Generation, 1986, V.3: the smallest of n uniform values is 1 − V^(1/n)).
func (a *arrivals) next(d *dice, size int, left int64) time.Time {
	a.rest *= math.Exp(-float64(size) * d.ExpFloat64() / float64(left))
	target := (1 - a.rest) * a.total
	for target >= a.passed+a.weight {
		next := a.minute.Add(time.Minute)
		if !next.Before(a.to) {
			break
		}
		a.passed += a.weight
		a.minute, a.weight = next, a.slice(next)
	}
	span := min(time.Minute, a.to.Sub(a.minute))
	share := (target - a.passed) / a.weight
	offset := time.Duration(min(share, 1) * float64(span))
	return a.minute.Add(min(offset, span-1)).Truncate(time.Millisecond)
}
