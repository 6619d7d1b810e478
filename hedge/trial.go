package hedge

import "math/rand/v2"

// trial is one simulation set-up: who waits, who backs up, after how long,
// with the rows that its bootstrap draws from.
type trial struct {
	x, y   Distribution
	rows   Rows
	policy Policy
	rule   Rule
	target float64
	s      Settings
}

// outcome is what a trial found.
type outcome struct {
	independent, pessimistic Case
	measured                 *Case // nil with too few pairs
	// ratios are trigger ratios of drawn next windows, each at the delay that
	// the rule gives on drawn rows.
	ratios []float64
	delays []float64 // those delays; only where rows were drawn in blocks
	blocks bool      // rows were drawn in blocks
}

// run simulates every case and draws their intervals together: each draw is
// one week that might have been. The delay stays fixed over the draws of the
// cases, since it is what the gateway would run with.
func (t trial) run() outcome {
	before := t.x.Quantile(t.target)
	var o outcome
	independent, pessimistic := Independent(t.x, t.y, t.policy), Correlated(t.x, t.y, t.policy, t.s.Rho)
	o.independent, o.pessimistic = newCase(before, independent, t.target), newCase(before, pessimistic, t.target)
	o.independent.Win, o.independent.WinOK = independent.Win()
	o.pessimistic.Win, o.pessimistic.WinOK = pessimistic.Win()
	o.pessimistic.Rho = t.s.Rho
	o.independent.Saved, o.pessimistic.Saved = independent.Saved(), pessimistic.Saved()
	if law, win, n := Measured(t.x, t.rows.Pairs, t.policy); n >= MinPairs {
		c := newCase(before, law, t.target)
		c.Win, c.WinOK, c.Pairs = win, true, n
		c.Saved = t.x.MeanUpTo(t.x.last) - law.MeanUpTo(t.x.last)
		o.measured = &c
	}
	t.draw(before, &o)
	return o
}

// draw runs the bootstrap.
func (t trial) draw(before Point, o *outcome) {
	var independent, pessimistic, measured draws
	need := needed(before)
	x := t.s.Boot.prepare(t.rows.Primary)
	y := x
	if t.rows.Backup != nil {
		y = t.s.Boot.prepare(t.rows.Backup)
	}
	pairs := t.s.Boot.redrawn(usable(t.rows.Pairs, t.policy.Delay))
	rnd := rand.New(rand.NewPCG(t.s.Boot.Seed, 0))
	for range t.s.Boot.capped(len(x.keys) + len(y.keys)).Draws {
		if t.s.Boot.stopped() {
			break
		}
		bx := x.draw(rnd)
		by := bx
		if y != x {
			by = y.draw(rnd)
		}
		independent.add(bx, Independent(bx, by, t.policy), bx.n, t.target, need)
		pessimistic.add(bx, Correlated(bx, by, t.policy, t.s.Rho), bx.n, t.target, need)
		if o.measured != nil {
			law, _, _ := Measured(bx, pairs(rnd), t.policy)
			measured.add(bx, law, bx.n, t.target, need)
		}
		if d := t.rule.delay(bx); d.Reached {
			if t.rule.Fixed == 0 {
				if x.blocks != nil {
					o.delays = append(o.delays, d.Micros)
				}
				d.Micros = t.s.guarded(d.Micros)
			}
			o.ratios = append(o.ratios, x.drawShare(rnd, t.x, micros(d.Micros), t.s.next(t.x)))
		}
	}
	o.blocks = x.blocks != nil
	independent.bound(&o.independent, before, t.x.n)
	pessimistic.bound(&o.pessimistic, before, t.x.n)
	if o.measured != nil {
		measured.bound(o.measured, before, t.x.n)
	}
}
