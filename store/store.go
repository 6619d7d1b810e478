// Package store is the only package that speaks ClickHouse: migrations, the
// batch writer, the SQL files, the planner that picks the smallest table. It
// reads no Kafka, judges no record, and computes no statistic that needs
// censored rows: those it hands out as values.
package store

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"headway/schema"
)

// Store answers the questions of package query from one ClickHouse database,
// and lands batches in it. It is safe for concurrent use.
type Store struct {
	cfg  Config
	conn driver.Conn
	reg  *schema.Registry
	// sources tell the default metric of the rows that each adapter made.
	sources *schema.Sources

	writer *writer
}

// Open prepares a store; it connects to nothing, so that a process can start
// before its database. The error names the bad setting.
func Open(cfg Config) (*Store, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	conn, err := clickhouse.Open(cfg.options(cfg.Database))
	if err != nil {
		return nil, fmt.Errorf("preparing connections to ClickHouse at %s: %w", cfg.Addr, err)
	}
	s := &Store{cfg: cfg, conn: conn, reg: schema.NewRegistry(), sources: schema.NewSources()}
	s.writer = newWriter(cfg, s.fault)
	return s, nil
}

func (c Config) options(database string) *clickhouse.Options {
	o := &clickhouse.Options{
		Addr:        []string{c.Addr},
		Auth:        clickhouse.Auth{Database: database, Username: c.User, Password: c.Password},
		Compression: &clickhouse.Compression{Method: clickhouse.CompressionLZ4},
		Settings:    wholeSettings(),
		DialTimeout: c.DialTimeout,
		// The limit of a query is the server's max_execution_time; the
		// client only must not give up before it.
		ReadTimeout:     c.Limits.Time + time.Minute,
		MaxOpenConns:    c.MaxConns,
		MaxIdleConns:    c.MaxConns / 4,
		ConnMaxLifetime: time.Hour,
	}
	o.ClientInfo.Products = append(o.ClientInfo.Products, struct{ Name, Version string }{"headway", c.Version})
	o.TLS = c.tls()
	return o
}

func (c Config) tls() *tls.Config {
	if !c.TLS {
		return nil
	}
	return &tls.Config{MinVersion: tls.VersionTLS12}
}

// Ping reports whether questions can be answered and batches landed: it asks
// the server for the tables. The error is an *Error that names the remedy.
func (s *Store) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.DialTimeout)
	defer cancel()
	var n uint64
	err := s.conn.QueryRow(ctx, file("ping.sql").render(nil)).Scan(&n)
	if err == nil && n < uint64(len(tableNames())) {
		err = errMissingTables
	}
	return s.fault("asking for the tables", err)
}

// Close ends all connections.
func (s *Store) Close() error {
	s.writer.close()
	return s.conn.Close()
}

// errMissingTables is what Ping finds in a database that was never migrated.
var errMissingTables = errors.New("the database has not all of Headway's tables")

// tableNames are the tables that every question may need.
func tableNames() []string { return []string{"requests", "rejects", "losses", "schema_migrations"} }
