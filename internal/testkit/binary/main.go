package binary

import (
	"fmt"
	"os"
	"testing"
)

// Main builds the binary into a temporary folder, sets path to it, runs the
// tests and returns the exit code.
func Main(m *testing.M, path *string) int {
	dir, err := os.MkdirTemp("", "headway-binary-")
	if err == nil {
		*path, err = Path(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	_ = os.RemoveAll(dir) // a temporary folder; nothing depends on it
	return code
}
