package chaos

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"headway/ingest"
	"headway/internal/testkit/proxy"
)

// isInsert picks the statement of an insert.
func isInsert(b []byte) bool { return bytes.Contains(b, []byte("INSERT INTO")) }

// share waits until each member owns as many partitions.
func (l *lab) share(each int) {
	l.t.Helper()
	for _, m := range l.members {
		if err := m.current().await(fmt.Sprintf("partitions=%d", each), time.Minute); err != nil {
			l.t.Fatalf("%s: %v", m.name, err)
		}
	}
}

// zombie freezes an owner for longer than its session. The others land its
// partitions; what it does when it wakes up must change nothing.
func zombie(l *lab) {
	l.startMembers(2)
	l.share(2)
	l.producer.run(l.rng, l.partitions, 400)
	l.untilStored(300)
	victim := l.members[l.rng.IntN(2)]
	victim.freeze()
	l.tally.stops.Add(1)
	l.wait(time.Second) // what it had sent before has an effect by now
	l.untilMoved(2 * time.Minute)
	victim.thaw()
	l.wait(2 * time.Second)
}

// lateInsert holds an owner's insert back until another owner has landed the
// same range, and then lets it reach the server.
func lateInsert(l *lab) {
	l.startMembers(2)
	l.share(1)
	old := l.members[l.rng.IntN(2)]
	old.toDB.Set(proxy.Fault{Loss: &proxy.Loss{Way: proxy.RequestHeld, Request: isInsert, Answers: 1, Times: 1}})
	mix := newMix(l.rng, l.topic)
	for part := range l.partitions {
		l.producer.send(int32(part), mix.values(120)...)
	}
	l.producer.flush()
	l.eventually("holding an insert back", time.Minute, func(context.Context) error {
		if old.toDB.Counts().Lost == 0 {
			return errors.New("none came")
		}
		return nil
	})
	old.freeze()
	l.tally.stops.Add(1)
	for part := range l.partitions { // the new owner could land more in one batch
		l.producer.send(int32(part), mix.values(120)...)
	}
	l.untilStored(480)
	l.eventually("the new owner's commit", time.Minute, func(context.Context) error {
		for part, at := range l.watch.committed() {
			if at < 240 {
				return fmt.Errorf("partition %d stays at %d", part, at)
			}
		}
		return nil
	})
	old.heal() // the held rows come, under the token of rows that are in
	l.wait(time.Second)
	old.thaw()
	l.wait(time.Second)
}

// frozenPartition lets one owner's inserts hang: the other's go on, and it
// stays a member all the same.
func frozenPartition(l *lab) {
	l.startMembers(2)
	l.share(1)
	mix := newMix(l.rng, l.topic)
	for part := range l.partitions {
		l.producer.send(int32(part), mix.values(50)...)
	}
	l.untilStored(100)
	stuck := l.members[l.rng.IntN(2)]
	stuck.toDB.Set(proxy.Hole())
	before := l.watch.committed()
	l.producer.run(l.rng, l.partitions, 200)
	l.wait(session + 2*time.Second)
	moved := func() (n int) {
		for part, at := range l.watch.committed() {
			// Its intent may have moved the offset to where the batch begins.
			if at > before[part]+50 {
				n++
			}
		}
		return n
	}
	l.eventually("the other owner's partition advances", time.Minute, func(context.Context) error {
		if moved() == 0 {
			return errors.New("neither does")
		}
		return nil
	})
	if n := moved(); n != 1 {
		l.t.Errorf("%d of 2 partitions advanced while one owner's inserts hung, want the other's", n)
	}
}

// membersComeAndGo lets members join, leave and die every second or two.
func membersComeAndGo(l *lab) {
	l.startMembers(3)
	l.producer.run(l.rng, l.partitions, 400)
	for end := time.Now().Add(15 * time.Second); time.Now().Before(end); {
		l.wait(l.between(500*time.Millisecond, 2*time.Second))
		m := l.members[l.rng.IntN(len(l.members))]
		switch {
		case !m.runs():
			l.start(m)
		case l.rng.IntN(3) == 0:
			m.kill()
			l.tally.ingesterKills.Add(1)
		default:
			m.stop(l.t)
		}
	}
	l.reviveMembers()
}

func (l *lab) reviveMembers() {
	for _, m := range l.members {
		if !m.runs() {
			l.start(m)
		}
	}
}

// idlePartitions restarts every member while most partitions hold nothing.
func idlePartitions(l *lab) {
	l.startMembers(2)
	mix := newMix(l.rng, l.topic)
	for round := range 3 {
		for _, part := range []int{0, round} {
			l.producer.send(int32(part), mix.values(60)...)
		}
		l.untilStored(120 * (round + 1))
		for _, m := range l.members {
			m.stop(l.t)
			l.start(m)
		}
	}
	parts, err := ingest.Offsets(l.t.Context(), []string{l.broker.Addr()}, ingest.Security{}, l.topic, l.topic)
	if err != nil {
		l.t.Error(err)
	}
	for _, p := range parts[3:] {
		if p.End != 0 || p.Committed > 0 {
			l.t.Errorf("an idle partition stands at %+v", p)
		}
	}
}

// stopping ends members while records come: in order, in order while
// ClickHouse answers nothing, and at once by a second signal.
func stopping(l *lab) {
	l.startMembers(2)
	l.share(2)
	l.producer.run(l.rng, l.partitions, 1000)
	l.untilStored(500)
	first, second := l.members[0], l.members[1]
	first.stop(l.t)
	l.start(first)
	l.untilMoved(time.Minute)
	first.toDB.Set(proxy.Hole())
	l.wait(time.Second)
	first.stop(l.t)
	second.toDB.Set(proxy.Hole())
	l.wait(time.Second)
	p := second.current()
	p.signal(syscall.SIGTERM)
	l.wait(200 * time.Millisecond)
	p.signal(syscall.SIGTERM)
	if !p.endsWithin(5 * time.Second) { // in order it would take 6 s, the time to flush
		l.t.Error("it did not end at once at the second signal")
		p.kill()
	}
	first.heal()
	second.heal()
	l.reviveMembers()
}
