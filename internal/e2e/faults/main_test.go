package faults

import (
	"fmt"
	"os"
	"testing"

	"headway/engine"
	"headway/internal/testkit/binary"
	"headway/internal/testkit/trap"
)

// headway is the path of the binary under test, built once.
var headway string

func TestMain(m *testing.M) {
	if engine.IsChild() {
		if err := trap.Arm(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(engine.ChildMain())
	}
	dir, err := os.MkdirTemp("", "headway-faults-")
	if err == nil {
		headway, err = binary.Path(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir) // a temporary folder; nothing depends on it
	os.Exit(code)
}
