package faults

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestDiskFull fills the disk that the engine's data lies on to the last
// byte. Only root may mount one; without, TestOperatorFaults has shown the
// server's own bound on free space, which needs no rights.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=96m,mode=0700"); err != nil {
		t.Skipf("mounting a small disk: %v; it needs root", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	l := newLab(t, dir, false)
	l.ingest()
	records := l.begin(200, now)
	l.flowing()
	ballast := filepath.Join(dir, "ballast")
	l.suffer(fault{name: "disk full", class: "retry", words: []string{"free disk space"},
		inject: func(l *lab) {
			l.sql("SYSTEM STOP MERGES requests")
			l.sql("SYSTEM STOP MERGES rejects")
			fill(t, ballast)
		},
		mend: func(l *lab) {
			if err := os.Remove(ballast); err != nil {
				t.Fatal(err)
			}
			l.sql("SYSTEM START MERGES requests")
			l.sql("SYSTEM START MERGES rejects")
		}})
	records.settled()
	l.tellsOnce(2)
}

// fill writes until the disk is full.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := io.Copy(f, zeros{}); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("filling the disk: %v", err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }
