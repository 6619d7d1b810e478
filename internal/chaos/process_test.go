package chaos

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// process is a child that can be killed, frozen and ended, and that the
// kernel ends when this one dies.
type process struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	out   transcript
	done  chan struct{} // closed when it has ended
	err   error         // how; to be read after done
}

// transcript keeps the end of what a process writes.
type transcript struct {
	mu sync.Mutex
	b  bytes.Buffer
}

const transcriptSize = 1 << 20

func (o *transcript) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.b.Len() > transcriptSize {
		o.b.Next(transcriptSize / 2)
	}
	return o.b.Write(p)
}

func launch(path string, env []string, args ...string) (*process, error) {
	p := &process{cmd: exec.Command(path, args...), done: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.out
	p.cmd.SysProcAttr = diesWithParent()
	var err error
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	started := make(chan error)
	go func() {
		// The kernel sends the death signal when the thread that forked ends.
		runtime.LockOSThread()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			p.err = p.cmd.Wait()
			close(p.done)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("starting %s: %w", path, err)
	}
	return p, nil
}

func (p *process) log() string {
	p.out.mu.Lock()
	defer p.out.mu.Unlock()
	return p.out.b.String()
}

// await waits until the process has written a text.
func (p *process) await(text string, limit time.Duration) error {
	late := time.After(limit)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !strings.Contains(p.log(), text) {
		select {
		case <-tick.C:
		case <-p.done:
			return fmt.Errorf("it ended before it said %q: %v\n%s", text, p.err, p.log())
		case <-late:
			return fmt.Errorf("it did not say %q in %s:\n%s", text, limit, p.log())
		}
	}
	return nil
}

// signal ignores that the process may have ended: done tells.
func (p *process) signal(s syscall.Signal) { _ = p.cmd.Process.Signal(s) }

// kill ends the process at once, also a frozen one, and waits for its end.
func (p *process) kill() {
	p.signal(syscall.SIGKILL)
	<-p.done
}

func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

func (p *process) endsWithin(d time.Duration) bool {
	select {
	case <-p.done:
		return true
	case <-time.After(d):
		return false
	}
}

// freePort returns a loopback port that nobody listens on. It lies below the
// range that outgoing connections draw from, so that no client of a killed
// server takes its port before the restart.
func freePort() (int, error) {
	for range 200 {
		port := 20000 + rand.IntN(12000)
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			return port, l.Close()
		}
	}
	return 0, errors.New("no free port between 20000 and 32000 in 200 tries: end what listens there")
}
