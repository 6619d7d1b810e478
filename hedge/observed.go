package hedge

// Sent is one backup that was really sent.
type Sent struct {
	After int64 // how long the primary had waited, microseconds
	// Wait is from its own dispatch; Censored where it ended without a token,
	// by an error, its cancelling or a time-out: such a backup wins nothing.
	Wait          Wait
	Failed        bool  // ended in an error of its own, not by being stopped
	Input, Output int64 // tokens billed; below 0 unknown
}

// Served is one request with what hedging did to it.
type Served struct {
	Request          // the primary, with its tokens
	HedgeAfter int64 // delay in force for it, microseconds; 0 for none
	Holdout    bool  // kept from hedging at random, as a control
	Refused    bool  // beyond the delay, but the budget was exhausted
	Backups    []Sent
	Superseded bool // its primary was stopped because a backup had answered
}

// user is what the client waited: the first token of any attempt. Where none
// came it is censored at the end of the last attempt.
func (s Served) user() Wait {
	best := s.Wait
	for _, b := range s.Backups {
		w := Wait{Micros: b.After + b.Wait.Micros, Censored: b.answerless(), At: s.At}
		switch {
		case best.Censored && w.Censored:
			best.Micros = max(best.Micros, w.Micros)
		case best.Censored || !w.Censored && w.Micros < best.Micros:
			best = w
		}
	}
	return best
}

func (s Sent) answerless() bool { return s.Wait.Censored || s.Failed }

// won tells whether a backup gave the client's first token: before the
// primary's, or where the primary gave none.
func (s Served) won() bool {
	for _, b := range s.Backups {
		if !b.answerless() && (s.Censored || b.After+b.Wait.Micros < s.Micros) {
			return true
		}
	}
	return false
}

// beyond tells whether the primary still waited when its delay was over.
func (s Served) beyond() bool { return s.HedgeAfter > 0 && s.Micros > s.HedgeAfter }

// Proportion is a share of n with its two-sided 95 % interval (Clopper and
// Pearson, 1934); Share is valid where Of is above 0.
type Proportion struct {
	Count, Of        int
	Share, Low, High float64
}

// Extra are extra tokens: measured from what backups were billed, and
// estimated, at least, for those of unknown count as their primary's input.
type Extra struct {
	Input, Output  int64 // measured
	EstimatedInput int64
	Unknown        int     // backups without a measured input or output
	Share          float64 // of all primaries' input, measured and estimated together: at least
}

// Bracket are the percentiles without hedging for the two extremes of what a
// superseded primary would still have waited: nothing more, or for ever.
type Bracket struct{ AtOnce, Never Tail }

// Observed is what hedging really did in a window.
type Observed struct {
	Requests int
	Set      int        // with a hedge delay in force
	Hedged   Proportion // sent at least one backup, of Set: a setting alone is no hedge
	Beyond   Proportion // still waited at their delay, of Set
	Backups  int        // sent
	Wins     Proportion // a backup's token came first, of the hedged requests, once each
	Answered Proportion // backups that gave a token or were only stopped by a faster attempt, of those sent
	Refused  Proportion // budget exhausted, of those beyond
	Holdout  Proportion // kept from hedging, of those beyond
	Users    Summary    // what clients waited
	Unhedged Summary    // Kaplan–Meier of the primaries
	Bounds   Bracket    // of Unhedged, for its superseded primaries
	// Control are the percentiles of the hold-out: the requests below the
	// delay as they were, those beyond as the kept ones waited, their number
	// being ControlN. It is free of censoring by hedges.
	Control  Tail
	ControlN int
	Extra    Extra
}

// Observe evaluates a window's requests. A backup that ended in an error or
// without a token won nothing.
func Observe(served []Served) Observed {
	o := Observed{Requests: len(served)}
	var users, primaries []Wait
	answered, input := 0, int64(0)
	for _, s := range served {
		o.tally(s)
		users, primaries = append(users, s.user()), append(primaries, s.Wait)
		input += max(0, s.Input)
		for _, b := range s.Backups {
			answered += b2i(b.succeeded(s))
			o.Extra.add(b, s)
		}
	}
	o.Hedged.Of, o.Beyond.Of = o.Set, o.Set
	o.Wins.Of, o.Refused.Of, o.Holdout.Of = o.Hedged.Count, o.Beyond.Count, o.Beyond.Count
	o.Answered = Proportion{Count: answered, Of: o.Backups}
	for _, p := range []*Proportion{&o.Hedged, &o.Beyond, &o.Wins, &o.Refused, &o.Holdout, &o.Answered} {
		p.bound()
	}
	o.Extra.Share = part(float64(o.Extra.Input+o.Extra.EstimatedInput), float64(input))
	o.Users, o.Unhedged = summarise(NewDistribution(users)), summarise(NewDistribution(primaries))
	o.Bounds = bracket(served)
	o.Control, o.ControlN = control(served)
	return o
}

// tally counts one request.
func (o *Observed) tally(s Served) {
	sent := len(s.Backups) > 0
	o.Set += b2i(s.HedgeAfter > 0 || sent)
	o.Hedged.Count += b2i(sent)
	o.Beyond.Count += b2i(sent || s.beyond())
	o.Wins.Count += b2i(s.won())
	o.Refused.Count += b2i(!sent && s.beyond() && s.Refused)
	o.Holdout.Count += b2i(!sent && s.beyond() && s.Holdout)
	o.Backups += len(s.Backups)
}

// succeeded tells whether a backup did its work: it gave a token, or was
// stopped because another attempt had.
func (s Sent) succeeded(r Served) bool {
	if s.Failed {
		return false
	}
	if !s.Wait.Censored {
		return true
	}
	u := r.user()
	return !u.Censored && s.After+s.Wait.Micros >= u.Micros
}

// add counts a backup's tokens.
func (e *Extra) add(b Sent, s Served) {
	e.Input += max(0, b.Input)
	e.Output += max(0, b.Output)
	if b.Input < 0 {
		e.EstimatedInput += max(0, s.Input)
	}
	e.Unknown += b2i(b.Input < 0 || b.Output < 0)
}

// bound works the share out.
func (p *Proportion) bound() {
	p.Share = part(float64(p.Count), float64(p.Of))
	p.Low, p.High = clopperPearson(p.Count, p.Of)
}
