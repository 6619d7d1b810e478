// Package binary builds the headway binary once for a test run and starts it
// as a user would; it knows nothing of what the product does.
package binary

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Path builds the binary (through Go's build cache) into dir and returns its
// path.
func Path(dir string) (string, error) {
	out := filepath.Join(dir, "headway")
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	raw, err := exec.CommandContext(ctx, "go", "build", "-o", out, "headway/cmd/headway").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building the binary: %w\n%s", err, raw)
	}
	return out, nil
}

// Process is a running headway.
type Process struct {
	URL   string // what the ready line named
	Kafka string // the broker that the kafka line named; empty without one

	cmd    *exec.Cmd
	stderr *output
	lines  chan string
	done   chan struct{}
	err    error
}

// output collects what a process writes while tests read it.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// Start runs the binary with args and waits for its ready line. The test's
// end stops it.
func Start(t testing.TB, path string, env []string, args ...string) *Process {
	t.Helper()
	return begin(t, path, env, "ready ", args)
}

// Listen is Start for a process that can't become ready yet: it waits only
// until HTTP is answered.
func Listen(t testing.TB, path string, env []string, args ...string) *Process {
	t.Helper()
	return begin(t, path, env, "listening ", args)
}

// begin waits for the line that starts with mark and names the URL.
func begin(t testing.TB, path string, env []string, mark string, args []string) *Process {
	t.Helper()
	p := &Process{cmd: exec.Command(path, args...), stderr: &output{}, lines: make(chan string, 64), done: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stderr = p.stderr
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatalf("starting %s: %v", path, err)
	}
	go p.read(stdout, mark)
	t.Cleanup(func() { p.Stop(t) })
	select {
	case p.URL = <-p.lines:
	case <-p.done:
		t.Fatalf("headway %s ended before it said where it is: %v\n%s", strings.Join(args, " "), p.err, p.stderr)
	case <-time.After(2 * time.Minute):
		t.Fatalf("headway %s did not say where it is in two minutes\n%s", strings.Join(args, " "), p.stderr)
	}
	return p
}

func (p *Process) read(stdout io.Reader, mark string) {
	scan := bufio.NewScanner(stdout)
	for scan.Scan() {
		if rest, ok := strings.CutPrefix(scan.Text(), "kafka "); ok {
			p.Kafka, _, _ = strings.Cut(rest, " ")
		}
		if url, ok := strings.CutPrefix(scan.Text(), mark); ok {
			p.lines <- url
		}
	}
	p.err = p.cmd.Wait()
	close(p.done)
}

// PID is the process's id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Log returns what the process wrote to standard error so far.
func (p *Process) Log() string { return p.stderr.String() }

// Stop ends the process as an operator would and fails the test when it does
// not end cleanly in time. A process that has ended already is left alone.
func (p *Process) Stop(t testing.TB) {
	t.Helper()
	select {
	case <-p.done:
		return
	default:
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // it may have ended just now
	select {
	case <-p.done:
		if p.err != nil {
			t.Errorf("headway ended with %v\n%s", p.err, p.stderr)
		}
	case <-time.After(30 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.done
		t.Errorf("headway did not stop in 30 s\n%s", p.stderr)
	}
}

// Run runs the binary to its end and returns what it wrote and its exit code.
func Run(t testing.TB, path string, env []string, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if cmd.ProcessState == nil {
		t.Fatalf("running headway %s: %v", strings.Join(args, " "), err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}
