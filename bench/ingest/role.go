package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"time"

	"headway/engine"
)

// roleVariable makes this program a process that serves the benchmark, so
// that the processor time of each can be told apart.
const roleVariable = "HEADWAY_BENCH_ROLE"

const (
	roleBroker = "broker"
	roleEngine = "engine"
)

// place is what a serving process says of itself when it can be used.
type place struct {
	PIDs     []int  // processes whose resources count as its own
	Addr     string // Kafka, or ClickHouse's native protocol
	HTTP     string
	User     string
	Password string
	Version  string
}

// playRole starts the service, says where it is and waits for the end of in.
func playRole(role string, in io.Reader, out io.Writer) error {
	quiet := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	var p place
	var end func() error
	switch role {
	case roleBroker:
		b, err := engine.StartBroker(context.Background(), engine.BrokerOptions{Logger: quiet})
		if err != nil {
			return err
		}
		p, end = place{Addr: b.Addr(), Version: "kfake, in memory"}, b.Close
	case roleEngine:
		c, err := engine.StartClickHouse(context.Background(), engine.Options{Logger: quiet, NoRestart: true,
			Grants: []string{"GRANT TABLE ENGINE ON Kafka", "GRANT READ, WRITE ON KAFKA", "GRANT SELECT ON system.kafka_consumers"}})
		if err != nil {
			return err
		}
		p, end = place{PIDs: []int{c.PID()}, Addr: c.NativeAddr(), HTTP: c.HTTPURL(), User: c.User(),
			Password: c.Password(), Version: "ClickHouse " + c.Version()}, c.Close
	default:
		return fmt.Errorf("%s=%s: there is no such role", roleVariable, role)
	}
	p.PIDs = append(p.PIDs, os.Getpid())
	err := json.NewEncoder(out).Encode(p)
	if err == nil {
		_, err = io.Copy(io.Discard, in)
	}
	return errors.Join(err, end())
}

// helper is a serving process.
type helper struct {
	place
	cmd   *exec.Cmd
	stdin io.WriteCloser
}

// startRole starts this program once more in a role and returns when it can
// be used.
func startRole(role string) (*helper, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	h := &helper{cmd: exec.Command(self)}
	h.cmd.Env = append(os.Environ(), roleVariable+"="+role)
	h.cmd.Stderr = os.Stderr
	if h.stdin, err = h.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := h.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &h.place)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("starting the %s: %w", role, err), h.stop())
	}
	return h, nil
}

// stop lets the process end by itself, and kills it where it does not.
func (h *helper) stop() error {
	_ = h.stdin.Close() // broken already where the process is gone
	late := time.AfterFunc(time.Minute, func() { _ = h.cmd.Process.Kill() })
	defer late.Stop()
	return h.cmd.Wait()
}
