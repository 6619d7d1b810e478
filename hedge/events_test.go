package hedge

import (
	"container/heap"
	"math"
	"math/rand/v2"
)

// events simulates servers with one queue in order of arrival, event by
// event: Poisson arrivals, exponential services of mean 1, first token after
// three tenths of a service, backups to the same queue, losers run on.
type events struct {
	servers     int
	busy, delay float64 // delay 0: no hedging
	rnd         *rand.Rand

	waits          []Wait // of the primaries, a service being a second
	longest        int
	sent, arrived  int
	agenda         agenda
	line           []job
	working        int
	arrival, first []float64
}

type job struct {
	id     int
	backup bool
}

type event struct {
	at   float64
	kind int // 0 arrival, 1 the delay is over, 2 a service ends
	id   int
}

type agenda []event

func (a agenda) Len() int           { return len(a) }
func (a agenda) Less(i, j int) bool { return a[i].at < a[j].at }
func (a agenda) Swap(i, j int)      { a[i], a[j] = a[j], a[i] }
func (a *agenda) Push(e any)        { *a = append(*a, e.(event)) }
func (a *agenda) Pop() any {
	last := (*a)[len(*a)-1]
	*a = (*a)[:len(*a)-1]
	return last
}

func (e *events) ratio() float64 { return float64(e.sent) / float64(e.arrived) }

// run serves n requests, or fewer where the queue passes 5,000.
func (e *events) run(n int) {
	e.arrival, e.first = make([]float64, n), make([]float64, n)
	now := 0.0
	for i := range n {
		now += e.rnd.ExpFloat64() / e.busy
		e.arrival[i], e.first[i] = now, math.Inf(1)
		e.agenda = append(e.agenda, event{at: now, id: i})
	}
	for len(e.agenda) > 0 && len(e.line) < 5000 {
		e.step(heap.Pop(&e.agenda).(event))
		e.longest = max(e.longest, len(e.line))
	}
	for i, f := range e.first {
		if !math.IsInf(f, 1) {
			e.waits = append(e.waits, Wait{Micros: int64(1e6 * (f - e.arrival[i]))})
		}
	}
}

func (e *events) step(v event) {
	switch v.kind {
	case 0:
		e.arrived++
		if e.delay > 0 {
			heap.Push(&e.agenda, event{v.at + e.delay, 1, v.id})
		}
		e.begin(v.at, job{id: v.id})
	case 1:
		if e.first[v.id] > v.at {
			e.sent++
			e.begin(v.at, job{v.id, true})
		}
	case 2:
		e.working--
		if len(e.line) > 0 {
			next := e.line[0]
			e.line = e.line[1:]
			e.begin(v.at, next)
		}
	}
}

// begin serves a job, or lets it queue.
func (e *events) begin(now float64, j job) {
	if e.working == e.servers {
		e.line = append(e.line, j)
		return
	}
	e.working++
	service := e.rnd.ExpFloat64()
	if !j.backup {
		e.first[j.id] = now + 0.3*service
	}
	heap.Push(&e.agenda, event{now + service, 2, j.id})
}
