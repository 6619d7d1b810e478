package hedge

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

// TokenBucket is a budget for backups: it fills with the requests or with
// time, holds Burst units at most and at first, and a backup takes some. A
// backup that finds too few is not sent: the request waits for its primary.
type TokenBucket struct {
	// PerRequest units come with each request: with backups of 1 unit, the
	// share of requests that may be hedged.
	PerRequest float64
	// PerDay units come evenly over a day: tokens or money.
	PerDay float64
	Burst  float64
	// Price is how many units a backup takes; nil takes 1.
	Price func(Request) float64
}

// ShareBudget lets a share of the requests be hedged, and saves up to burst
// backups for later.
func ShareBudget(share, burst float64) TokenBucket {
	return TokenBucket{PerRequest: share, Burst: burst}
}

// TokenBudget lets backups add so many tokens a day, counted at the upper end
// of what b says they are billed; an hour's worth may be saved up. Requests
// with unknown tokens are counted at fallback.
func TokenBudget(perDay float64, b Billing, fallback int64) TokenBucket {
	return TokenBucket{PerDay: perDay, Burst: perDay / 24, Price: func(r Request) float64 {
		_, output := b.output(r)
		if r.Input < 0 {
			return float64(fallback + output)
		}
		return float64(r.Input + output)
	}}
}

// MoneyBudget is TokenBudget in the price's currency; b must have a price.
func MoneyBudget(perDay float64, b Billing, fallback int64) TokenBucket {
	return TokenBucket{PerDay: perDay, Burst: perDay / 24, Price: func(r Request) float64 {
		_, output := b.output(r)
		if r.Input < 0 {
			r.Input = fallback
		}
		return b.Price.of(r.Input, output)
	}}
}

func (b TokenBucket) price(r Request) float64 {
	if b.Price == nil {
		return 1
	}
	return b.Price(r)
}

// check errs where the bucket can't be one.
func (b TokenBucket) check() error {
	for _, v := range []float64{b.PerRequest, b.PerDay, b.Burst} {
		if !(v >= 0) || math.IsInf(v, 0) {
			return fmt.Errorf("a budget of %v a request and %v a day with burst %v: give finite amounts that are not negative", b.PerRequest, b.PerDay, b.Burst)
		}
	}
	if b.PerRequest == 0 && b.PerDay == 0 && b.Burst == 0 {
		return fmt.Errorf("a budget of nothing: give a share of requests, tokens or money a day; to send no backups, switch hedging off")
	}
	return nil
}

// level is a token bucket at work.
type level struct {
	bucket TokenBucket
	units  float64
	at     time.Time
}

// fill adds what came until now.
func (l *level) fill(now time.Time) {
	if !l.at.IsZero() && now.After(l.at) {
		l.units = math.Min(l.bucket.Burst, l.units+l.bucket.PerDay*now.Sub(l.at).Hours()/24)
	}
	l.at = now
}

// request adds what a request brings.
func (l *level) request() { l.units = math.Min(l.bucket.Burst, l.units+l.bucket.PerRequest) }

// take pays for a backup if it can.
func (l *level) take(units float64) bool {
	if l.units < units-slack {
		return false
	}
	l.units -= units
	return true
}

// SmallestDelay is the smallest delay, not below floor, with which no UTC day
// of the window spends more than PerDay: of each day's requests the slowest
// are paid for first, and d is the wait of the first that does not fit. worst
// is what the dearest day then spends. It errs where the budget has no
// PerDay, or a request no time.
func (b TokenBucket) SmallestDelay(requests []Request, floor int64) (d int64, worst float64, err error) {
	if err := b.check(); err != nil {
		return 0, 0, err
	}
	if b.PerDay == 0 {
		return 0, 0, fmt.Errorf("the smallest delay within a budget: give tokens or money a day")
	}
	days := map[time.Time][]Request{}
	for _, r := range requests {
		if r.At.IsZero() {
			return 0, 0, fmt.Errorf("the smallest delay within a budget a day over %d requests: one has no time of arrival", len(requests))
		}
		k := r.At.UTC().Truncate(day)
		days[k] = append(days[k], r)
	}
	d = floor
	for _, rows := range days {
		slices.SortFunc(rows, func(a, b Request) int { return cmp.Compare(b.Micros, a.Micros) })
		spent := 0.0
		for _, r := range rows {
			if spent += b.price(r); spent > b.PerDay+slack {
				d = max(d, r.Micros)
				break
			}
		}
	}
	for _, rows := range days {
		spent := 0.0
		for _, r := range rows {
			if r.hedgedAt(d) {
				spent += b.price(r)
			}
		}
		worst = max(worst, spent)
	}
	return d, worst, nil
}
