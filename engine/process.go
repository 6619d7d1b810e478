package engine

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is one run of the engine's child.
type process struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	log   *engineLog
	// pid is the process that holds the data: the child itself, or the server
	// that the child guards.
	pid int

	tcpPort, httpPort int

	// exited is closed when the child is gone; err then says how it ended.
	exited chan struct{}
	err    error

	// suspended is closed when the supervisor has seen the end and turns
	// clients away.
	suspended chan struct{}
}

// spawn starts the child on a written configuration and waits until it has
// said its pid.
func spawn(ctx context.Context, found Located, l *layout, b boot, log *engineLog) (*process, error) {
	self, err := selfPath()
	if err != nil {
		return nil, fmt.Errorf("find this program's file to start it as the engine's child: %w", err)
	}
	cmd := exec.Command(self, found.Path, filepath.Join(l.dir, "config.xml"))
	if found.Kind == Library {
		cmd.Args = append(cmd.Args, filepath.Join(l.dir, "start.sql"))
	}
	cmd.Args[0] = "headway-engine"
	cmd.Dir = l.dir
	cmd.Env = append(childEnv(os.Getenv), childVariable+"="+string(found.Kind))
	cmd.ExtraFiles = []*os.File{l.lock}
	// A group of its own keeps a terminal's Ctrl-C from it: the parent ends it
	// when those who still write are done.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p := &process{cmd: cmd, log: log, tcpPort: b.tcpPort, httpPort: b.httpPort, exited: make(chan struct{}), suspended: make(chan struct{})}
	if p.stdin, err = cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("make the engine's input: %w", err)
	}
	stdout, stderr, err := p.outputs()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the engine's child: %w", err)
	}
	go func() {
		log.follow(stderr)
		p.err = cmd.Wait()
		close(p.exited)
	}()
	return p, p.readPID(ctx, stdout)
}

func (p *process) outputs() (stdout, stderr io.Reader, err error) {
	if stdout, err = p.cmd.StdoutPipe(); err != nil {
		return nil, nil, fmt.Errorf("make the engine's output: %w", err)
	}
	if stderr, err = p.cmd.StderrPipe(); err != nil {
		return nil, nil, fmt.Errorf("make the engine's output: %w", err)
	}
	return stdout, stderr, nil
}

func (p *process) readPID(ctx context.Context, stdout io.Reader) error {
	said := make(chan int, 1)
	go func() {
		r := bufio.NewReader(stdout)
		line, _ := r.ReadString('\n')
		pid, _ := strconv.Atoi(strings.TrimSpace(line))
		said <- pid
		// The engine must never block on an output that nobody reads.
		_, _ = io.Copy(io.Discard, r)
	}()
	select {
	case pid := <-said:
		if pid > 0 {
			p.pid = pid
			return nil
		}
		<-p.exited
		return p.death()
	case <-ctx.Done():
		p.kill()
		return fmt.Errorf("wait for the engine's child: %w", context.Cause(ctx))
	}
}

// death tells why the child has ended.
func (p *process) death() error {
	how := "exit status 0"
	if p.err != nil {
		how = p.err.Error()
	}
	return fmt.Errorf("engine ended (%s): %s", how, p.log.reason())
}

// stop ends the child: input closed, then SIGTERM, then SIGKILL.
func (p *process) stop(patience time.Duration) error {
	// The pipe is broken already when the child is gone.
	_ = p.stdin.Close()
	if p.endsWithin(patience) {
		return nil
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	if p.endsWithin(patience / 2) {
		return nil
	}
	p.kill()
	return errors.New("engine did not end by itself and was killed; its data is checked at the next start")
}

func (p *process) endsWithin(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-p.exited:
		return true
	case <-t.C:
		return false
	}
}

// kill ends the engine without any warning and waits until it is gone.
func (p *process) kill() {
	if p.pid > 0 && p.pid != p.cmd.Process.Pid {
		// A guard ends by itself once its server is gone.
		_ = syscall.Kill(p.pid, syscall.SIGKILL)
		if p.endsWithin(5 * time.Second) {
			return
		}
	}
	_ = p.cmd.Process.Kill()
	<-p.exited
}
