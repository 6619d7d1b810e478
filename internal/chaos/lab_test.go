package chaos

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"headway/ingest"
)

// broker is what both kinds can be made to do. They keep data and address
// over every end.
type broker interface {
	Addr() string
	Kill() error
	Stop() error
	Restart() error
	Pause() error
	Continue() error
}

// world is one ClickHouse and one broker.
type world struct {
	db     *database
	broker broker
	seed   uint64
	ledger *ledger
}

func newWorld(t *testing.T, seed uint64, g *ledger) *world {
	t.Helper()
	return &world{db: startDatabase(t), broker: startBroker(t), seed: seed, ledger: g}
}

// lab is one scenario: a topic, its group, members and a producer.
type lab struct {
	*world
	t          *testing.T
	topic      string
	partitions int
	rng        *rand.Rand
	admin      *kadm.Client
	members    []*member
	producer   *producer
	watch      *watch
	tally      tally
}

// scenario runs one scenario and looks for every record afterwards.
func (w *world) scenario(t *testing.T, name string, partitions int, run func(*lab)) {
	begin := time.Now()
	client, err := kgo.NewClient(kgo.SeedBrokers(w.broker.Addr()), kgo.MetadataMinAge(50*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	l := &lab{world: w, t: t, topic: name, partitions: partitions, admin: kadm.NewClient(client),
		rng: rand.New(rand.NewPCG(w.seed, digest([]byte(name))))}
	l.eventually("creating the topic", time.Minute, func(ctx context.Context) error {
		_, err := l.admin.CreateTopic(ctx, int32(partitions), 1, nil, l.topic)
		return err
	})
	l.producer, l.watch = l.newProducer(), l.startWatch()
	run(l)
	l.producer.halt()
	l.settle()
	l.watch.stop()
	for _, m := range l.members {
		m.stop(t)
	}
	f, err := l.compare(t.Context(), l.producer.acknowledged())
	w.ledger.add(name, &l.tally, f, time.Since(begin))
	switch {
	case err != nil:
		t.Error(err)
	case f.err() != nil:
		t.Error(f.err())
	case f.acked == 0 || f.rows == 0:
		t.Errorf("%d acknowledged, %d rows: nothing was tested", f.acked, f.rows)
	}
	if len(l.watch.faults) > 0 || l.watch.samples == 0 {
		t.Errorf("committed offsets, in %d samples: %q", l.watch.samples, l.watch.faults)
	}
}

// settleLimit is long, because a server that restarts under load is slow.
const (
	settleLimit = 3 * time.Minute
	settleLong  = 45 * time.Second // from here on it is told what the members said
)

// settle heals every line and waits until the group has landed all there is.
func (l *lab) settle() {
	l.t.Helper()
	for _, m := range l.members {
		m.heal()
	}
	begin := time.Now()
	since := begin
	l.eventually("landing everything", settleLimit, func(ctx context.Context) error {
		err := l.lags(ctx)
		if err != nil && brokerKeepsGhosts && time.Since(since) > 2*session && l.haunted(ctx) {
			l.t.Log("the broker keeps a member that is gone: joining anew")
			l.members[0].stop(l.t)
			l.start(l.members[0])
			since = time.Now()
		}
		return err
	})
	if took := time.Since(begin); took > settleLong {
		l.t.Logf("landing everything took %s", took)
		for _, m := range l.members {
			l.t.Logf("%s said:\n%s", m.name, lastLines(m.current().log(), 15))
		}
	}
}

// lags says what the group has not landed yet.
func (l *lab) lags(ctx context.Context) error {
	parts, err := ingest.Offsets(ctx, []string{l.broker.Addr()}, ingest.Security{}, l.topic, l.topic)
	if err != nil {
		return err
	}
	for _, p := range parts {
		if p.Committed != p.End && (p.Committed >= 0 || p.End > 0) || p.Landing {
			return fmt.Errorf("%+v", p)
		}
	}
	return nil
}

// haunted says whether a stable group has more members than there are
// processes.
func (l *lab) haunted(ctx context.Context) bool {
	living := 0
	for _, m := range l.members {
		if m.runs() {
			living++
		}
	}
	groups, err := l.admin.DescribeGroups(ctx, l.topic)
	return err == nil && groups[l.topic].State == "Stable" && len(groups[l.topic].Members) > living
}

// eventually repeats a look until it is content.
func (l *lab) eventually(what string, limit time.Duration, look func(context.Context) error) {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), limit)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := look(ctx)
		if err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			l.t.Fatalf("not in %s: %s: %v", limit, what, err)
		}
	}
}

// stored counts rows and rejects as they are now.
func (l *lab) stored(ctx context.Context) (n int, err error) {
	lines, err := l.db.query(ctx, fmt.Sprintf("SELECT (SELECT count() FROM requests WHERE topic = '%s') + (SELECT count() FROM rejects WHERE topic = '%s')", l.topic, l.topic))
	if err == nil {
		_, err = fmt.Sscan(lines[0][0], &n)
	}
	return n, err
}

// untilStored waits for n rows and rejects.
func (l *lab) untilStored(n int) {
	l.t.Helper()
	l.eventually(fmt.Sprintf("%d stored", n), time.Minute, func(ctx context.Context) error {
		have, err := l.stored(ctx)
		if err == nil && have < n {
			err = fmt.Errorf("%d stored", have)
		}
		return err
	})
}

// untilMoved waits until every partition's committed offset has gone beyond
// what it is now.
func (l *lab) untilMoved(limit time.Duration) {
	l.t.Helper()
	before := l.watch.committed()
	l.eventually("every partition advances", limit, func(context.Context) error {
		for p, at := range l.watch.committed() {
			if at <= before[p] {
				return fmt.Errorf("partition %d stays at %d", p, at)
			}
		}
		if len(before) < l.partitions {
			return errors.New("not every partition has a commit")
		}
		return nil
	})
}

// wait lets things happen for a time.
func (l *lab) wait(d time.Duration) {
	select {
	case <-time.After(d):
	case <-l.t.Context().Done():
	}
}

// between draws a time.
func (l *lab) between(least, most time.Duration) time.Duration {
	return least + time.Duration(l.rng.Int64N(int64(most-least)))
}
