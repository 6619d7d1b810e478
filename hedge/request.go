package hedge

// Request is one request of a window: what its primary waited and what a
// second attempt at it costs. Tokens below 0 are unknown.
type Request struct {
	Wait
	Input, Output int64 // tokens of the primary
}

// waitsOf are the primaries' waits.
func waitsOf(requests []Request) []Wait {
	out := make([]Wait, len(requests))
	for i, r := range requests {
		out[i] = r.Wait
	}
	return out
}

// hedgedAt tells whether a backup after d was due: the request still waited
// then. One that ended before d, with or without a token, had none.
func (r Request) hedgedAt(d int64) bool { return r.Micros > d }
