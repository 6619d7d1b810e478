package store

import (
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"time"

	"headway/query"
)

// Config says where the database is and how far a question may go.
type Config struct {
	Addr     string // native protocol, host:port
	User     string
	Password string
	Database string // must not be "default": the embedded engine takes unknown tables there for files
	TLS      bool
	// Cluster is the name of a cluster in the server's remote_servers; empty
	// for a single node.
	Cluster string
	// Retention is how long rows and rejects are kept, whole days; 0 means
	// 90 days.
	Retention time.Duration
	// Limits bound every question; zero values mean the defaults.
	Limits Limits
	// DialTimeout bounds connecting; 0 means 5 s.
	DialTimeout time.Duration
	// InsertTimeout bounds one insert; then its outcome is looked up and it is
	// tried again. 0 means 90 s.
	InsertTimeout time.Duration
	// MaxConns bounds connections; 0 means 64.
	MaxConns int
	// Quantile returns the q-quantile of values of which some are censored,
	// in micro-units, false where it lies in the mass that was never
	// observed. Breakdown needs it; without it groups and baselines with
	// censored rows have no percentiles, and the answer says so.
	Quantile func(w query.Waits, q float64) (micros float64, ok bool)
	// Principal names who asks, for the server's query log; nil means
	// nobody.
	Principal func(context.Context) string
	// Version of the program, as the server's query log shows it.
	Version string
	// Now is the clock for migrations and open buckets; nil means time.Now.
	Now func() time.Time
}

// Limits bound one question on the server.
type Limits struct {
	Time      time.Duration // max_execution_time; 0 means 30 s
	Rows      int64         // max_rows_to_read; 0 means 500 million
	MemoryMiB int64         // max_memory_usage; 0 means 4,096
	Values    int64         // max_result_rows: what one statement may send to this process; 0 means 5 million
}

// Defaults of Config.
const (
	DefaultRetention = 90 * day
	defaultTime      = 30 * time.Second
	defaultRows      = 500_000_000
	defaultMemoryMiB = 4096
	defaultSent      = 5_000_000
	defaultDial      = 5 * time.Second
	defaultInsert    = 90 * time.Second
	defaultConns     = 64
)

const day = 24 * time.Hour

// plainName is what database and cluster names may be: they become part of
// statements.
var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)

func (c Config) withDefaults() (Config, error) {
	if _, _, err := net.SplitHostPort(c.Addr); err != nil {
		return c, fmt.Errorf("ClickHouse address %q: write host:port of the native protocol, for example 127.0.0.1:9000", c.Addr)
	}
	switch {
	case !plainName.MatchString(c.Database) || c.Database == "default":
		return c, fmt.Errorf("ClickHouse database %q: use letters, digits and _, and not the name default", c.Database)
	case c.Cluster != "" && !plainName.MatchString(c.Cluster):
		return c, fmt.Errorf("ClickHouse cluster %q: use letters, digits and _", c.Cluster)
	case c.Retention < 0 || c.Retention%day != 0:
		return c, fmt.Errorf("retention %s: use whole days, for example 2160h for 90 days", c.Retention)
	case c.Limits.Time < 0 || c.Limits.Rows < 0 || c.Limits.MemoryMiB < 0 || c.Limits.Values < 0 || c.DialTimeout < 0 || c.InsertTimeout < 0 || c.MaxConns < 0:
		return c, errors.New("ClickHouse limits: use 0 for the default, or more")
	}
	or(&c.Retention, DefaultRetention)
	or(&c.Limits.Time, defaultTime)
	or(&c.Limits.Rows, defaultRows)
	or(&c.Limits.MemoryMiB, defaultMemoryMiB)
	or(&c.Limits.Values, defaultSent)
	or(&c.DialTimeout, defaultDial)
	or(&c.InsertTimeout, defaultInsert)
	or(&c.MaxConns, defaultConns)
	if c.Principal == nil {
		c.Principal = func(context.Context) string { return "" }
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return c, nil
}

// or replaces a zero value by its default.
func or[T comparable](v *T, fallback T) {
	var zero T
	if *v == zero {
		*v = fallback
	}
}
