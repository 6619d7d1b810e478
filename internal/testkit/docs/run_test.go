//go:build docs

package docs

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	repository = "../../.."
	blockLimit = 2 * time.Minute
	readyLimit = 2 * time.Minute
	endLimit   = 20 * time.Second
)

// server is the `headway up` that the documentation's commands talk to.
type server struct {
	http, kafka string // host:port
}

// adapt puts the server's addresses where the documentation shows the defaults.
func (s server) adapt(text string) string {
	return strings.NewReplacer("127.0.0.1:8080", s.http, "localhost:8080", s.http,
		"127.0.0.1:9092", s.kafka, "localhost:9092", s.kafka).Replace(text)
}

func TestDocumentedCommandsWork(t *testing.T) {
	blocks, err := Find(os.DirFS(repository))
	if err != nil {
		t.Fatal(err)
	}
	if len(blocks) == 0 {
		t.Fatalf("README.md and docs/ have no block marked ```%s: nothing of what they promise is checked", marker)
	}
	bin, err := filepath.Abs(filepath.Join(repository, "bin"))
	if err != nil {
		t.Fatal(err)
	}
	up := start(t, filepath.Join(bin, "headway"))
	env := append(strictCurl(t), "PATH="+bin+":"+os.Getenv("PATH"), "HEADWAY_SERVER=http://"+up.http)
	folders := map[string]string{} // blocks of one document share a folder
	for _, b := range blocks {
		if folders[b.File] == "" {
			folders[b.File] = checkout(t)
		}
		t.Run(fmt.Sprintf("%s:%d", b.File, b.Line), func(t *testing.T) {
			if err := run(t.Context(), up.adapt(b.Text), folders[b.File], env); err != nil {
				t.Errorf("%s:%d: %v", b.File, b.Line, err)
			}
		})
	}
}

func TestRunTellsTheFailedCommand(t *testing.T) {
	dir := t.TempDir()
	err := run(t.Context(), "touch first\nls absent\ntouch never\n", dir, os.Environ())
	if err == nil || !strings.Contains(err.Error(), "failed with 2: ls absent") {
		t.Errorf("error %v, want one with the command", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 {
		t.Errorf("the block left %q, want it to end at the failed command", left)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	begun := time.Now()
	err = run(ctx, "sleep 60 & sleep 60\n", t.TempDir(), os.Environ())
	if err == nil || time.Since(begun) > 10*time.Second {
		t.Errorf("a hanging block gave %v after %s, want an error at once", err, time.Since(begun))
	}
}

func TestRunTellsARefusedCall(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "no such metric", http.StatusUnprocessableEntity)
	}))
	defer srv.Close()
	err := run(t.Context(), "curl -s "+srv.URL+"\n", t.TempDir(), strictCurl(t))
	if err == nil || !strings.Contains(err.Error(), "failed with 22: curl") || !strings.Contains(err.Error(), "no such metric") {
		t.Errorf("error %v, want one with the command and the answer", err)
	}
}

// strictCurl returns an environment in which curl fails on an error answer:
// the documentation needn't say so in each line.
func strictCurl(t *testing.T) []string {
	t.Helper()
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, ".curlrc"), []byte("fail-with-body\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return append(os.Environ(), "CURL_HOME="+home)
}

// run executes one block with bash in dir and stops at the first command that
// fails. Whatever the block started in the background ends with it.
func run(ctx context.Context, text, dir string, env []string) error {
	ctx, cancel := context.WithTimeout(ctx, blockLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", `set -eEuo pipefail
trap 'printf "failed with %d: %s\n" "$?" "$BASH_COMMAND" >&2' ERR
`+text)
	cmd.Dir, cmd.Env = dir, env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	group := func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Cancel, cmd.WaitDelay = group, 5*time.Second
	err := cmd.Run()
	if cmd.Process != nil {
		_ = group() // an empty group is the usual case
	}
	if err != nil {
		return fmt.Errorf("%w\n--- commands\n%s--- output\n%s", err, text, out.String())
	}
	return nil
}

// start runs `headway up` with sample data on free ports until the test ends.
func start(t *testing.T, program string) server {
	t.Helper()
	if _, err := os.Stat(program); err != nil {
		t.Fatalf("%v: run make build first", err)
	}
	s := server{kafka: freeAddr(t)}
	cmd := exec.Command(program, "up", "--data-dir", t.TempDir(), "--listen", "127.0.0.1:0", "--kafka-listen", s.kafka)
	log, err := os.Create(filepath.Join(t.TempDir(), "up.log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = log
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		for scan := bufio.NewScanner(out); scan.Scan(); {
			if url, ok := strings.CutPrefix(scan.Text(), "ready http://"); ok {
				lines <- url
			}
		}
		ended <- cmd.Wait()
	}()
	t.Cleanup(func() { stop(t, cmd, ended, log.Name()) })
	select {
	case s.http = <-lines:
	case err := <-ended:
		ended <- err
		t.Fatalf("headway up ended before it was ready: %v", err)
	case <-time.After(readyLimit):
		t.Fatalf("headway up printed no ready line within %s", readyLimit)
	}
	return s
}

// stop ends the server in order, and fails the test where that doesn't work.
func stop(t *testing.T, cmd *exec.Cmd, ended <-chan error, log string) {
	t.Helper()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Error(err)
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("headway up ended with %v", err)
		}
	case <-time.After(endLimit):
		t.Errorf("headway up was still running %s after SIGTERM", endLimit)
		_ = cmd.Process.Kill() // it may end in between
		<-ended
	}
	if raw, err := os.ReadFile(log); t.Failed() && err == nil {
		t.Logf("headway up said:\n%s", raw[max(0, len(raw)-4000):])
	}
}

// checkout returns a scratch folder that looks like the repository's root, so
// that documented paths work and new files stay out of the repository.
func checkout(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	entries, err := os.ReadDir(repository)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		target, err := filepath.Abs(filepath.Join(repository, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func freeAddr(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
