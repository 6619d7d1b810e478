package engine_test

import (
	"os"
	"testing"

	"headway/engine"
)

// TestMain lets the test binary be what the engine's children are: the
// engine's host.
func TestMain(m *testing.M) {
	if engine.IsChild() {
		os.Exit(engine.ChildMain())
	}
	os.Exit(m.Run())
}
