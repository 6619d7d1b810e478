//go:build !linux

package chaos

import "syscall"

// diesWithParent can't be had outside Linux: there the test's cleanup alone
// ends the child.
func diesWithParent() *syscall.SysProcAttr { return nil }
