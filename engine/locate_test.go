package engine_test

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"headway/engine"
)

// file writes a file for a test and returns its path.
func file(t *testing.T, name string, mode os.FileMode, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// elfHeader is the beginning of a shared library for a processor, with a
// program header that promises more bytes than the file has.
func elfHeader(machine elf.Machine) []byte {
	h := elf.Header64{Type: uint16(elf.ET_DYN), Machine: uint16(machine), Version: 1, Phoff: 64, Phentsize: 56, Phnum: 1, Ehsize: 64}
	copy(h.Ident[:], elf.ELFMAG)
	h.Ident[elf.EI_CLASS], h.Ident[elf.EI_DATA], h.Ident[elf.EI_VERSION] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), 1
	b, err := binary.Append(nil, binary.LittleEndian, h)
	if err != nil {
		panic(err)
	}
	b, err = binary.Append(b, binary.LittleEndian, elf.Prog64{Type: uint32(elf.PT_LOAD), Filesz: 1 << 20, Memsz: 1 << 20})
	if err != nil {
		panic(err)
	}
	return b
}

func TestLocateNamesTheRemedy(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Fatalf("the libraries of this test are made for linux/amd64, not %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	script := func(body string) string { return file(t, "clickhouse", 0o755, []byte("#!/bin/sh\n"+body+"\n")) }
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	packaged := t.TempDir()
	if err := os.WriteFile(filepath.Join(packaged, "libchdb.so"), elfHeader(elf.EM_X86_64), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		search engine.Search
		is     error
		says   []string
	}{
		{"nothing anywhere", engine.Search{Roots: []string{t.TempDir()}}, engine.ErrNoEngine, []string{"make setup", "HEADWAY_LIBCHDB", "HEADWAY_CLICKHOUSE"}},
		{"library that is not there", engine.Search{Library: "/nowhere/libchdb.so"}, engine.ErrUnusable, []string{"HEADWAY_LIBCHDB=/nowhere/libchdb.so", "no file", "unset"}},
		{"library is a directory", engine.Search{Library: t.TempDir()}, engine.ErrUnusable, []string{"not a file"}},
		{"library is empty", engine.Search{Library: file(t, "a.so", 0o644, nil)}, engine.ErrUnusable, []string{"not a Linux shared library"}},
		{"library is text", engine.Search{Library: file(t, "a.so", 0o644, []byte("hello, world"))}, engine.ErrUnusable, []string{"not a Linux shared library"}},
		{"library for another processor", engine.Search{Library: file(t, "a.so", 0o644, elfHeader(elf.EM_AARCH64))}, engine.ErrUnusable, []string{"another processor", "EM_AARCH64", "amd64"}},
		{"library is a program", engine.Search{Library: self}, engine.ErrUnusable, []string{"not a shared library"}},
		{"library is a program that may lie anywhere", engine.Search{Library: "/bin/ls"}, engine.ErrUnusable, []string{"is a program", "HEADWAY_LIBCHDB=/bin/ls", "unset it"}},
		{"library cut short", engine.Search{Library: file(t, "a.so", 0o644, elfHeader(elf.EM_X86_64))}, engine.ErrUnusable, []string{"cut short at 120 bytes"}},
		{"library header cut short", engine.Search{Library: file(t, "a.so", 0o644, elfHeader(elf.EM_X86_64)[:70])}, engine.ErrUnusable, []string{"damaged or cut short"}},
		{"packaged library cut short", engine.Search{Roots: []string{packaged}}, engine.ErrUnusable, []string{"cut short", "make setup"}},
		{"program that is not there", engine.Search{Program: "/nowhere/clickhouse"}, engine.ErrUnusable, []string{"HEADWAY_CLICKHOUSE=/nowhere/clickhouse", "no such file"}},
		{"program not executable", engine.Search{Program: file(t, "clickhouse", 0o644, nil)}, engine.ErrUnusable, []string{"permission denied"}},
		{"program fails", engine.Search{Program: script("exit 3")}, engine.ErrUnusable, []string{"exit status 3"}},
		{"program is something else", engine.Search{Program: script("echo hello")}, engine.ErrUnusable, []string{"does not tell a ClickHouse version"}},
		{"program too old", engine.Search{Program: script("echo ClickHouse server version 18.16.1.")}, engine.ErrUnusable, []string{"version 18.16", "older than 25.3"}},
		{"program on the path too old", engine.Search{Path: filepath.Dir(script("echo ClickHouse server version 25.2.1."))}, engine.ErrNoEngine, []string{"passed over", "version 25.2", "make setup"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			found, err := tt.search.Locate()
			if !errors.Is(err, tt.is) {
				t.Fatalf("found %+v, error %v; want %v", found, err, tt.is)
			}
			for _, s := range tt.says {
				if !strings.Contains(err.Error(), s) {
					t.Errorf("error does not say %q:\n%v", s, err)
				}
			}
		})
	}
}

func TestLocateOrder(t *testing.T) {
	t.Parallel()
	real, err := engine.DefaultSearch(func(string) string { return "" }).Locate()
	if err != nil {
		t.Fatal(err)
	}
	good := file(t, "clickhouse", 0o755, []byte("#!/bin/sh\necho ClickHouse server version 26.1.2.3 '(official build).'\n"))
	old := file(t, "clickhouse", 0o755, []byte("#!/bin/sh\necho ClickHouse server version 20.1.1.\n"))
	roots := []string{t.TempDir(), filepath.Dir(real.Path)}
	tests := []struct {
		name   string
		search engine.Search
		want   engine.Located
	}{
		{"library variable first", engine.Search{Library: real.Path, Program: good, Path: filepath.Dir(good), Roots: roots}, engine.Located{Kind: engine.Library, Path: real.Path, From: "HEADWAY_LIBCHDB"}},
		{"then the program variable", engine.Search{Program: good, Path: filepath.Dir(old), Roots: roots}, engine.Located{Kind: engine.Program, Path: good, From: "HEADWAY_CLICKHOUSE"}},
		{"then the path", engine.Search{Path: filepath.Dir(good), Roots: roots}, engine.Located{Kind: engine.Program, Path: good, From: "PATH"}},
		{"an old program on the path is passed over", engine.Search{Path: filepath.Dir(old), Roots: roots}, engine.Located{Kind: engine.Library, Path: real.Path, From: "make setup"}},
		{"then the package", engine.Search{Roots: roots}, engine.Located{Kind: engine.Library, Path: real.Path, From: "make setup"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := tt.search.Locate()
			if err != nil || got != tt.want {
				t.Errorf("got %+v, %v; want %+v", got, err, tt.want)
			}
		})
	}
}

func TestDefaultSearchLooksInTheUsersDataDirectory(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		env  map[string]string
		want string
	}{
		{"XDG_DATA_HOME", map[string]string{"XDG_DATA_HOME": "/x", "HOME": "/h"}, "/x/headway/engine"},
		{"HOME", map[string]string{"HOME": "/h"}, "/h/.local/share/headway/engine"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			roots := engine.DefaultSearch(func(k string) string { return tt.env[k] }).Roots
			if got := roots[len(roots)-1]; got != tt.want {
				t.Errorf("last root %s, want %s", got, tt.want)
			}
		})
	}
}
