package engine

import (
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"time"
)

// checkLibrary finds out without loading it whether path can be a libchdb for
// this machine. Loading a truncated library kills the process, so its extent
// is checked first. Errors wrap ErrUnusable.
func checkLibrary(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%w: there is no file %s", ErrUnusable, path)
	case err != nil:
		return fmt.Errorf("%w: %w", ErrUnusable, err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%w: %s is not a file; name the library itself", ErrUnusable, path)
	}
	if runtime.GOOS != "linux" {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	defer f.Close()
	return checkELF(f, path, info.Size())
}

func checkELF(r io.ReaderAt, path string, size int64) error {
	magic := make([]byte, len(elf.ELFMAG))
	if _, err := r.ReadAt(magic, 0); err != nil || string(magic) != elf.ELFMAG {
		return fmt.Errorf("%w: %s is not a Linux shared library", ErrUnusable, path)
	}
	lib, err := elf.NewFile(r)
	if err != nil {
		return fmt.Errorf("%w: %s is damaged or cut short (%w)", ErrUnusable, path, err)
	}
	machines := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}
	if want, known := machines[runtime.GOARCH]; known && lib.Machine != want {
		return fmt.Errorf("%w: %s is for another processor (%s, this machine is %s)", ErrUnusable, path, lib.Machine, runtime.GOARCH)
	}
	if lib.Type != elf.ET_DYN {
		return fmt.Errorf("%w: %s is not a shared library (%s)", ErrUnusable, path, lib.Type)
	}
	// A program that may lie anywhere in memory has the type of a library too.
	if flags, err := lib.DynValue(elf.DT_FLAGS_1); err == nil && len(flags) > 0 && elf.DynFlag1(flags[0])&elf.DF_1_PIE != 0 {
		return fmt.Errorf("%w: %s is a program, not a shared library", ErrUnusable, path)
	}
	for _, p := range lib.Progs {
		if int64(p.Off)+int64(p.Filesz) > size {
			return fmt.Errorf("%w: %s is cut short at %d bytes", ErrUnusable, path, size)
		}
	}
	return nil
}

// oldestProgram is the first ClickHouse release (year, month) that knows every
// setting and grant that the configuration uses.
var oldestProgram = [2]int{25, 3}

var versionPattern = regexp.MustCompile(`version (\d+)\.(\d+)`)

// checkProgram asks path for its version. Errors wrap ErrUnusable.
func checkProgram(path string) error {
	if _, err := exec.LookPath(path); err != nil {
		return fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "server", "--version").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: ask %s for its version: %w", ErrUnusable, path, err)
	}
	m := versionPattern.FindSubmatch(out)
	if m == nil {
		return fmt.Errorf("%w: %s does not tell a ClickHouse version", ErrUnusable, path)
	}
	year, _ := strconv.Atoi(string(m[1]))
	month, _ := strconv.Atoi(string(m[2]))
	if year < oldestProgram[0] || year == oldestProgram[0] && month < oldestProgram[1] {
		return fmt.Errorf("%w: %s is version %d.%d, older than %d.%d", ErrUnusable, path, year, month, oldestProgram[0], oldestProgram[1])
	}
	return nil
}
