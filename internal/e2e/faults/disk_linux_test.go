package faults

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestDiskFull fills the disk that the engine's data lies on to the last
// byte, as logs or other tables would. Only root may mount one; without,
// TestOperatorFaults has shown the server's own bound on free space, which
// needs no rights.
//
// ClickHouse 26.7 acknowledges inserts whose last bytes did not fit and makes
// parts of them that can't be read: the writer has to stay away from the end
// of the disk.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=640m,mode=0700"); err != nil {
		t.Skipf("mounting a small disk: %v; it needs root", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	l := newLab(t, dir, false)
	l.ingest()
	records := l.begin(400, now)
	l.flowing()
	ballast := filepath.Join(dir, "ballast")
	l.suffer(fault{name: "disk full", class: "retry", words: []string{"code 243", "free disk space"},
		inject: func(*lab) { fill(t, ballast) },
		mend: func(l *lab) {
			if err := os.Remove(ballast); err != nil {
				t.Fatal(err)
			}
		}})
	records.settled()
	l.tellsOnce(2)
	l.reboot() // which sets parts aside that can't be read
	l.eventually("all records after a restart", records.complete)
}

// fill writes until the disk is full, over some seconds.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for chunk := make([]byte, 4<<20); ; {
		if _, err := f.Write(chunk); errors.Is(err, syscall.ENOSPC) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		<-time.After(25 * time.Millisecond)
	}
}
