package engine_test

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"headway/engine"
)

// login sends a native hello packet and returns the server's first answer.
func login(t *testing.T, addr, user, password, database string) string {
	t.Helper()
	c, err := net.DialTimeout("tcp", addr, 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Write(helloPacket(user, password, database)); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, 4096)
	n, err := c.Read(answer)
	if err != nil && err != io.EOF {
		t.Fatal(err)
	}
	return string(answer[:n])
}

func helloPacket(user, password, database string) []byte {
	text := func(b []byte, s string) []byte { return append(binary.AppendUvarint(b, uint64(len(s))), s...) }
	b := text([]byte{0}, "engine test")
	for _, n := range []uint64{1, 1, 54460} {
		b = binary.AppendUvarint(b, n)
	}
	return text(text(text(b, database), user), password)
}

// refusal matches the errors with which a login is refused, as against those
// of a user who may not do something.
var refusal = regexp.MustCompile(`AUTHENTICATION_FAILED|REQUIRED_PASSWORD|USER_SESSION_LIMIT_EXCEEDED`)

func TestStrangerGetsNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := start(t, engine.Options{DataDir: dir})
	query(t, c, "CREATE DATABASE headway")
	query(t, c, "CREATE TABLE headway.t (x Int64) ENGINE = MergeTree ORDER BY x AS SELECT 1")
	statements := []string{
		"SELECT 1", "SELECT * FROM headway.t", "INSERT INTO headway.t VALUES (2)", "DROP TABLE headway.t",
		"SELECT * FROM file('/etc/passwd', LineAsString)", "SELECT * FROM url('http://127.0.0.1/', LineAsString)",
		"SELECT * FROM system.tables", "SELECT * FROM system.processes", "SHOW DATABASES", "SHOW GRANTS",
		"KILL QUERY WHERE 1", "SYSTEM SHUTDOWN", "SYSTEM STOP LISTEN TCP", "SYSTEM START LISTEN MYSQL", "CREATE USER x",
		"SELECT getServerSetting('tcp_port')",
	}
	strangers := []struct{ name, user, password string }{
		{"nobody", "", ""}, {"default", "default", ""}, {"default with the password", "default", c.Password()},
		{"wrong password", engine.User, "wrong"}, {"no password", engine.User, ""}, {"unknown user", "root", ""},
	}
	for _, s := range strangers {
		t.Run(s.name, func(t *testing.T) {
			for _, statement := range statements {
				status, body := run(t, c, s.user, s.password, statement)
				if status < 400 || !refusal.MatchString(body) {
					t.Errorf("%s: status %d: %s", statement, status, body)
				}
			}
			if answer := login(t, c.NativeAddr(), s.user, s.password, ""); !strings.Contains(answer, "AUTHENTICATION_FAILED") {
				t.Errorf("native login: %q", answer)
			}
		})
	}
	if got := query(t, c, "SELECT sum(x), count() FROM headway.t"); got != "1\t1" {
		t.Errorf("rows after the strangers: %s", got)
	}
	if n := c.Restarts(); n != 0 {
		t.Errorf("the strangers made the engine restart %d times", n)
	}
}

func TestNativeLogin(t *testing.T) {
	t.Parallel()
	c := start(t, engine.Options{})
	query(t, c, "CREATE DATABASE headway")
	tests := []struct{ name, database, want string }{
		{"no database", "", "\x00\nClickHouse"},
		{"database", "headway", "\x00\nClickHouse"},
		{"database that does not exist", "headway_none", "UNKNOWN_DATABASE"},
		{"database of another kind", "a`b", "UNKNOWN_DATABASE"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for range 5 {
				if answer := login(t, c.NativeAddr(), c.User(), c.Password(), tt.database); !strings.Contains(answer, tt.want) {
					t.Errorf("answer %q, want %q", answer, tt.want)
				}
			}
		})
	}
	t.Run("HTTP on the native port", func(t *testing.T) {
		resp, err := http.Get("http://" + c.NativeAddr())
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if want := fmt.Sprintf("HTTP is on port %d", c.HTTPPort()); err != nil || !strings.Contains(string(body), want) {
			t.Errorf("answer %q, %v; want %q", body, err, want)
		}
	})
	if n := c.Restarts(); n != 0 {
		t.Errorf("the engine restarted %d times", n)
	}
}

