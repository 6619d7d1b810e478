package engine

import (
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// Options says how StartClickHouse runs the database. The zero value is a
// throw-away database on free ports of 127.0.0.1.
type Options struct {
	// DataDir keeps the data, the configuration and the password. Empty means
	// a temporary directory that Close removes.
	DataDir string

	// Listen is the host to listen on; empty means 127.0.0.1.
	Listen string

	// TCPPort and HTTPPort are the ports to listen on; 0 picks free ones,
	// which are then kept over every restart of this ClickHouse.
	TCPPort  int
	HTTPPort int

	// MaxMemory limits the whole server, in bytes; 0 means half of the
	// machine's memory.
	MaxMemory int64

	// NoFsync leaves it to the operating system when inserted parts reach the
	// disk. Without it an acknowledged insert survives a power loss.
	NoFsync bool

	// NoRestart leaves the database down when it dies unexpectedly; Done is
	// then closed and Err says why.
	NoRestart bool

	// Macros are the values that {name} stands for in the engine parameters
	// of a table, for example shard and replica.
	Macros map[string]string

	// Clusters are the clusters that Distributed tables may name.
	Clusters []Cluster

	// Grants are further rights of the working account, each a whole GRANT
	// statement without TO. Headway needs none; benchmarks of other ways in
	// do, such as "GRANT TABLE ENGINE ON Kafka".
	Grants []string

	// Search says where to look for the engine; nil means DefaultSearch.
	Search *Search

	// Logger gets one line for each change of state, and the engine's own
	// warnings; nil means slog.Default.
	Logger *slog.Logger

	// StartTimeout is how long the engine may take until it answers; 0 means
	// 60 s. Loading a large data directory counts.
	StartTimeout time.Duration

	// StopTimeout is how long Close waits for a clean end before it sends
	// SIGTERM, and then half as long again before SIGKILL; 0 means 20 s.
	StopTimeout time.Duration
}

// Cluster is a named set of shards, each with a single replica.
type Cluster struct {
	Name   string
	Shards []Shard
}

// Shard is the native address and account of one member of a cluster.
type Shard struct {
	Host     string
	Port     int
	User     string
	Password string
}

// xmlName is what may be the name of a macro or a cluster: both become element
// names of the configuration.
var xmlName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// withDefaults returns the options with every zero value replaced, or says
// which option is wrong and what it may be.
func (o Options) withDefaults() (Options, error) {
	if o.Listen == "" {
		o.Listen = "127.0.0.1"
	}
	if ip := net.ParseIP(o.Listen); ip == nil && o.Listen != "localhost" {
		return o, fmt.Errorf("engine listen host %q is not an IP address: give one such as 127.0.0.1", o.Listen)
	}
	if o.TCPPort < 0 || o.TCPPort > 65535 || o.HTTPPort < 0 || o.HTTPPort > 65535 {
		return o, fmt.Errorf("engine ports %d and %d: give 1 to 65535, or 0 for a free one", o.TCPPort, o.HTTPPort)
	}
	if o.TCPPort != 0 && o.TCPPort == o.HTTPPort {
		return o, fmt.Errorf("engine ports for TCP and HTTP are both %d: give two different ones", o.TCPPort)
	}
	if o.MaxMemory < 0 || o.MaxMemory > 0 && o.MaxMemory < minMemory {
		return o, fmt.Errorf("engine memory limit of %d bytes is too small: give at least %d, or 0 for half of the machine", o.MaxMemory, minMemory)
	}
	if err := o.checkNames(); err != nil {
		return o, err
	}
	if o.DataDir != "" {
		abs, err := filepath.Abs(o.DataDir)
		if err != nil {
			return o, fmt.Errorf("resolve engine data directory %q: %w", o.DataDir, err)
		}
		o.DataDir = abs
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Search == nil {
		s := DefaultSearch(os.Getenv)
		o.Search = &s
	}
	if o.StartTimeout <= 0 {
		o.StartTimeout = 60 * time.Second
	}
	if o.StopTimeout <= 0 {
		o.StopTimeout = 20 * time.Second
	}
	return o, nil
}

// minMemory is the least memory limit with which the engine starts and takes
// an insert of a hundred thousand rows.
const minMemory = 512 << 20

func (o Options) checkNames() error {
	for name := range o.Macros {
		if !xmlName.MatchString(name) {
			return fmt.Errorf("macro name %q: use letters, digits and _", name)
		}
	}
	for _, c := range o.Clusters {
		if !xmlName.MatchString(c.Name) {
			return fmt.Errorf("cluster name %q: use letters, digits and _", c.Name)
		}
		if len(c.Shards) == 0 {
			return fmt.Errorf("cluster %s has no shards: give at least one", c.Name)
		}
	}
	return nil
}
