package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"
)

const (
	// bootTries is how often internal ports are picked anew when something
	// else takes one between picking and listening.
	bootTries = 5

	firstBackOff = 100 * time.Millisecond
	lastBackOff  = 10 * time.Second
	// settled is how long an engine must live to start again without back-off.
	settled = 30 * time.Second
)

// boot starts one run of the engine and waits until it serves.
func (c *ClickHouse) boot(ctx context.Context) (*process, error) {
	for try := 1; ; try++ {
		p, err := c.bootOnce(ctx)
		if err == nil {
			return p, nil
		}
		if p == nil || try == bootTries || !p.log.contains("Address already in use") {
			return nil, err
		}
	}
}

// bootOnce returns the process beside the error when there was one.
func (c *ClickHouse) bootOnce(ctx context.Context) (*process, error) {
	tcpPort, httpPort, err := freePorts()
	if err != nil {
		return nil, err
	}
	b := boot{tcpPort: tcpPort, httpPort: httpPort, nonce: rand.Text()}
	if err := c.configure(b); err != nil {
		return nil, err
	}
	p, err := spawn(ctx, c.found, c.layout, b, &engineLog{log: c.log})
	if err != nil {
		// It ended before it was an engine, or there was no time.
		return p, fmt.Errorf("start %s at %s: %w; %s", c.found.Kind, c.found.Path, err, c.found.remedy())
	}
	if err := p.waitReady(ctx, b.nonce, c.layout.password, c.layout.databases()); err != nil {
		return p, fmt.Errorf("start %s at %s: %w", c.found.Kind, c.found.Path, err)
	}
	version, err := p.ask(ctx, c.layout.password, "SELECT version()")
	if err != nil {
		p.kill()
		return p, fmt.Errorf("log in to the new engine: %w", err)
	}
	c.mu.Lock()
	c.version = version
	c.mu.Unlock()
	return p, nil
}

func (c *ClickHouse) configure(b boot) error {
	return errors.Join(
		c.layout.write("config.xml", serverConfig(c.opts, c.layout.dir, b).String()),
		c.layout.write("users.xml", usersConfig(c.layout.password, append(workingGrants(len(c.opts.Clusters) > 0), c.opts.Grants...)).String()),
		c.layout.write("start.sql", "SYSTEM START LISTEN TCP;\nSYSTEM START LISTEN HTTP;\n"))
}

// freePorts picks two ports that were free a moment ago.
func freePorts() (first, second int, err error) {
	a, err := net.Listen("tcp", net.JoinHostPort(loopback, "0"))
	if err != nil {
		return 0, 0, fmt.Errorf("pick a port for the engine: %w", err)
	}
	defer a.Close()
	b, err := net.Listen("tcp", net.JoinHostPort(loopback, "0"))
	if err != nil {
		return 0, 0, fmt.Errorf("pick a port for the engine: %w", err)
	}
	defer b.Close()
	return a.Addr().(*net.TCPAddr).Port, b.Addr().(*net.TCPAddr).Port, nil
}

// supervise waits for the end of each run and starts the next, until Close.
func (c *ClickHouse) supervise() {
	defer close(c.done)
	backOff := firstBackOff
	for {
		p, began := c.current, time.Now()
		select {
		case <-c.closing:
			// A query that runs on would hold the end up for seconds; losing
			// its client ends it.
			c.native.close()
			c.http.close()
			c.shut(p.stop(c.opts.StopTimeout))
			return
		case <-p.exited:
		}
		c.suspend(p)
		if c.opts.NoRestart {
			c.log.Error("database died", "err", p.death())
			c.shut(p.death())
			return
		}
		if time.Since(began) >= settled {
			backOff = firstBackOff
		}
		c.log.Error("database died, starting it again", "err", p.death(), "after", backOff)
		next, ok := c.revive(&backOff)
		if !ok {
			c.shut(nil)
			return
		}
		c.serve(next)
		c.log.Info("database serves again", "pid", next.pid, "restarts", c.Restarts())
	}
}

// suspend turns clients away until the next run serves.
func (c *ClickHouse) suspend(p *process) {
	defer close(p.suspended)
	c.native.lead("")
	c.http.lead("")
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ready = make(chan struct{})
}

// revive tries to boot, with growing pauses, until it works or Close is
// called; then it returns false.
func (c *ClickHouse) revive(backOff *time.Duration) (*process, bool) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-c.closing:
			cancel()
		case <-ctx.Done():
		}
	}()
	for {
		pause := time.NewTimer(*backOff)
		*backOff = min(*backOff*2, lastBackOff)
		select {
		case <-c.closing:
			pause.Stop()
			return nil, false
		case <-pause.C:
		}
		limited, stop := context.WithTimeoutCause(ctx, c.opts.StartTimeout, fmt.Errorf("not ready after %s", c.opts.StartTimeout))
		p, err := c.boot(limited)
		stop()
		if err == nil {
			c.mu.Lock()
			c.restarts++
			c.mu.Unlock()
			return p, true
		}
		if ctx.Err() == nil {
			c.log.Error("database did not start again", "err", err, "next try after", *backOff)
		}
	}
}

// shut frees everything once no run is left, and keeps the reason.
func (c *ClickHouse) shut(reason error) {
	c.native.close()
	c.http.close()
	reason = errors.Join(reason, c.layout.release())
	c.mu.Lock()
	c.err = reason
	c.mu.Unlock()
	c.log.Info("database stopped")
}

// quoteName writes a name as ClickHouse quotes identifiers.
func quoteName(name string) string {
	return "`" + strings.NewReplacer("\\", "\\\\", "`", "\\`").Replace(name) + "`"
}
