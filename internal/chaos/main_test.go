package chaos

import (
	"os"
	"testing"

	"headway/engine"
	"headway/internal/testkit/binary"
)

// headway is the path of the binary under test, built once.
var headway string

func TestMain(m *testing.M) {
	if engine.IsChild() {
		os.Exit(engine.ChildMain())
	}
	if isBroker() {
		os.Exit(brokerMain())
	}
	os.Exit(binary.Main(m, &headway))
}
