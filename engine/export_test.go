package engine

import (
	"context"
	"os"
	"syscall"
)

// AwaitRestart waits until the database has restarted n times in all and
// serves, or is down for good.
func (c *ClickHouse) AwaitRestart(ctx context.Context, n int) error {
	for c.Restarts() < n {
		c.mu.Lock()
		p := c.current
		c.mu.Unlock()
		select {
		case <-p.suspended:
		case <-c.done:
		case <-ctx.Done():
		}
		if err := c.Ready(ctx); err != nil {
			return err
		}
	}
	return nil
}

// HostLibraryForever serves from a library without regard to standard input,
// as an installed server does, until a signal ends it.
func HostLibraryForever(library, config, script string) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer w.Close()
	if err := syscall.Dup3(int(r.Fd()), 0, 0); err != nil {
		return err
	}
	return hostLibrary(library, config, script)
}
