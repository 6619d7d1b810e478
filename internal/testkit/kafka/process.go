package kafka

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// clusterID is any valid id; storage and broker must agree on one.
const clusterID = "MkU3OEVBNTcwNTJENDM2Qg"

// process is one running broker. done is closed when it has ended.
type process struct {
	cmd  *exec.Cmd
	done chan struct{}
}

// format prepares the data directory with Kafka's own StorageTool.
func (b *Broker) format() error {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.java, "-Xmx128m", "-XX:TieredStopAtLevel=1",
		"-Dlog4j2.configurationFile="+b.layout.log4j, "-cp", b.jars,
		"kafka.tools.StorageTool", "format", "-t", clusterID, "-c", b.layout.properties)
	cmd.SysProcAttr = diesWithParent()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("formatting the Kafka broker's storage: %w; run scripts/kafka/fetch if classes are missing:\n%s", err, out)
	}
	return nil
}

// launch starts the broker without waiting for it to be ready.
func (b *Broker) launch() (*process, error) {
	log, err := os.OpenFile(b.layout.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the Kafka broker's log: %w", err)
	}
	defer log.Close() // the child has its own descriptor
	cmd := exec.Command(b.java, "-Xmx512m", "-XX:TieredStopAtLevel=1",
		"-Dlog4j2.configurationFile="+b.layout.log4j, "-cp", b.jars,
		"kafka.Kafka", b.layout.properties)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = diesWithParent()
	p := &process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error)
	go p.watch(started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("starting Apache Kafka with %s: %w", b.java, err)
	}
	return p, nil
}

// watch starts the process and waits for it on one thread of its own: the
// kernel sends the parent-death signal when the *thread* that forked ends.
func (p *process) watch(started chan<- error) {
	runtime.LockOSThread()
	err := p.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	_ = p.cmd.Wait() // ended by a signal, that is an error by design
	close(p.done)
}

// end sends the signal and waits; after limit it kills and says so.
func (p *process) end(how syscall.Signal, limit time.Duration) error {
	select {
	case <-p.done:
		return nil
	default:
	}
	p.send(how)
	p.send(syscall.SIGCONT) // a frozen process handles SIGTERM only when it goes on
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case <-p.done:
		return nil
	case <-late.C:
	}
	p.send(syscall.SIGKILL)
	<-p.done
	return fmt.Errorf("the Kafka broker was still running %s after %s and was killed", limit, how)
}

// send ignores that the process may have ended in between: done tells.
func (p *process) send(s syscall.Signal) { _ = p.cmd.Process.Signal(s) }
