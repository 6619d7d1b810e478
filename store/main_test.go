package store_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"headway/engine"
	"headway/internal/testkit/trap"
	"headway/store"
)

// shared is the one engine of this test binary; each test has a database of
// its own in it.
var shared struct {
	*engine.ClickHouse
	databases atomic.Int64
}

func TestMain(m *testing.M) {
	if engine.IsChild() {
		if err := trap.Arm(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(engine.ChildMain())
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, err := engine.StartClickHouse(ctx, engine.Options{NoFsync: true, Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		fmt.Fprintln(os.Stderr, "start the engine for the tests:", err)
		return 1
	}
	shared.ClickHouse = c
	code := m.Run()
	if err := c.Close(); err != nil {
		fmt.Fprintln(os.Stderr, "close the engine:", err)
		return 1
	}
	return code
}

// config is a store's configuration with a database that no other test has.
func config() store.Config {
	return store.Config{Addr: shared.NativeAddr(), User: shared.User(), Password: shared.Password(),
		Database: fmt.Sprintf("%s_test_%d", shared.Database(), shared.databases.Add(1)), Retention: 3650 * 24 * time.Hour}
}

// open opens a store that the test closes.
func open(t testing.TB, cfg store.Config) *store.Store {
	t.Helper()
	s, err := store.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

// migrated opens a store on a new database with all tables.
func migrated(t testing.TB) (*store.Store, store.Config) {
	t.Helper()
	cfg := config()
	s := open(t, cfg)
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s, cfg
}
