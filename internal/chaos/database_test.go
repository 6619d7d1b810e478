package chaos

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"headway/engine"
	"headway/internal/testkit/binary"
)

// database is a real ClickHouse that comes back on the same data and ports
// after each end.
type database struct {
	options engine.Options

	mu     sync.Mutex
	engine *engine.ClickHouse
}

// startDatabase starts a ClickHouse and creates Headway's tables in it.
func startDatabase(t *testing.T) *database {
	t.Helper()
	d := &database{options: engine.Options{DataDir: t.TempDir(), NoRestart: true, Logger: slog.New(slog.DiscardHandler)}}
	for _, port := range []*int{&d.options.TCPPort, &d.options.HTTPPort} {
		var err error
		if *port, err = freePort(); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		d.thaw()
		if err := d.current().Close(); err != nil {
			t.Error(err)
		}
	})
	config := filepath.Join(t.TempDir(), "headway.yaml")
	if err := os.WriteFile(config, []byte("clickhouse: {retention_days: 400}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, errs, code := binary.Run(t, headway, d.env(), "", "migrate", "--config", config); code != 0 {
		t.Fatalf("headway migrate: exit code %d\n%s%s", code, out, errs)
	}
	return d
}

func (d *database) current() *engine.ClickHouse {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.engine
}

func (d *database) start() error {
	c, err := engine.StartClickHouse(context.Background(), d.options)
	if err != nil {
		return err
	}
	d.mu.Lock()
	d.engine = c
	d.mu.Unlock()
	return nil
}

// kill ends the server with SIGKILL; its ports refuse until start.
func (d *database) kill() {
	c := d.current()
	c.Kill()
	<-c.Done()
}

func (d *database) freeze() { _ = syscall.Kill(d.current().PID(), syscall.SIGSTOP) } // it may be gone
func (d *database) thaw()   { _ = syscall.Kill(d.current().PID(), syscall.SIGCONT) }

// env is how a client logs in, past any proxy.
func (d *database) env() []string {
	c := d.current()
	return []string{"HEADWAY_CLICKHOUSE_ADDR=" + c.NativeAddr(), "HEADWAY_CLICKHOUSE_USER=" + c.User(),
		"HEADWAY_CLICKHOUSE_PASSWORD=" + c.Password(), "HEADWAY_CLICKHOUSE_DATABASE=" + c.Database()}
}

// query runs a statement past Headway and returns its answer's lines, in
// columns.
func (d *database) query(ctx context.Context, statement string) ([][]string, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	c := d.current()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.HTTPURL()+"/?database="+c.Database(), strings.NewReader(statement))
	if err != nil {
		return nil, err
	}
	req.SetBasicAuth(c.User(), c.Password())
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d: %.500s", resp.StatusCode, body)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", statement, err)
	}
	var out [][]string
	for line := range strings.Lines(string(body)) {
		out = append(out, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return out, nil
}
