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
	os.Exit(binary.Main(m, &headway))
}
