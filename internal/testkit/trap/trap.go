// Package trap kills an engine's child at the one moment when ClickHouse has
// remembered a block's deduplication token and not yet published its part; it
// needs no tool and no rights, only a Linux kernel with seccomp.
package trap

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// file is where, in the engine's data directory, a test says which insert is
// to be the last.
const file = "trap"

// Set has the engine that keeps its data in dir die while the insert number n
// (the first is 1) since this call, or since the engine's start if that is
// later, is published; 0 lets every insert be. Set must have been called
// before the engine starts, and may be called again at any time.
func Set(dir string, n int) error {
	at := filepath.Join(dir, file)
	if err := os.WriteFile(at+".new", []byte(strconv.Itoa(n)+" "+rand.Text()), 0o600); err != nil {
		return err
	}
	return os.Rename(at+".new", at)
}

// Arm is for the engine's child, between engine.IsChild and engine.ChildMain.
// It does nothing where no trap is set in the working directory.
func Arm() error {
	if _, err := os.Stat(file); err != nil {
		return nil
	}
	if err := arm(); err != nil {
		return fmt.Errorf("setting a trap for the engine: %w", err)
	}
	return nil
}

// publishes reports whether the path that is renamed is a part that was
// inserted.
func publishes(path string) bool {
	return strings.HasPrefix(filepath.Base(filepath.Clean(path)), "tmp_insert_")
}

// counter counts inserts since the trap was set.
type counter struct {
	set  string
	seen int
}

// deadly counts an insert and reports whether it must not be published.
func (c *counter) deadly() bool {
	raw, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	if set := string(raw); set != c.set {
		*c = counter{set: set}
	}
	c.seen++
	n, _, _ := strings.Cut(c.set, " ")
	return n == strconv.Itoa(c.seen)
}
