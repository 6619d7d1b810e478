package chaos

import "syscall"

// diesWithParent makes the kernel kill the child when its parent ends.
func diesWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
