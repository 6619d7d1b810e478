package trap

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"unsafe"
)

// Numbers of the kernel's interface: linux/seccomp.h, linux/prctl.h and the
// system calls of x86-64.
const (
	sysSeccomp      = 317
	sysRename       = 82
	sysRenameat     = 264
	sysRenameat2    = 316
	prSetNoNewPrivs = 38

	setModeFilter = 1
	// All threads get the filter, and the call returns a descriptor.
	filterFlags = 1<<0 | 1<<3 | 1<<4

	retUserNotif = 0x7fc00000
	retAllow     = 0x7fff0000

	ioctlReceive = 0xc0502100
	ioctlSend    = 0xc0182101
	goOn         = 1
)

// notice is struct seccomp_notif.
type notice struct {
	id         uint64
	pid, flags uint32
	nr         int32
	arch       uint32
	ip         uint64
	args       [6]uint64
}

// verdict is struct seccomp_notif_resp.
type verdict struct {
	id    uint64
	val   int64
	errno int32
	flags uint32
}

// arm has the kernel ask before every rename of this process and of those
// that it starts.
func arm() error {
	const load, equal, ret = syscall.BPF_LD | syscall.BPF_W | syscall.BPF_ABS, syscall.BPF_JMP | syscall.BPF_JEQ | syscall.BPF_K, syscall.BPF_RET | syscall.BPF_K
	filter := []syscall.SockFilter{
		{Code: load, K: 0}, // the number of the system call
		{Code: equal, K: sysRename, Jt: 3},
		{Code: equal, K: sysRenameat, Jt: 2},
		{Code: equal, K: sysRenameat2, Jt: 1},
		{Code: ret, K: retAllow},
		{Code: ret, K: retUserNotif},
	}
	prog := syscall.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, prSetNoNewPrivs, 1, 0, 0, 0, 0); errno != 0 {
		return fmt.Errorf("giving up new privileges: %w", errno)
	}
	fd, _, errno := syscall.RawSyscall(sysSeccomp, setModeFilter, filterFlags, uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(filter)
	if errno != 0 {
		return fmt.Errorf("filtering system calls: %w", errno)
	}
	go watch(fd)
	return nil
}

// watch answers the kernel for as long as the process lives.
func watch(fd uintptr) {
	var inserts counter
	for {
		var n notice
		_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, fd, ioctlReceive, uintptr(unsafe.Pointer(&n)))
		switch errno {
		case 0:
		case syscall.EINTR, syscall.ENOENT: // interrupted, or who asked has ended
			continue
		default: // every rename would wait for ever
			panic("trap: waiting for a rename: " + errno.Error())
		}
		at := n.args[0]
		if n.nr != sysRename {
			at = n.args[1]
		}
		if publishes(text(n.pid, at)) && inserts.deadly() {
			_ = syscall.Kill(int(n.pid), syscall.SIGKILL) // it is asking, so it lives
		}
		v := verdict{id: n.id, flags: goOn}
		// It may have been killed meanwhile, then nobody waits for the answer.
		_, _, _ = syscall.Syscall(syscall.SYS_IOCTL, fd, ioctlSend, uintptr(unsafe.Pointer(&v)))
	}
}

// text reads a C string from a process.
func text(pid uint32, at uint64) string {
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return ""
	}
	defer mem.Close()
	buf := make([]byte, 4096)
	n, _ := mem.ReadAt(buf, int64(at)) // up to the end of what is mapped
	before, _, _ := bytes.Cut(buf[:n], []byte{0})
	return string(before)
}
