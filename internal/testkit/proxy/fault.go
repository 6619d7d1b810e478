package proxy

import "time"

// Fault is what a proxy does to its connections. The zero value is none.
type Fault struct {
	// Refuse resets new connections at once. Open ones are left alone; Cut
	// ends them.
	Refuse bool

	Up   Lane // from client to server
	Down Lane // from server to client

	// Loss, where set, meets single requests.
	Loss *Loss
}

// Lane is what happens to one direction. Whatever it does, bytes keep their
// order and none is lost, as in TCP.
type Lane struct {
	Delay  time.Duration // each read reaches the other side so much later
	Jitter time.Duration // and by a random time below this later still
	Rate   int           // bytes a second; 0 for no limit
	// Hole lets nothing through, and not even the news that a side has
	// closed: the other sees a connection that is open and silent. What was
	// held back goes through when the hole is gone.
	Hole bool
}

// Hole is a fault where nobody answers and nothing ends.
func Hole() Fault { return Fault{Up: Lane{Hole: true}, Down: Lane{Hole: true}} }

// Loss meets one request in the middle: picked by what the client sends, and
// by Way lost, held back, or done and its answer lost.
type Loss struct {
	Way Way
	// Request picks the request by what the client sends: one read of bytes,
	// or one whole request with Options.Kafka. nil picks any.
	Request func(sent []byte) bool
	// Answers is how many of the server's answers come through first. A
	// ClickHouse insert is answered twice: with the columns, and, once the
	// client has sent the rows, when these are in.
	Answers int
	// Times bounds how often it happens, over all connections, until the next
	// Set; 0 means no bound.
	Times int
	// Quiet is how long the server must be silent before the connection is
	// cut, so that it has done what it was asked to; 0 means 200 ms.
	Quiet time.Duration
}

// Way is what a Loss does.
type Way int

const (
	// AnswerLost lets the request through and resets the connection instead of
	// answering: the request takes effect, and the client can't know.
	AnswerLost Way = iota
	// RequestLost resets the connection instead of passing the request on.
	RequestLost
	// RequestHeld keeps the request, and all that its client sends after it,
	// until the next Set; then it reaches the server late, and even where the
	// client has gone meanwhile.
	RequestHeld
)

const defaultQuiet = 200 * time.Millisecond

func (l *Loss) quiet() time.Duration {
	if l.Quiet > 0 {
		return l.Quiet
	}
	return defaultQuiet
}

// turn follows one connection's questions and answers for a Loss. It is
// guarded by its pair.
type turn struct {
	loss    *Loss // which is followed; nil while no request was picked
	asked   bool  // the client has sent something since the last answer
	answers int   // since the picked request
}

// sent notes what the client sends, and says whether the Loss meets it.
func (t *turn) sent(l *Loss, b []byte) bool {
	if t.loss != l { // another fault is in force
		*t = turn{}
	}
	if l != nil && t.loss == nil && (l.Request == nil || l.Request(b)) {
		t.loss = l
	}
	t.asked = true
	if t.loss == nil || l.Way == AnswerLost || t.answers < l.Answers {
		return false
	}
	*t = turn{}
	return true
}

// answered notes that the server answers, and says whether the Loss meets
// that answer.
func (t *turn) answered(l *Loss) bool {
	if t.loss == nil || t.loss != l {
		return false
	}
	if t.asked {
		t.asked = false
		t.answers++
	}
	if l.Way != AnswerLost || t.answers <= l.Answers {
		return false
	}
	*t = turn{} // the next request is looked at anew
	return true
}

// spend says whether the Loss may happen once more, and counts it.
func (p *Proxy) spend(l *Loss) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fault.Loss != l || l.Times > 0 && p.lost >= l.Times {
		return false
	}
	p.lost++
	p.losses.Add(1)
	return true
}

// wait draws how long a read is held back.
func (p *Proxy) wait(l Lane) time.Duration {
	if l.Jitter <= 0 {
		return l.Delay
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return l.Delay + time.Duration(p.dice.Int64N(int64(l.Jitter)))
}
