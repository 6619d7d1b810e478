package hedge

// bracket are the two extremes for superseded primaries: answering at once
// when they were stopped, and never.
func bracket(served []Served) Bracket {
	last := int64(0)
	for _, s := range served {
		last = max(last, s.Micros)
	}
	atOnce, never := make([]Wait, len(served)), make([]Wait, len(served))
	for i, s := range served {
		atOnce[i], never[i] = s.Wait, s.Wait
		if s.Censored && s.Superseded {
			atOnce[i].Censored = false
			never[i].Micros = last
		}
	}
	return Bracket{AtOnce: tail(NewDistribution(atOnce)), Never: tail(NewDistribution(never))}
}

// control splices the kept requests' waits beyond the delay onto those below.
// Requests may have had different delays: each kept one stands for the
// requests beyond its own.
func control(served []Served) (Tail, int) {
	var below, kept []Wait
	beyond := 0
	for _, s := range served {
		switch {
		case len(s.Backups) > 0 || s.beyond():
			beyond++
			if s.Holdout && len(s.Backups) == 0 {
				kept = append(kept, s.Wait)
			}
		default:
			below = append(below, s.Wait)
		}
	}
	if len(kept) == 0 {
		return Tail{}, 0
	}
	low, high := NewDistribution(below), NewDistribution(kept)
	n := len(below) + beyond
	m := mixture{n: n, seen: max(low.last, high.last), last: max(low.last, high.last)}
	m.add(float64(len(below))/float64(n), low)
	m.add(float64(beyond)/float64(n), high)
	return tail(m), len(kept)
}
