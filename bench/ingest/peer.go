package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// peer is one way from the topic into the database.
type peer struct {
	name string
	does string // what it does with a record, for the report
	// prepare makes its tables; it is not timed.
	prepare func(ctx context.Context, s *site) error
	// begin starts the moving of records and returns the client's process, or
	// nil where the server does it all.
	begin func(ctx context.Context, s *site) (*client, error)
	table string
	// identity is the expression that is different for every record.
	identity string
	// sameTable says that the table is Headway's, so that rows can be compared.
	sameTable bool
}

// site is where one run takes place: a fresh database beside a filled topic.
type site struct {
	db     database
	broker string
	topic  string
	group  string
	dir    string // for configuration and logs, removed after the run
	set    settings
}

// client is a process that moves records.
type client struct {
	cmd *exec.Cmd
	log string
	end chan struct{}
}

// startClient starts a program whose output goes to a file of the site.
func (s *site) startClient(name string, env []string, args ...string) (*client, error) {
	c := &client{cmd: exec.Command(name, args...), log: filepath.Join(s.dir, filepath.Base(name)+".log"), end: make(chan struct{})}
	log, err := os.Create(c.log)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	c.cmd.Env = append(os.Environ(), env...)
	c.cmd.Stdout, c.cmd.Stderr = log, log
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	go func() {
		_ = c.cmd.Wait() // how it ended shows in its log
		close(c.end)
	}()
	return c, nil
}

// stop ends the process in order, and by force after half a minute.
func (c *client) stop() {
	_ = c.cmd.Process.Signal(syscall.SIGTERM) // it may have ended just now
	select {
	case <-c.end:
	case <-time.After(30 * time.Second):
		_ = c.cmd.Process.Kill()
		<-c.end
	}
}

// ended tells whether the process is gone, with the end of its log.
func (c *client) ended() error {
	select {
	case <-c.end:
	default:
		return nil
	}
	raw, err := os.ReadFile(c.log)
	if err != nil {
		return err
	}
	return fmt.Errorf("%s ended: %s", c.cmd.Path, raw[max(0, len(raw)-2000):])
}