// Behind the gate is the library's own listener, on a port of the loopback
// that any local process can find. A wrong password there ends the engine:
// this is about what that costs.
func TestWrongPasswordBehindTheGateCostsARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := start(t, engine.Options{DataDir: dir})
	query(t, c, "CREATE DATABASE headway")
	query(t, c, "CREATE TABLE headway.t (x Int64) ENGINE = MergeTree ORDER BY x AS SELECT number FROM numbers(1000)")
	config, err := os.ReadFile(filepath.Join(dir, "config.xml"))
	if err != nil {
		t.Fatal(err)
	}
	port := regexp.MustCompile(`<tcp_port>(\d+)</tcp_port>`).FindSubmatch(config)
	if answer := login(t, "127.0.0.1:"+string(port[1]), engine.User, "wrong", ""); !strings.Contains(answer, "Authentication failed") {
		t.Errorf("answer %q", answer)
	}
	if err := c.AwaitRestart(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if got := query(t, c, "SELECT count() FROM headway.t"); got != "1000" {
		t.Errorf("%s rows after the restart, want 1000", got)
	}
}

func TestWorkingUserMay(t *testing.T) {
	t.Parallel()
	c := start(t, engine.Options{})
	for _, statement := range []string{
		"CREATE DATABASE headway", "CREATE DATABASE headway_test_1",
		"CREATE TABLE headway.t (x Int64, at DateTime64(3), PROJECTION p (SELECT x, count() GROUP BY x)) ENGINE = MergeTree ORDER BY x TTL toDateTime(at) + INTERVAL 90 DAY",
		"CREATE TABLE headway.r (x Int64) ENGINE = ReplacingMergeTree ORDER BY x",
		"CREATE TABLE headway.a (x Int64, q AggregateFunction(quantileTDigest, Float64)) ENGINE = AggregatingMergeTree ORDER BY x",
		"CREATE TABLE headway.s (x Int64, n UInt64) ENGINE = SummingMergeTree ORDER BY x",
		"CREATE TABLE headway.m (x Int64) ENGINE = Memory", "CREATE TABLE headway.n (x Int64) ENGINE = Null",
		"CREATE VIEW headway.v AS SELECT x FROM headway.t",
		"CREATE MATERIALIZED VIEW headway.mv TO headway.s AS SELECT x, toUInt64(1) AS n FROM headway.t",
		"CREATE TEMPORARY TABLE tmp (x Int64)",
		"INSERT INTO headway.t SELECT number, now64() FROM numbers(100)",
		"ALTER TABLE headway.t ADD COLUMN y Nullable(Float64)", "ALTER TABLE headway.t UPDATE y = 1 WHERE x = 1 SETTINGS mutations_sync = 1",
		"ALTER TABLE headway.t DELETE WHERE x = 2 SETTINGS mutations_sync = 1", "DELETE FROM headway.s WHERE x = 3",
		"ALTER TABLE headway.t MATERIALIZE PROJECTION p", "OPTIMIZE TABLE headway.t FINAL", "TRUNCATE TABLE headway.r",
		"RENAME TABLE headway.r TO headway.r2", "EXCHANGE TABLES headway.m AND headway.n",
		"SYSTEM STOP MERGES headway.t", "SYSTEM START MERGES headway.t", "SHOW CREATE TABLE headway.t", "DESCRIBE headway.t",
		"EXPLAIN indexes = 1 SELECT * FROM headway.t WHERE x = 1",
		"SELECT sum(rows), sum(bytes_on_disk) FROM system.parts WHERE database = 'headway' AND active",
		"SELECT * FROM system.columns WHERE database = 'headway'", "SELECT * FROM system.tables WHERE database = 'headway'",
		"SELECT * FROM system.mutations", "SELECT * FROM system.merges", "SELECT * FROM system.disks",
		"SELECT * FROM system.projection_parts", "SELECT * FROM system.metrics", "SELECT * FROM system.events",
		"SELECT * FROM system.settings", "SELECT query_id FROM system.processes",
		"SELECT * FROM system.server_settings", "SELECT * FROM system.merge_tree_settings", "SELECT * FROM system.parts_columns",
		"SELECT quantileExactInclusive(0.9)(x) FROM headway.t", "SELECT * FROM merge('headway', '^t$')",
		"DROP TABLE headway.t", "DROP DATABASE headway_test_1",
	} {
		if status, body := run(t, c, c.User(), c.Password(), statement); status != http.StatusOK {
			t.Errorf("%s: status %d: %s", statement, status, body)
		}
	}
}

