package hedge

import (
	"math"
	"math/rand/v2"
)

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
	// Known is false where the target quantile is not reached with hedging,
	// so that no gain can be told.
	Known bool
}

// trial is one simulation set-up: who waits, who backs up, after how long.
type trial struct {
	x, y   rows
	own    bool // the backup has the primary's own law
	delay  int64
	target float64
	boot   Bootstrap
}

func (t trial) run(x, y Distribution, rho float64) Case {
	policy := Policy{Delay: t.delay, Q: 1}
	h := Correlated(x, y, policy, rho)
	c := Case{Rho: rho, After: summarise(h)}
	c.Win, c.WinOK = h.Win()
	before := x.Quantile(t.target)
	c.GainMid, c.Known = gain(before, h.Quantile(t.target))
	var p95, p99, hedged []float64
	rnd := rand.New(rand.NewPCG(t.boot.Seed, 0))
	xc, yc := make([]int, len(t.x.sorted)), make([]int, len(t.y.sorted))
	for range t.boot.capped(len(xc) + len(yc)).Draws {
		bx := t.x.resample(rnd, xc)
		by := bx
		if !t.own {
			by = t.y.resample(rnd, yc)
		}
		bh := Correlated(bx, by, policy, rho)
		p95 = append(p95, orInf(bh.Quantile(0.95)))
		p99 = append(p99, orInf(bh.Quantile(0.99)))
		hedged = append(hedged, orInf(bh.Quantile(t.target)))
	}
	c.P95, c.P99 = spread(p95, confidence), spread(p99, confidence)
	c.Gain = gainInterval(before, spread(hedged, 2*confidence-1))
	return c
}

// gainInterval turns the bounds of the hedged quantile into bounds of the
// gain. Where the quantile is not reached without hedging, the last time seen
// stands for it, which gives a lower bound and no upper one.
func gainInterval(before Point, hedged Interval) Interval {
	from := before.Micros
	if !before.Reached {
		from = float64(before.AtLeast)
	}
	g := Interval{Low: Bound{from - hedged.High.Micros, hedged.High.Valid}}
	if before.Reached {
		g.High = Bound{from - hedged.Low.Micros, hedged.Low.Valid}
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
