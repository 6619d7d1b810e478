package store_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"headway/classify"
	"headway/query"
	"headway/schema"
	"headway/store"
)

// sinkError is what ingestion asks of an error.
type sinkError interface {
	error
	Retryable() bool
	OperatorFault() (remedy string, ok bool)
	BadRows() (offsets []int64, ok bool)
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func TestErrorsNameTheRemedy(t *testing.T) {
	t.Parallel()
	_, ready := migrated(t)
	change := func(with func(*store.Config)) store.Config {
		cfg := ready
		with(&cfg)
		return cfg
	}
	_, narrow := migrated(t)
	do(t, admin(t, narrow), "ALTER TABLE requests DROP COLUMN stage")
	cases := []struct {
		name     string
		cfg      store.Config
		operator bool
		text     string
		pings    bool
	}{
		{"unreachable", change(func(c *store.Config) { c.Addr = freePort(t) }), false, "check that ClickHouse runs", false},
		{"HTTP port", change(func(c *store.Config) { c.Addr = strings.TrimPrefix(shared.HTTPURL(), "http://") }), false, "", false},
		{"wrong password", change(func(c *store.Config) { c.Password = "guess" }), true, "clickhouse.user and its password", false},
		{"database not there", change(func(c *store.Config) { c.Database = "headway_absent" }), true, "run `headway migrate`", false},
		{"missing column", narrow, true, "run `headway migrate`", true},
		{"TLS to a plain port", change(func(c *store.Config) { c.TLS = true }), false, "", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := open(t, c.cfg)
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			if err := s.Ping(ctx); (err == nil) != c.pings || err != nil && !strings.Contains(err.Error(), c.text) {
				t.Errorf("ping: %v", err)
			}
			r := row(1)
			err := s.Land(ctx, rangeOf([]classify.Row{r}), store.BlockOf([]classify.Row{r}), nil, false)
			var se sinkError
			if !errors.As(err, &se) {
				t.Fatalf("land: %v; want an error that says what to do", err)
			}
			remedy, operator := se.OperatorFault()
			if operator != c.operator || se.Retryable() == c.operator || operator && !strings.Contains(remedy, c.text) {
				t.Errorf("land: operator %v, retryable %v: %v", operator, se.Retryable(), err)
			}
			if _, bad := se.BadRows(); bad || strings.Contains(err.Error(), "guess") || c.cfg.Password != "" && strings.Contains(err.Error(), c.cfg.Password) {
				t.Errorf("land: %v: bad rows %v, or the password is told", err, bad)
			}
		})
	}
}

func TestMissingTable(t *testing.T) {
	t.Parallel()
	s, cfg := migrated(t)
	do(t, admin(t, cfg), "DROP TABLE rejects")
	var e *store.Error
	if err := s.Ping(t.Context()); !errors.As(err, &e) || !strings.Contains(err.Error(), "headway migrate") {
		t.Errorf("ping: %v", err)
	}
	if _, ok := e.OperatorFault(); !ok {
		t.Errorf("%v is no operator fault", e)
	}
}

func TestBadRowsAreNamed(t *testing.T) {
	t.Parallel()
	s, cfg := migrated(t)
	rs := rowsAt(3)
	rs[1].Record.CreatedAt = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)
	err := s.Land(t.Context(), rangeOf(rs), store.BlockOf(rs), nil, false)
	var se sinkError
	if !errors.As(err, &se) {
		t.Fatal(err)
	}
	if bad, ok := se.BadRows(); !ok || len(bad) != 1 || bad[0] != 1 || se.Retryable() {
		t.Errorf("bad rows %v %v", bad, ok)
	}
	if n := ask[uint64](t, admin(t, cfg), "SELECT count() FROM requests"); n != 0 {
		t.Errorf("%d rows landed", n)
	}
	if err := s.Land(t.Context(), schema.Range{Topic: "other"}, store.BlockOf(rs[:1]), nil, false); err == nil || !strings.Contains(err.Error(), "not of this range") {
		t.Errorf("foreign row: %v", err)
	}
}

func rowsAt(n int) []classify.Row {
	out := make([]classify.Row, n)
	for i := range out {
		out[i] = row(int64(i))
	}
	return out
}

// TestRefusedByConstraint lets the server refuse a block's values.
func TestRefusedByConstraint(t *testing.T) {
	t.Parallel()
	s, cfg := migrated(t)
	do(t, admin(t, cfg), "ALTER TABLE requests ADD CONSTRAINT positive CHECK offset < 2")
	rs := rowsAt(3)
	err := s.Land(t.Context(), rangeOf(rs), store.BlockOf(rs), nil, false)
	var se sinkError
	if !errors.As(err, &se) {
		t.Fatal(err)
	}
	if bad, ok := se.BadRows(); !ok || len(bad) != 0 || se.Retryable() {
		t.Errorf("bad rows %v %v, retryable %v: %v", bad, ok, se.Retryable(), err)
	}
}

func TestConfigErrors(t *testing.T) {
	t.Parallel()
	for name, with := range map[string]func(*store.Config){
		"host:port":         func(c *store.Config) { c.Addr = "localhost" },
		"letters, digits":   func(c *store.Config) { c.Database = "a; DROP" },
		"not the name":      func(c *store.Config) { c.Database = "default" },
		"cluster":           func(c *store.Config) { c.Cluster = "a'b" },
		"whole days":        func(c *store.Config) { c.Retention = time.Hour },
		"0 for the default": func(c *store.Config) { c.Limits.Rows = -1 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := store.Config{Addr: "127.0.0.1:9000", Database: "headway"}
			with(&cfg)
			if _, err := store.Open(cfg); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("error %v, want %q", err, name)
			}
		})
	}
}

// hour is the scope that the tests' rows begin in.
func hour() query.Scope {
	return query.Scope{Window: query.Window{From: base, To: base.Add(time.Hour)}}
}
