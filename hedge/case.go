package hedge

import "math"

// Summary holds the percentiles that answers show.
type Summary struct{ P50, P75, P90, P95, P99 Point }

// quantiler is a law that answers the quantile rule.
type quantiler interface{ Quantile(q float64) Point }

func summarise(l quantiler) Summary {
	return Summary{l.Quantile(0.5), l.Quantile(0.75), l.Quantile(0.9), l.Quantile(0.95), l.Quantile(0.99)}
}

// Case is what hedging does under one assumption about how primary and
// backup go together.
type Case struct {
	Rho     float64 // correlation of the copula; 0 is independence
	Pairs   int     // pairs behind the measured case, else 0
	After   Summary
	P95     Interval // bootstrap intervals of the hedged percentiles
	P99     Interval
	Win     float64
	WinOK   bool    // false where nothing exceeds the delay
	GainMid float64 // gain at the target quantile, microseconds
	// Gain is what the window's own target quantile would have lost, each end
	// with 95 % (a 90 % interval): the observed quantile minus the bounds of
	// the hedged one. Whether the window's tail stays as it is, is not its
	// matter: see Regimes.
	Gain Interval
	// Enough is the share of the bootstrap's weeks, each with its own quantile
	// before and after, that gain what the verdict asks for.
	Enough float64
	// Saved is by how much a request's mean wait falls, microseconds, up to
	// the last time seen: see Hedged.Saved.
	Saved float64
	// Known is false where the target quantile is not reached with hedging,
	// so that no gain can be told.
	Known bool
}

// newCase is a case without its intervals.
func newCase(before Point, after quantiler, target float64) Case {
	c := Case{After: summarise(after)}
	c.GainMid, c.Known = gain(before, after.Quantile(target))
	return c
}

// draws gathers the percentiles of one case over the draws of the bootstrap.
type draws struct {
	p95, p99, target []float64
	enough           int
}

// add takes one drawn week: its unhedged law, its hedged one.
func (d *draws) add(x, hedged quantiler, n int, target, need float64) {
	at := hedged.Quantile(target)
	d.p95 = append(d.p95, orInf(hedged.Quantile(unbiased(0.95, n))))
	d.p99 = append(d.p99, orInf(hedged.Quantile(unbiased(0.99, n))))
	d.target = append(d.target, orInf(at))
	if g, ok := gain(x.Quantile(target), at); ok && g >= need {
		d.enough++
	}
}

// unbiased is the rule's own level at which a hedged law of n rows has the share
// q below it: the rule takes q·(n − 1)/n of it, as type 7 does, which leaves a
// tenth more beyond P99 of 1,000 rows than the true one has.
func unbiased(q float64, n int) float64 { return math.Min(1, q*float64(n)/float64(max(1, n-1))) }

// bound gives a case its intervals. Rows that are fewer than the percentile's
// own interval needs can't bound it from above: the bootstrap knows no wait
// longer than theirs, and covers 60 to 85 % there.
func (d *draws) bound(c *Case, before Point, n int) {
	c.P95, c.P99 = spread(d.p95, confidence), spread(d.p99, confidence)
	c.P95.High.Valid = c.P95.High.Valid && n >= MinInterval(0.95)
	c.P99.High.Valid = c.P99.High.Valid && n >= MinInterval(0.99)
	c.Enough = float64(d.enough) / float64(max(1, len(d.target)))
	c.Gain = gainInterval(before, spread(d.target, 2*confidence-1))
}

// needed is the gain that is worth the load, from the target quantile before.
func needed(before Point) float64 {
	from := before.Micros
	if !before.Reached {
		from = float64(before.AtLeast)
	}
	return math.Max(minGain, minGainShare*from)
}

// gainInterval turns the bounds of the hedged quantile into bounds of the
// gain. Where the quantile is not reached without hedging, the last time seen
// stands for it, which gives a lower bound and no upper one.
func gainInterval(before Point, hedged Interval) Interval {
	from := before.Micros
	if !before.Reached {
		from = float64(before.AtLeast)
	}
	var g Interval
	if hedged.High.Valid {
		g.Low = Bound{from - hedged.High.Micros, true}
	}
	if before.Reached && hedged.Low.Valid {
		g.High = Bound{from - hedged.Low.Micros, true}
	}
	return g
}

// gain is by how much a percentile falls. Where it is reached only with
// hedging, the last time seen stands for it: a lower bound.
func gain(before, after Point) (micros float64, ok bool) {
	switch {
	case before.Reached && after.Reached:
		return before.Micros - after.Micros, true
	case after.Reached:
		return math.Max(0, float64(before.AtLeast)-after.Micros), true
	}
	return 0, false
}

func orInf(p Point) float64 {
	if !p.Reached {
		return math.Inf(1)
	}
	return p.Micros
}
