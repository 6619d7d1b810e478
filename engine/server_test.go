package engine_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"headway/engine"
)

// actAsServer answers to the command line of an installed ClickHouse server:
// "server --version" and "server --config-file=FILE". What serves is libchdb,
// with the very configuration file that the server was given, so everything
// about finding, guarding and ending a server is real; that a packaged server
// takes the configuration as it is can't be seen from this.
func actAsServer(args []string) int {
	if len(args) != 2 || args[0] != "server" {
		fmt.Fprintln(os.Stderr, "unexpected arguments", args)
		return 2
	}
	if args[1] == "--version" {
		fmt.Println("ClickHouse server version 26.7.2.1 (official build).")
		return 0
	}
	config, found := strings.CutPrefix(args[1], "--config-file=")
	if !found || os.Getenv("CLICKHOUSE_WATCHDOG_ENABLE") != "0" {
		fmt.Fprintln(os.Stderr, "unexpected arguments or environment", args)
		return 2
	}
	if err := engine.HostLibraryForever(filepath.Join(filepath.Dir(os.Args[0]), "libchdb.so"), config, filepath.Join(filepath.Dir(config), "start.sql")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// installedServer makes the test binary a program named clickhouse.
func installedServer(t *testing.T) *engine.Search {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	library, err := engine.DefaultSearch(os.Getenv).Locate()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := errors.Join(os.Symlink(self, filepath.Join(dir, "clickhouse")), os.Symlink(library.Path, filepath.Join(dir, "libchdb.so"))); err != nil {
		t.Fatal(err)
	}
	return &engine.Search{Path: dir}
}

func TestInstalledServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := start(t, engine.Options{DataDir: dir, Search: installedServer(t)})
	if got := c.Located(); got.Kind != engine.Program || got.From != "PATH" {
		t.Fatalf("runs %+v", got)
	}
	query(t, c, "CREATE DATABASE headway")
	query(t, c, "CREATE TABLE headway.t (x Int64) ENGINE = MergeTree ORDER BY x AS SELECT number FROM numbers(10)")
	if status, _ := run(t, c, engine.User, "wrong", "SELECT 1"); status == http.StatusOK {
		t.Error("a wrong password was let in")
	}
	first := c.PID()
	c.Kill()
	if err := c.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := query(t, c, "SELECT count() FROM headway.t"); got != "10" {
		t.Errorf("%s rows after the restart, want 10", got)
	}
	second := c.PID()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	for _, pid := range []int{first, second} {
		mustEnd(t, pid)
	}
}

func TestInstalledServerEndsWithItsGuard(t *testing.T) {
	t.Parallel()
	c := start(t, engine.Options{Search: installedServer(t)})
	server := c.PID()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", server))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "PPid:")
	var guard int
	if _, err := fmt.Sscan(rest, &guard); err != nil || guard == os.Getpid() {
		t.Fatalf("the server's parent is %d, %v", guard, err)
	}
	if err := syscall.Kill(guard, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	mustEnd(t, server)
	if err := c.AwaitRestart(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	query(t, c, "SELECT 1")
}
