package store_test

import (
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"headway/store"
)

// admin is a connection beside the store, for what the store never does.
func admin(t testing.TB, cfg store.Config) driver.Conn {
	t.Helper()
	conn, err := clickhouse.Open(&clickhouse.Options{Addr: []string{cfg.Addr},
		Auth: clickhouse.Auth{Database: cfg.Database, Username: cfg.User, Password: cfg.Password}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// ask returns the one value of a query.
func ask[T any](t testing.TB, conn driver.Conn, text string) T {
	t.Helper()
	var v T
	if err := conn.QueryRow(t.Context(), text).Scan(&v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// do runs a statement.
func do(t testing.TB, conn driver.Conn, text string) {
	t.Helper()
	if err := conn.Exec(t.Context(), text); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}
