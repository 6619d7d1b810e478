package engine_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"headway/engine"
)

// mustEnd fails the test unless a process ends very soon. One that waits to be
// collected has ended.
func mustEnd(t *testing.T, pid int) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); <-tick.C {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil || strings.Contains(string(status), "State:\tZ") {
			return
		}
	}
	t.Errorf("process %d goes on", pid)
}

func TestDataSurvivesCloseAndCrash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := start(t, engine.Options{DataDir: dir})
	native, web, password, pid := c.NativeAddr(), c.HTTPURL(), c.Password(), c.PID()
	query(t, c, "CREATE DATABASE headway")
	query(t, c, "CREATE TABLE headway.t (x Int64) ENGINE = MergeTree ORDER BY x")
	query(t, c, "INSERT INTO headway.t SELECT number FROM numbers(1000)")

	for crash := 1; crash <= 2; crash++ {
		query(t, c, "INSERT INTO headway.t SELECT 1")
		c.Kill()
		if err := c.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got, want := query(t, c, "SELECT count() FROM headway.t"), strconv.Itoa(1000+crash); got != want {
			t.Errorf("%s rows after crash %d, want %s", got, crash, want)
		}
		if c.Restarts() != crash || c.PID() == pid || c.NativeAddr() != native || c.HTTPURL() != web {
			t.Errorf("restarts %d, pid %d, %s, %s", c.Restarts(), c.PID(), c.NativeAddr(), c.HTTPURL())
		}
	}
	last := c.PID()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	mustEnd(t, pid)
	mustEnd(t, last)

	again := start(t, engine.Options{DataDir: dir, TCPPort: c.TCPPort(), HTTPPort: c.HTTPPort()})
	if again.NativeAddr() != native || again.HTTPURL() != web || again.Password() != password {
		t.Errorf("%s, %s or the password has changed", again.NativeAddr(), again.HTTPURL())
	}
	if got := query(t, again, "SELECT count() FROM headway.t"); got != "1002" {
		t.Errorf("%s rows after the end, want 1002", got)
	}
}

func TestDeathWithoutRestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := engine.Options{DataDir: dir, NoRestart: true, Logger: slog.New(slog.NewTextHandler(testWriter{t}, nil))}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c, err := engine.StartClickHouse(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	c.Kill()
	select {
	case <-c.Done():
	case <-ctx.Done():
		t.Fatal("Done is not closed after the death")
	}
	if err := c.Err(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("Err is %v", err)
	}
	if err := c.Ready(ctx); err == nil {
		t.Error("a dead database is ready")
	}
	if err := c.Close(); err == nil {
		t.Error("Close does not tell of the death")
	}
	o.TCPPort, o.HTTPPort = c.TCPPort(), c.HTTPPort()
	start(t, o)
}

func TestTemporaryDirectoryGoesWithClose(t *testing.T) {
	t.Parallel()
	c := start(t, engine.Options{})
	link, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", c.PID()))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(link); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", link, err)
	}
	if err := c.Close(); err != nil {
		t.Errorf("closed again: %v", err)
	}
}

func TestCloseDuringQuery(t *testing.T) {
	t.Parallel()
	c := start(t, engine.Options{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		longQuery(c.HTTPURL(), c.Password())
	}()
	awaitRunning(t, c.HTTPURL(), c.Password())
	began := time.Now()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if d := time.Since(began); d > 15*time.Second {
		t.Errorf("Close took %s", d)
	}
	<-ended
}

// longQuery keeps the engine busy for minutes unless it is ended.
func longQuery(base, password string) {
	q := url.QueryEscape("SELECT sum(cityHash64(number)) FROM numbers(1000000000000)")
	req, err := http.NewRequest(http.MethodGet, base+"/?query="+q, nil)
	if err != nil {
		return
	}
	req.SetBasicAuth(engine.User, password)
	if resp, err := http.DefaultClient.Do(req); err == nil {
		resp.Body.Close()
	}
}

// awaitRunning returns when the long query is seen running.
func awaitRunning(t *testing.T, base, password string) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		_, n := send(t, base, engine.User, password, "SELECT count() FROM system.processes WHERE query LIKE 'SELECT sum(cityHash64%'")
		if n == "1" {
			return
		}
	}
	t.Fatal("the long query does not run")
}

