package engine_test

import (
	"net"
	"strconv"
	"testing"

	"headway/engine"
)

func TestInsertsAreSynced(t *testing.T) {
	t.Parallel()
	syncs := func(c *engine.ClickHouse) int {
		n, err := strconv.Atoi(query(t, c, "SELECT sum(value) FROM system.events WHERE event IN ('FileSync', 'DirectorySync')"))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for name, noFsync := range map[string]bool{"by default": false, "not when turned off": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := start(t, engine.Options{NoFsync: noFsync})
			query(t, c, "CREATE DATABASE headway")
			query(t, c, "CREATE TABLE headway.t (x Int64) ENGINE = MergeTree ORDER BY x")
			before := syncs(c)
			for range 10 {
				query(t, c, "INSERT INTO headway.t SELECT 1")
			}
			if n := syncs(c) - before; noFsync && n != 0 || !noFsync && n < 20 {
				t.Errorf("%d syncs for 10 inserts with NoFsync %v", n, noFsync)
			}
		})
	}
}

func TestMemoryLimit(t *testing.T) {
	t.Parallel()
	c := start(t, engine.Options{MaxMemory: 600 << 20})
	if got := query(t, c, "SELECT value FROM system.server_settings WHERE name = 'max_server_memory_usage'"); got != strconv.Itoa(600<<20) {
		t.Errorf("limit is %s", got)
	}
	status, body := run(t, c, c.User(), c.Password(), "SELECT length(groupArray(number)) FROM numbers(200000000)")
	if status == 200 {
		t.Errorf("a query of 1.6 GB was let through: %s", body)
	}
}

func TestTwoEnginesAreACluster(t *testing.T) {
	t.Parallel()
	second := start(t, engine.Options{Macros: map[string]string{"shard": "2"}})
	shards := []engine.Shard{{Host: "127.0.0.1", Port: second.TCPPort(), User: second.User(), Password: second.Password()}}
	// The first must know its own port and password beforehand: a first run
	// makes them.
	dir := t.TempDir()
	once := start(t, engine.Options{DataDir: dir})
	if err := once.Close(); err != nil {
		t.Fatal(err)
	}
	shards = append([]engine.Shard{{Host: "127.0.0.1", Port: once.TCPPort(), User: once.User(), Password: once.Password()}}, shards...)
	first := start(t, engine.Options{DataDir: dir, TCPPort: once.TCPPort(), HTTPPort: once.HTTPPort(),
		Macros: map[string]string{"shard": "1"}, Clusters: []engine.Cluster{{Name: "pair", Shards: shards}}})

	for _, c := range []*engine.ClickHouse{first, second} {
		query(t, c, "CREATE DATABASE headway")
		query(t, c, "CREATE TABLE headway.part (x Int64, shard String DEFAULT getMacro('shard')) ENGINE = MergeTree ORDER BY x")
	}
	query(t, first, "CREATE TABLE headway.whole (x Int64, shard String) ENGINE = Distributed('pair', 'headway', 'part', x)")
	query(t, first, "INSERT INTO headway.whole (x) SELECT number FROM numbers(1000) SETTINGS distributed_foreground_insert = 1")
	if got := query(t, first, "SELECT count(), sum(x) FROM headway.whole"); got != "1000\t499500" {
		t.Errorf("the whole has %q", got)
	}
	for i, c := range []*engine.ClickHouse{first, second} {
		if got := query(t, c, "SELECT count(), min(x % 2), max(x % 2) FROM headway.part"); got != "500\t"+strconv.Itoa(i)+"\t"+strconv.Itoa(i) {
			t.Errorf("shard %d has %q", i+1, got)
		}
	}
	if got := query(t, first, "SELECT count() FROM clusterAllReplicas('pair', headway.part)"); got != "1000" {
		t.Errorf("clusterAllReplicas counts %s", got)
	}
}

func TestListensWhereAsked(t *testing.T) {
	t.Parallel()
	c := start(t, engine.Options{Listen: "127.0.0.3"})
	host, _, err := net.SplitHostPort(c.NativeAddr())
	if err != nil || host != "127.0.0.3" {
		t.Errorf("listens on %s, %v", c.NativeAddr(), err)
	}
	query(t, c, "SELECT 1")
}
