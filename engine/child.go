package engine

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"
)

// childVariable tells a process of this binary that it is to be an engine's
// child, and of which Kind.
const childVariable = "HEADWAY_ENGINE_CHILD"

// IsChild says whether this process was started by StartClickHouse to host the
// engine. A main or TestMain that may start an engine calls it first:
//
//	if engine.IsChild() {
//		os.Exit(engine.ChildMain())
//	}
func IsChild() bool { return os.Getenv(childVariable) != "" }

// ChildMain hosts the engine until standard input ends, and returns the exit
// code. Standard input is a pipe that the parent holds open, so that the
// engine ends cleanly however the parent ends.
func ChildMain() int {
	var err error
	switch kind := Kind(os.Getenv(childVariable)); {
	case kind == Library && len(os.Args) == 4:
		err = hostLibrary(os.Args[1], os.Args[2], os.Args[3])
	case kind == Program && len(os.Args) == 3:
		err = guardProgram(os.Args[1], os.Args[2])
	default:
		err = fmt.Errorf("%s=%s is set by Headway for its own child: unset it", childVariable, kind)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "engine child:", err)
		return 1
	}
	return 0
}

// hostLibrary runs the clickhouse-local that libchdb contains. It executes the
// script that opens the listeners, then reads further statements from standard
// input: there are none, so it serves until that ends.
func hostLibrary(library, config, script string) error {
	handle, err := purego.Dlopen(library, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return fmt.Errorf("load %s: %w", library, err)
	}
	symbol, err := purego.Dlsym(handle, "chdb_query_cmdline")
	if err != nil {
		return fmt.Errorf("%s is not a libchdb: %w", library, err)
	}
	var run func(argc int32, argv unsafe.Pointer) unsafe.Pointer
	purego.RegisterFunc(&run, symbol)

	fmt.Println(os.Getpid())
	args := []string{"clickhouse", "--config-file=" + config, "--log-level=warning", "--queries-file", script, "/dev/stdin"}
	argv := make([]*byte, len(args)+1)
	for i, a := range args {
		argv[i], err = syscall.BytePtrFromString(a)
		if err != nil {
			return fmt.Errorf("pass %q to the engine: %w", a, err)
		}
	}
	run(int32(len(args)), unsafe.Pointer(&argv[0]))
	return nil
}

// guardProgram runs an installed clickhouse as a server and ends it when
// standard input ends: the server itself does not look at its input.
func guardProgram(program, config string) error {
	server := exec.Command(program, "server", "--config-file="+config)
	server.Env = append(childEnv(os.Getenv), "CLICKHOUSE_WATCHDOG_ENABLE=0")
	server.Stdout, server.Stderr = os.Stderr, os.Stderr
	server.ExtraFiles = []*os.File{os.NewFile(lockFD, "lock")}
	// The death signal is bound to the thread that starts the server.
	runtime.LockOSThread()
	dieWithParent(server)
	if err := server.Start(); err != nil {
		return fmt.Errorf("start %s: %w", program, err)
	}
	fmt.Println(server.Process.Pid)

	end := make(chan os.Signal, 2)
	signal.Notify(end, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		// Whatever ends the reading, the parent is gone or wants an end.
		_, _ = io.Copy(io.Discard, os.Stdin)
		end <- syscall.SIGTERM
	}()
	go func() {
		for range end {
			_ = server.Process.Signal(syscall.SIGTERM)
			time.AfterFunc(guardPatience, func() { _ = server.Process.Kill() })
		}
	}()
	err := server.Wait()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 128+int(syscall.SIGTERM) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", program, err)
	}
	return nil
}

// guardPatience is how long a server may take for a clean end once its
// parent is gone.
const guardPatience = 30 * time.Second

// lockFD is the number under which a child inherits the lock of the data
// directory: the first of exec.Cmd.ExtraFiles.
const lockFD = 3

// childEnv is all that a child learns of the environment: the engine needs no
// more, and what it does not have it can't show.
func childEnv(getenv func(string) string) []string {
	var env []string
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "LD_LIBRARY_PATH"} {
		if v := getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}
