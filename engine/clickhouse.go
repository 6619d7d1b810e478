package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"sync"
)

// ClickHouse is a running database: a supervised child process, and the two
// public ports that stay open over its restarts.
type ClickHouse struct {
	opts   Options
	found  Located
	layout *layout
	log    *slog.Logger
	native *gate
	http   *gate

	closing   chan struct{}
	closeOnce sync.Once
	done      chan struct{}

	mu       sync.Mutex
	current  *process
	ready    chan struct{} // closed while current serves
	version  string
	restarts int
	err      error
}

// StartClickHouse finds an engine, starts it as a child process and returns
// when it answers on both ports. The calling binary must have called IsChild
// first thing in its main. ctx limits the start alone; Close ends the engine.
//
// Errors wrap ErrNoEngine, ErrUnusable, ErrPortTaken or ErrDataDirInUse where
// one of these is the reason, and name the remedy.
func StartClickHouse(ctx context.Context, options Options) (*ClickHouse, error) {
	o, err := options.withDefaults()
	if err != nil {
		return nil, err
	}
	if IsChild() {
		return nil, errors.New("start an engine inside an engine's child: call engine.IsChild first in main or TestMain")
	}
	found, err := o.Search.Locate()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, o.StartTimeout, fmt.Errorf("not ready after %s", o.StartTimeout))
	defer cancel()
	l, err := prepare(ctx, o.DataDir)
	if err != nil {
		return nil, err
	}
	c := &ClickHouse{opts: o, found: found, layout: l, log: o.Logger, ready: make(chan struct{}),
		closing: make(chan struct{}), done: make(chan struct{})}
	if err := c.open(ctx); err != nil {
		return nil, errors.Join(err, l.release())
	}
	go c.supervise()
	return c, nil
}

// open takes the public ports and boots the engine behind them.
func (c *ClickHouse) open(ctx context.Context) error {
	httpListener, err := listen(c.opts.Listen, c.opts.HTTPPort, "ClickHouse HTTP")
	if err != nil {
		return err
	}
	nativeListener, err := listen(c.opts.Listen, c.opts.TCPPort, "ClickHouse native TCP")
	if err != nil {
		return errors.Join(err, httpListener.Close())
	}
	c.http = openGate(httpListener, c.log, nil)
	c.native = openGate(nativeListener, c.log, nativeAdmission(c.layout.password, c.http.port(), c.databaseExists))
	p, err := c.boot(ctx)
	if err != nil {
		c.native.close()
		c.http.close()
		return err
	}
	c.serve(p)
	c.log.Info("database started", "engine", c.found.Kind, "from", c.found.From, "version", c.version,
		"pid", p.pid, "native", c.NativeAddr(), "http", c.HTTPURL(), "dir", c.layout.dir)
	return nil
}

// NativeAddr is the host and port of the native protocol.
func (c *ClickHouse) NativeAddr() string { return c.native.listener.Addr().String() }

// HTTPURL is the base URL of the HTTP interface, without a trailing slash.
func (c *ClickHouse) HTTPURL() string { return "http://" + c.http.listener.Addr().String() }

// TCPPort is the public native port.
func (c *ClickHouse) TCPPort() int { return c.native.port() }

// HTTPPort is the public HTTP port.
func (c *ClickHouse) HTTPPort() int { return c.http.port() }

// User is the account to log in with.
func (c *ClickHouse) User() string { return User }

// Password is the account's password; it stays the same for a data directory.
func (c *ClickHouse) Password() string { return c.layout.password }

// Database is the name of the database to create and use. It does not exist in
// a new data directory: connect without a database and create it.
func (c *ClickHouse) Database() string { return Database }

// Located says which engine runs.
func (c *ClickHouse) Located() Located { return c.found }

// Version is the engine's own version, for example 26.7.2.1.
func (c *ClickHouse) Version() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.version
}

// PID is the process that holds the data at present. After a restart it is
// another one.
func (c *ClickHouse) PID() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.current.pid
}

// Restarts counts the unexpected deaths that were followed by a new start.
func (c *ClickHouse) Restarts() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.restarts
}

// RSS is the resident memory of the engine's process, in bytes.
func (c *ClickHouse) RSS() (int64, error) { return residentMemory(c.PID()) }

// Ready waits until the database serves, which it does not while it restarts.
// It returns Err when the database is down for good.
func (c *ClickHouse) Ready(ctx context.Context) error {
	c.mu.Lock()
	ready := c.ready
	c.mu.Unlock()
	select {
	case <-ready:
		return nil
	case <-c.done:
		return errors.Join(errors.New("wait for the database: it is down"), c.Err())
	case <-ctx.Done():
		return fmt.Errorf("wait for the database to serve again: %w", context.Cause(ctx))
	}
}

// Down returns a channel that is closed as soon as the run that serves at
// present is seen dead. Ready then waits for the next run, which has a channel
// of its own. It stays open at Close; Done tells of that.
func (c *ClickHouse) Down() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.current.suspended
}

// Done is closed when the database is down for good: after Close, or after an
// unexpected death with NoRestart.
func (c *ClickHouse) Done() <-chan struct{} { return c.done }

// Err says why the database is down for good; nil before that, and after a
// clean Close.
func (c *ClickHouse) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Close ends the engine cleanly, frees the ports and, if it was temporary,
// removes the data directory. Open connections are cut, so close those who
// write first. It waits for the end, up to one and a half times
// Options.StopTimeout, and may be called more than once.
func (c *ClickHouse) Close() error {
	c.closeOnce.Do(func() { close(c.closing) })
	<-c.done
	return c.Err()
}

// Kill ends the engine's process with SIGKILL, as a crash would, and returns
// when it is gone and Ready waits for the next one. The supervisor then starts it again on the same ports and
// data, unless NoRestart is set.
func (c *ClickHouse) Kill() {
	c.mu.Lock()
	p := c.current
	c.mu.Unlock()
	p.kill()
	select {
	case <-p.suspended:
	case <-c.done:
	}
}

func (c *ClickHouse) serve(p *process) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.current = p
	p.log.serving.Store(true)
	c.native.lead(net.JoinHostPort(loopback, strconv.Itoa(p.tcpPort)))
	c.http.lead(net.JoinHostPort(loopback, strconv.Itoa(p.httpPort)))
	close(c.ready)
}

// databaseExists asks the engine; an engine that is going down can't tell.
func (c *ClickHouse) databaseExists(ctx context.Context, name string) (bool, error) {
	c.mu.Lock()
	p := c.current
	c.mu.Unlock()
	return p.hasDatabase(ctx, c.layout.password, name)
}
