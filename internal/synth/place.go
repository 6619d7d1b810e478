package synth

import "headway/schema"

// place makes the calls of the request: the first one, a backup where the
// route hedges and the first token is late, or retries after failures.
func (f *fleet) place() {
	q := &f.req
	dispatch := q.auth + q.distribution + q.body + q.other
	f.calls = append(f.calls, f.drawCall(q, q.channel, dispatch))
	if after := q.route.hedgeAfter; after > 0 && q.stream {
		if first := &f.calls[0]; first.response() > after && first.cut > after {
			f.hedge(after)
			return
		}
	}
	for len(f.calls) < q.maxTries && f.retries(&f.calls[len(f.calls)-1]) {
		f.retry()
	}
}

func (f *fleet) retries(last *call) bool {
	if f.req.retryTimeouts && last.outcome == schema.OutcomeTimeout {
		return true
	}
	return last.answersError() && f.dice.chance(0.6)
}

func (f *fleet) retry() {
	last := &f.calls[len(f.calls)-1]
	next := f.drawCall(&f.req, f.another(last.channel), last.end()+f.dice.within(50, 250))
	next.role, next.attempt = schema.RoleRetry, last.attempt+1
	f.calls = append(f.calls, next)
}

// hedge races a backup against the first call. The first effective response
// wins and the other call is cancelled; where neither responds, both run to
// their end.
func (f *fleet) hedge(after float64) {
	backup := f.drawCall(&f.req, f.another(f.calls[0].channel), f.calls[0].dispatch+after)
	backup.role, backup.attempt = schema.RoleBackup, 1
	f.calls = append(f.calls, backup)
	first, second := &f.calls[0], &f.calls[1]
	winner, loser := first, second
	at, by := first.dispatch+first.response(), second.dispatch+second.response()
	if !first.responded() || second.responded() && by < at {
		winner, loser, at = second, first, by
	}
	if !winner.responded() {
		return
	}
	if at < loser.end() {
		status := int32(0)
		if loser.dispatch+loser.headers <= at {
			status = 200
		}
		loser.fail(schema.OutcomeSuperseded, status, "", max(at-loser.dispatch, 0))
	}
}

// handlerEnd returns when the gateway had done with the request, ms after t0:
// after the call that served it, else after the last.
func (f *fleet) handlerEnd() float64 {
	end := 0.0
	for i := range f.calls {
		if c := &f.calls[i]; c.outcome != schema.OutcomeSuperseded {
			end = max(end, c.end())
		}
	}
	return end
}
