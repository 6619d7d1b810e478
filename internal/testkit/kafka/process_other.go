//go:build !linux

package kafka

import "syscall"

// diesWithParent can't be had outside Linux: there the test's cleanup alone
// ends the child.
func diesWithParent() *syscall.SysProcAttr { return nil }