// parent starts a process of its own that runs a database or a broker, and
// returns it with the pid and the address that it tells.
func parent(t *testing.T, role, dir string, env ...string) (cmd *exec.Cmd, pid int, addr string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command(self, dir)
	cmd.Env = append(os.Environ(), parentVariable+"="+role, "HEADWAY_TEST_SECRET=in-no-child")
	cmd.Env = append(cmd.Env, env...)
	cmd.Stderr = testWriter{t}
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil && err != io.EOF {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(line, &pid, &addr); err != nil {
		t.Fatalf("the process said %q: %v", line, err)
	}
	return cmd, pid, addr
}

func TestEngineEndsWhenItsParentIsKilled(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		env  []string
		busy bool
	}{
		{"idle library", nil, false},
		{"busy library", nil, true},
		{"installed server", []string{"PATH=" + installedServer(t).Path}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			cmd, pid, addr := parent(t, "database", dir, tt.env...)
			password, err := os.ReadFile(dir + "/password")
			if err != nil {
				t.Fatal(err)
			}
			if tt.busy {
				secret := strings.TrimSpace(string(password))
				go longQuery(addr, secret)
				awaitRunning(t, addr, secret)
			}
			environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
			if err != nil || strings.Contains(string(environment), "in-no-child") {
				t.Errorf("the engine has its parent's environment, or: %v", err)
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			// Starting waits for the lock, which the old engine holds to its end.
			start(t, engine.Options{DataDir: dir})
			mustEnd(t, pid)
		})
	}
}

// insertForever inserts one number after another, also while the engine is
// down, and sends each that was acknowledged, and 0 for one that was not.
func insertForever(ctx context.Context, c *engine.ClickHouse, to chan<- int) {
	defer close(to)
	for i := 1; c.Ready(ctx) == nil; i++ {
		body := strings.NewReader(fmt.Sprintf("INSERT INTO headway.t VALUES (%d)", i))
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.HTTPURL(), body)
		if err != nil {
			return
		}
		req.SetBasicAuth(c.User(), c.Password())
		n := 0
		if resp, err := http.DefaultClient.Do(req); err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				n = i
			}
		}
		select {
		case to <- n:
		case <-ctx.Done():
			return
		}
	}
}

// What was acknowledged must be there after any number of crashes, once.
func TestAcknowledgedInsertsSurviveCrashes(t *testing.T) {
	t.Parallel()
	const crashes, between = 3, 20
	c := start(t, engine.Options{})
	query(t, c, "CREATE DATABASE headway")
	query(t, c, "CREATE TABLE headway.t (x Int64) ENGINE = MergeTree ORDER BY x")
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	inserts := make(chan int)
	go insertForever(ctx, c, inserts)
	var acknowledged []string
	failed := 0
	for n := range inserts {
		if n == 0 {
			failed++
			continue
		}
		acknowledged = append(acknowledged, strconv.Itoa(n))
		if len(acknowledged) == (crashes+1)*between {
			break
		}
		if len(acknowledged)%between == 0 {
			// The next insert is on its way while the engine dies.
			go c.Kill()
		}
	}
	stop()
	if err := c.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c.Restarts() != crashes || failed == 0 {
		t.Errorf("%d restarts and %d failed inserts: the crashes did not hit", c.Restarts(), failed)
	}
	got := query(t, c, "SELECT countIf(x IN ("+strings.Join(acknowledged, ",")+")), count() - uniqExact(x) FROM headway.t")
	if want := strconv.Itoa(len(acknowledged)) + "\t0"; got != want {
		t.Errorf("acknowledged rows and doubled rows: %q, want %q", got, want)
	}
}