func TestWorkingUserMayNot(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := start(t, engine.Options{DataDir: dir})
	query(t, c, "CREATE DATABASE headway")
	if err := os.WriteFile(filepath.Join(dir, "user_files", "a"), []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		"SELECT * FROM file('a', LineAsString)", "SELECT * FROM file('/etc/passwd', LineAsString)",
		"SELECT * FROM `/etc/passwd`", "SELECT * FROM default.`" + dir + "/password`", "SELECT file('a')",
		"INSERT INTO FUNCTION file('b', CSV, 'x Int64') VALUES (1)", "CREATE TABLE headway.f (x String) ENGINE = File(CSV, '/etc/passwd')",
		"SELECT * FROM url('http://127.0.0.1:1/', LineAsString)", "SELECT * FROM remote('127.0.0.1', system.one)",
		"SELECT * FROM executable('id', LineAsString, 'x String')", "SELECT * FROM s3('http://127.0.0.1:1/a')",
		"CREATE TABLE headway.u (x String) ENGINE = URL('http://127.0.0.1:1/')", "CREATE TABLE headway.k (x String) ENGINE = Kafka('a:1','b','c','CSV')",
		"SELECT 1 INTO OUTFILE '" + dir + "/out'", "BACKUP DATABASE headway TO File('" + dir + "/b')",
		"CREATE DATABASE other", "CREATE DATABASE headway_fs ENGINE = Filesystem('/etc')", "CREATE TABLE default.t (x Int64) ENGINE = Memory",
		"CREATE USER x", "GRANT SELECT ON *.* TO headway", "ALTER USER headway IDENTIFIED BY 'x'", "CREATE NAMED COLLECTION c AS a = 1",
		"CREATE FUNCTION f AS x -> x", "SYSTEM SHUTDOWN", "SYSTEM KILL", "SYSTEM RELOAD CONFIG", "SYSTEM STOP LISTEN TCP",
		"SELECT * FROM system.users", "SELECT * FROM system.named_collections", "SELECT * FROM system.text_log",
	} {
		status, body := run(t, c, c.User(), c.Password(), statement)
		if status == http.StatusOK {
			t.Errorf("%s: allowed: %.200s", statement, body)
		}
		if strings.Contains(body, "secret") || strings.Contains(body, "root:") || strings.Contains(body, c.Password()) {
			t.Errorf("%s: leaks: %.200s", statement, body)
		}
	}
	if n := c.Restarts(); n != 0 {
		t.Errorf("the engine restarted %d times", n)
	}
}

func TestDataDirectoryIsPrivate(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	c := start(t, engine.Options{DataDir: dir})
	for name, want := range map[string]os.FileMode{"": 0o700, "password": 0o600, "config.xml": 0o600, "users.xml": 0o600, "store": 0o700} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: mode %v, %v; want %v", name, info.Mode().Perm(), err, want)
		}
	}
	for _, name := range []string{"config.xml", "users.xml", "start.sql"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || strings.Contains(string(text), c.Password()) {
			t.Errorf("%s holds the password itself, or: %v", name, err)
		}
	}
	other := start(t, engine.Options{})
	if other.Password() == c.Password() {
		t.Error("two data directories have the same password")
	}
}
