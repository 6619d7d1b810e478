//go:build !linux

package engine

import (
	"os"
	"os/exec"
)

// selfPath is the file of the running binary.
func selfPath() (string, error) { return os.Executable() }

// dieWithParent has no counterpart here: killing the guard itself leaves the
// server running, while killing Headway does not.
func dieWithParent(*exec.Cmd) {}
