package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestEngineKilled kills the embedded engine: records that come meanwhile are
// all there afterwards, and nobody had to do anything.
func TestEngineKilled(t *testing.T) {
	t.Parallel()
	p := up(t)
	for round := range 3 {
		if round > 0 {
			pid := 0
			eventually(t, p, "an engine among the children", func() bool { pid = enginePID(p.PID()); return pid != 0 })
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
		}
		ok(t, "gen", "--records", "2000", "--seed", fmt.Sprint(round+1), "--from", "now-1h", "--to", "now", "--out", "kafka://"+p.Kafka+"/llm-timing")
	}
	eventually(t, p, "ready again", func() bool {
		status, _ := fetch(t, p, "/readyz", nil)
		return status == 200
	})
	awaitRows(t, p, 6000)
}

// enginePID finds the engine among a process's children; 0 where there is
// none at present.
func enginePID(parent int) int {
	all, _ := filepath.Glob("/proc/[0-9]*/status") // the pattern is well formed
	for _, path := range all {
		raw, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(raw), fmt.Sprintf("\nPPid:\t%d\n", parent)) {
			continue // gone meanwhile, or another's child
		}
		dir := filepath.Dir(path)
		args, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if pid, _ := strconv.Atoi(filepath.Base(dir)); err == nil && pid > 0 && strings.HasPrefix(string(args), "headway-engine") {
			return pid
		}
	}
	return 0
}
