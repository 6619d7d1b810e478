package chaos

import (
	"os"
	"strconv"
	"sync"
	"testing"
	"time"
)

// setting reads a number from the environment.
func setting(t *testing.T, name string, fallback uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return fallback
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s=%q: give a whole number", name, text)
	}
	return n
}

// begin returns the seed of a test and the ledger that it ends with. The seed
// decides what is done and when; how the processes then race is theirs.
func begin(t *testing.T) (uint64, *ledger) {
	t.Helper()
	seed, g, began := setting(t, "CHAOS_SEED", uint64(time.Now().UnixNano())), &ledger{}, time.Now()
	t.Logf("CHAOS_SEED=%d", seed)
	t.Cleanup(func() { t.Logf("%s", g.table(brokerName, seed, time.Since(began))) })
	return seed, g
}

// atOnce is how many scenarios share the two cores of a small machine: they
// mostly wait.
const atOnce = 6

// TestScenarios runs every scenario that leaves ClickHouse and broker alone,
// on one of each.
func TestScenarios(t *testing.T) {
	t.Parallel()
	seed, g := begin(t)
	w := newWorld(t, seed, g)
	free := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	for _, s := range []struct {
		name       string
		partitions int
		run        func(*lab)
	}{
		// The longest first.
		{"stop", 4, stopping},
		{"members-come-and-go", 6, membersComeAndGo},
		{"zombie", 4, zombie},
		{"network-to-broker", 4, networkToBroker},
		{"late-insert", 2, lateInsert},
		{"frozen-partition", 2, frozenPartition},
		{"dies-joining", 6, diesJoining},
		{"network-to-clickhouse", 4, networkToClickHouse},
		{"commits-lost", 2, commitsLost},
		{"insert-answers-lost", 2, insertAnswersLost},
		{"days-150", 1, manyDays},
		{"idle-partitions", 6, idlePartitions},
	} {
		free <- struct{}{}
		all.Go(func() {
			defer func() { <-free }()
			t.Run(s.name, func(t *testing.T) { w.scenario(t, s.name, s.partitions, s.run) })
		})
	}
	all.Wait()
}

// TestStorm kills, freezes and cuts off everything at random. CHAOS_MINUTES
// and CHAOS_KILLS say for how long, and with how many kills at least; without
// them it is one short round.
func TestStorm(t *testing.T) {
	t.Parallel()
	seed, g := begin(t)
	minutes, kills := setting(t, "CHAOS_MINUTES", 0), int64(setting(t, "CHAOS_KILLS", 0))
	w := newWorld(t, seed, g)
	end := time.Now().Add(time.Duration(minutes) * time.Minute)
	done := int64(0)
	for round := 1; round == 1 || !t.Failed() && (time.Now().Before(end) || done < kills); round++ {
		name := "storm-" + strconv.Itoa(round)
		t.Run(name, func(t *testing.T) {
			w.scenario(t, name, 6, func(l *lab) {
				storm(l)
				done += l.tally.kills()
			})
		})
	}
}
