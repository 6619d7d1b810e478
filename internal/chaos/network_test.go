package chaos

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"headway/ingest"
	"headway/internal/testkit/proxy"
)

// faults are all that a line can suffer for a while.
func faults() []proxy.Fault {
	return []proxy.Fault{
		{Up: proxy.Lane{Delay: 100 * time.Millisecond, Jitter: 200 * time.Millisecond}},
		{Down: proxy.Lane{Delay: 100 * time.Millisecond, Jitter: 200 * time.Millisecond}},
		{Up: proxy.Lane{Rate: 20_000}, Down: proxy.Lane{Rate: 20_000}},
		{Refuse: true},
		{Up: proxy.Lane{Hole: true}},
		{Down: proxy.Lane{Hole: true}},
		proxy.Hole(),
		{Loss: &proxy.Loss{}},
		{Loss: &proxy.Loss{Way: proxy.RequestLost}},
		{Loss: &proxy.Loss{Way: proxy.RequestHeld}},
	}
}

func networkToClickHouse(l *lab) { l.network(func(m *member) *proxy.Proxy { return m.toDB }) }

func networkToBroker(l *lab) { l.network(func(m *member) *proxy.Proxy { return m.toKafka }) }

// network has every line to one side suffer every fault in turn.
func (l *lab) network(line func(*member) *proxy.Proxy) {
	l.startMembers(2)
	l.producer.run(l.rng, l.partitions, 300)
	l.untilStored(200)
	all := faults()
	l.rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, f := range all {
		for _, m := range l.members {
			line(m).Set(f)
			if f.Refuse {
				line(m).Cut()
			}
		}
		l.wait(l.between(500*time.Millisecond, 1500*time.Millisecond))
		for _, m := range l.members {
			line(m).Set(proxy.Fault{})
			if l.rng.IntN(2) == 0 {
				line(m).Cut()
			}
		}
		l.wait(l.between(100*time.Millisecond, 500*time.Millisecond))
	}
}

// commits picks the commits of intents, or those that follow a landing.
func commits(intent bool) func([]byte) bool {
	const offsetCommit = 8
	return func(b []byte) bool {
		return proxy.KafkaKey(b) == offsetCommit && bytes.Contains(b, []byte(" last=")) == intent
	}
}

// commitsLost cuts the broker off around commits: before and after they take
// effect, those of intents and those that follow an insert.
func commitsLost(l *lab) {
	l.startMembers(1)
	m := l.members[0]
	l.producer.run(l.rng, l.partitions, 300)
	l.untilStored(100)
	for _, way := range []proxy.Way{proxy.AnswerLost, proxy.RequestLost} {
		for _, intent := range []bool{false, true} {
			l.lose(m.toKafka, 3, proxy.Loss{Way: way, Request: commits(intent)})
		}
	}
}

// lose waits until a loss has happened as often.
func (l *lab) lose(p *proxy.Proxy, times int, loss proxy.Loss) {
	l.t.Helper()
	before := p.Counts().Lost
	loss.Times = times
	p.Set(proxy.Fault{Loss: &loss})
	l.eventually(fmt.Sprintf("%d losses of way %d", times, loss.Way), time.Minute, func(context.Context) error {
		if n := p.Counts().Lost - before; n < int64(times) {
			return fmt.Errorf("%d so far", n)
		}
		return nil
	})
	p.Set(proxy.Fault{})
}

// insertAnswersLost breaks inserts in the middle: the rows arrive, and the
// client hears nothing of it; or they don't.
func insertAnswersLost(l *lab) {
	l.startMembers(1)
	m := l.members[0]
	m.toDB.Set(proxy.Fault{Loss: &proxy.Loss{Request: isInsert, Answers: 1, Times: 1, Quiet: 3 * time.Second}})
	l.producer.send(0, newMix(l.rng, l.topic).values(100)...)
	l.eventually("rows that are in and not acknowledged", time.Minute, func(ctx context.Context) error {
		parts, err := ingest.Offsets(ctx, []string{l.broker.Addr()}, ingest.Security{}, l.topic, l.topic)
		if err != nil {
			return err
		}
		n, err := l.stored(ctx)
		if err != nil {
			return err
		}
		if n == 0 || m.toDB.Counts().Lost == 0 || parts[0].Committed != 0 || !parts[0].Landing {
			return fmt.Errorf("%d stored, %+v", n, parts[0])
		}
		return nil
	})
	l.producer.run(l.rng, l.partitions, 300)
	l.lose(m.toDB, 5, proxy.Loss{Request: isInsert, Answers: 1})
	l.lose(m.toDB, 3, proxy.Loss{Request: isInsert, Answers: 1, Way: proxy.RequestLost})
	l.lose(m.toDB, 3, proxy.Loss{Request: isInsert, Way: proxy.RequestLost})
}

// manyDays lands one batch of 150 records on as many days, so of as many
// inserts, while connections are cut.
func manyDays(l *lab) {
	const days = 150
	values := make([]string, days)
	for i := range values {
		values[i] = record(fmt.Sprintf("day-%d", i), time.Now().AddDate(0, 0, -i))
	}
	l.rng.Shuffle(days, func(i, j int) { values[i], values[j] = values[j], values[i] })
	l.producer.send(0, values...)
	l.producer.flush()
	l.startMembers(1)
	m := l.members[0]
	l.eventually("one batch of all days", time.Minute, func(ctx context.Context) error {
		parts, err := ingest.Offsets(ctx, []string{l.broker.Addr()}, ingest.Security{}, l.topic, l.topic)
		if err == nil && (!parts[0].Landing || parts[0].LandingLast != days-1) {
			err = fmt.Errorf("%+v", parts[0])
		}
		return err
	})
	for range 4 {
		l.wait(l.between(100*time.Millisecond, 500*time.Millisecond))
		m.toDB.Cut()
	}
}
