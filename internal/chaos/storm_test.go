package chaos

import (
	"sync"
	"time"

	"headway/internal/testkit/proxy"
)

// strike is one blow: what it hits is locked, so that two never overlap on the
// same part.
type strike struct {
	part *sync.Mutex
	hit  func()
}

// weather deals the blows of one round.
type weather struct {
	*lab
	onEngine, onBroker sync.Mutex
	processes          []sync.Mutex // of the members
	lines              []sync.Mutex
	busy               sync.WaitGroup
}

// storm runs a deck of blows on three members, ClickHouse and the broker while
// records come.
func storm(l *lab) {
	const members = 3
	w := &weather{lab: l, processes: make([]sync.Mutex, members), lines: make([]sync.Mutex, members)}
	l.startMembers(members)
	l.producer.run(l.rng, l.partitions, 600)
	l.untilStored(300)
	deck := w.deck()
	l.rng.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
	for len(deck) > 0 {
		l.wait(l.between(300*time.Millisecond, 1500*time.Millisecond))
		for i, s := range deck {
			if s.part.TryLock() {
				deck = append(deck[:i:i], deck[i+1:]...)
				w.busy.Go(func() {
					defer s.part.Unlock()
					s.hit()
				})
				break
			}
		}
	}
	w.busy.Wait()
	l.reviveMembers()
}

// deck is a round: each kind of blow at least once. All that is random is
// drawn here, in one goroutine.
func (w *weather) deck() []strike {
	var deck []strike
	add := func(n int, make func() strike) {
		for range n {
			deck = append(deck, make())
		}
	}
	add(4, w.killEngine)
	add(1, w.freezeEngine)
	add(3, w.killBroker)
	add(1, w.freezeBroker)
	add(1, w.restartBroker)
	add(4, w.killMember)
	add(1, w.freezeMember)
	add(1, w.stopMember)
	add(4, w.breakLine)
	return deck
}

func (w *weather) killEngine() strike {
	down := w.between(0, time.Second)
	return strike{&w.onEngine, func() {
		w.db.kill()
		w.tally.engineKills.Add(1)
		w.wait(down)
		if err := w.db.start(); err != nil {
			w.t.Errorf("ClickHouse does not start again: %v", err)
		}
	}}
}

func (w *weather) freezeEngine() strike {
	long := w.between(time.Second, 4*time.Second)
	return strike{&w.onEngine, func() {
		w.db.freeze()
		w.tally.stops.Add(1)
		w.wait(long)
		w.db.thaw()
	}}
}

// check reports what a broker's control says.
func (w *weather) check(err error) {
	if err != nil {
		w.t.Errorf("broker: %v", err)
	}
}

func (w *weather) killBroker() strike {
	down := w.between(0, time.Second)
	return strike{&w.onBroker, func() {
		w.check(w.broker.Kill())
		w.tally.brokerKills.Add(1)
		w.wait(down)
		w.check(w.broker.Restart())
	}}
}

func (w *weather) freezeBroker() strike {
	long := w.between(time.Second, 4*time.Second)
	return strike{&w.onBroker, func() {
		w.check(w.broker.Pause())
		w.tally.stops.Add(1)
		w.wait(long)
		w.check(w.broker.Continue())
	}}
}

func (w *weather) restartBroker() strike {
	return strike{&w.onBroker, func() { w.check(w.broker.Restart()) }}
}

func (w *weather) killMember() strike {
	i, down := w.rng.IntN(len(w.processes)), w.between(0, 2*time.Second)
	return strike{&w.processes[i], func() {
		w.members[i].kill()
		w.tally.ingesterKills.Add(1)
		w.wait(down)
		w.start(w.members[i])
	}}
}

// freezeMember makes a zombie: it wakes up when others own its partitions.
func (w *weather) freezeMember() strike {
	i, long := w.rng.IntN(len(w.processes)), session+w.between(time.Second, 4*time.Second)
	return strike{&w.processes[i], func() {
		w.members[i].freeze()
		w.tally.stops.Add(1)
		w.wait(long)
		w.members[i].thaw()
	}}
}

// stopMember ends a member in order, and in time whatever else is broken.
func (w *weather) stopMember() strike {
	i, down := w.rng.IntN(len(w.processes)), w.between(0, 2*time.Second)
	return strike{&w.processes[i], func() {
		w.members[i].stop(w.t)
		w.wait(down)
		w.start(w.members[i])
	}}
}

// breakLine has one member's line to one side suffer for a while.
func (w *weather) breakLine() strike {
	i, all := w.rng.IntN(len(w.lines)), faults()
	f, long, cut, toDB := all[w.rng.IntN(len(all))], w.between(500*time.Millisecond, 3*time.Second), w.rng.IntN(2) == 0, w.rng.IntN(2) == 0
	return strike{&w.lines[i], func() {
		line := w.members[i].toKafka
		if toDB {
			line = w.members[i].toDB
		}
		line.Set(f)
		if cut {
			line.Cut()
		}
		w.wait(long)
		line.Set(proxy.Fault{})
	}}
}
