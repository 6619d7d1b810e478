package hedge

// Strategy says how a policy follows from the rows before: by a rule for the
// delay, or, with a Budget, by SingleR for the Target quantile.
type Strategy struct {
	Rule   Rule
	Budget float64 // share of requests that may be hedged; above 0 means SingleR
	Target float64 // quantile that SingleR makes smallest; 0 is P95
	Floor  int64   // smallest delay, microseconds
	Cap    int64   // largest delay, 0 for none
}

// minTrain is the least number of rows that the strategy learns from: what the
// rule's own quantile needs, and what advice needs for P95.
func (s Strategy) minTrain() int {
	n := MinPoint(0.95)
	if s.Rule.Fixed == 0 && s.Budget == 0 {
		n = max(n, MinPoint(s.Rule.Quantile))
	}
	return n
}

// policy learns from x and y; expected is the share of next rows above the
// delay. ok is false where the rows give none.
func (s Strategy) policy(x, y Distribution) (p Policy, expect float64, ok bool) {
	if s.Budget > 0 {
		target := s.Target
		if target == 0 {
			target = 0.95
		}
		best, ok := SingleR(x, y, s.Budget, target, s.Floor)
		if !ok {
			return Policy{}, 0, false
		}
		return best.Policy, expected(x, best.Delay, b2f(best.Delay == s.Floor)), true
	}
	d := s.Rule.delay(x)
	if !d.Reached {
		return Policy{}, 0, false
	}
	guarded := Settings{Floor: s.Floor, Cap: s.Cap}.guarded(d.Micros)
	p = Policy{Delay: micros(guarded), Q: 1}
	if s.Rule.Fixed > 0 || guarded != d.Micros {
		return p, x.Exceed(p.Delay), true
	}
	return p, expected(x, p.Delay, fraction(x, s.Rule.Quantile)), true
}

func b2f(b bool) float64 { return float64(b2i(b)) }
