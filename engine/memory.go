package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"time"
)

// residentMemory reads a process's resident memory in bytes: from /proc where
// there is one, else from ps.
func residentMemory(pid int) (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if errors.Is(err, os.ErrNotExist) {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		out, err := exec.CommandContext(ctx, "ps", "-o", "rss=", "-p", strconv.Itoa(pid)).Output()
		if err != nil {
			return 0, fmt.Errorf("read resident memory of process %d: %w", pid, err)
		}
		return kibibytes(out)
	}
	if err != nil {
		return 0, fmt.Errorf("read resident memory of process %d: %w", pid, err)
	}
	_, rest, found := bytes.Cut(status, []byte("\nVmRSS:"))
	if !found {
		return 0, fmt.Errorf("process %d has no resident memory: it has ended", pid)
	}
	line, _, _ := bytes.Cut(rest, []byte("kB"))
	return kibibytes(line)
}

func kibibytes(text []byte) (int64, error) {
	n, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read resident memory: %w", err)
	}
	return n << 10, nil
}
