package engine

import (
	"os/exec"
	"syscall"
)

// selfPath starts this very binary again, even when the file it came from has
// been replaced meanwhile.
func selfPath() (string, error) { return "/proc/self/exe", nil }

// dieWithParent ends cmd when the process that starts it is killed.
func dieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
}
