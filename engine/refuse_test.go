package engine_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"headway/engine"
)

// refused starts a ClickHouse that must not start and returns the error.
func refused(t *testing.T, o engine.Options) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c, err := engine.StartClickHouse(ctx, o)
	if err == nil {
		c.Close()
		t.Fatal("started")
	}
	return err
}

func mustSay(t *testing.T, err error, texts ...string) {
	t.Helper()
	for _, s := range texts {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("error does not say %q:\n%v", s, err)
		}
	}
}

func TestStartRefusesOptions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		o    engine.Options
		says []string
	}{
		{"host name", engine.Options{Listen: "db.example"}, []string{"db.example", "IP address"}},
		{"foreign address", engine.Options{Listen: "192.0.2.1"}, []string{"192.0.2.1", "address of this machine"}},
		{"port out of range", engine.Options{TCPPort: 70000}, []string{"70000", "1 to 65535"}},
		{"negative port", engine.Options{HTTPPort: -1}, []string{"-1", "1 to 65535"}},
		{"same port twice", engine.Options{TCPPort: 9000, HTTPPort: 9000}, []string{"both 9000"}},
		{"too little memory", engine.Options{MaxMemory: 1 << 20}, []string{"1048576", "at least"}},
		{"negative memory", engine.Options{MaxMemory: -1}, []string{"-1", "at least"}},
		{"macro name", engine.Options{Macros: map[string]string{"a b": "c"}}, []string{`"a b"`, "letters"}},
		{"cluster name", engine.Options{Clusters: []engine.Cluster{{Name: "a<b"}}}, []string{`"a<b"`, "letters"}},
		{"cluster without shards", engine.Options{Clusters: []engine.Cluster{{Name: "two"}}}, []string{"two", "at least one"}},
		{"data directory is a file", engine.Options{DataDir: file(t, "data", 0o644, nil)}, []string{"not a directory", "--data-dir"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			mustSay(t, refused(t, tt.o), tt.says...)
		})
	}
}

func TestStartRefusesTakenPorts(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	port := l.Addr().(*net.TCPAddr).Port
	for name, o := range map[string]engine.Options{"native": {TCPPort: port}, "HTTP": {HTTPPort: port}} {
		t.Run(name, func(t *testing.T) {
			err := refused(t, o)
			if !errors.Is(err, engine.ErrPortTaken) {
				t.Errorf("error %v, want ErrPortTaken", err)
			}
			mustSay(t, err, name, l.Addr().String(), "another port")
		})
	}
}

func TestStartRefusesDirectoryInUse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	start(t, engine.Options{DataDir: dir})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	c, err := engine.StartClickHouse(ctx, engine.Options{DataDir: dir})
	if !errors.Is(err, engine.ErrDataDirInUse) {
		t.Fatalf("got %v, %v", c, err)
	}
	mustSay(t, err, dir, "stop that one")
}

func TestStartRefusesPasswordFiles(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		mode    os.FileMode
		content string
		says    []string
	}{
		{"readable by others", 0o644, strings.Repeat("x", 52), []string{"chmod 600", "delete it"}},
		{"empty", 0o600, "", []string{"no usable password", "delete it"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := file(t, "password", tt.mode, []byte(tt.content))
			err := refused(t, engine.Options{DataDir: filepath.Dir(path)})
			mustSay(t, err, append(tt.says, path)...)
			// The refused start must not leave the directory locked.
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			start(t, engine.Options{DataDir: filepath.Dir(path)})
		})
	}
}

func TestStartRefusesOtherLibrary(t *testing.T) {
	t.Parallel()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	libc := regexp.MustCompile(`/\S*/libc\.so\.6`).Find(maps)
	if libc == nil {
		t.Fatalf("this test needs to find libc among its own libraries:\n%s", bytes.TrimSpace(maps))
	}
	err = refused(t, engine.Options{Search: &engine.Search{Library: string(libc)}})
	mustSay(t, err, string(libc), "not a libchdb", "correct HEADWAY_LIBCHDB", "unset it", "make setup")
}

func TestStartRefusesDamagedData(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := start(t, engine.Options{DataDir: dir})
	query(t, c, "CREATE DATABASE headway")
	query(t, c, "CREATE TABLE headway.t (x Int64) ENGINE = MergeTree ORDER BY x")
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	definitions, err := filepath.Glob(filepath.Join(dir, "store", "store", "*", "*", "t.sql"))
	if err != nil || len(definitions) != 1 {
		t.Fatalf("table definitions: %v, %v", definitions, err)
	}
	if err := os.WriteFile(definitions[0], []byte("no SQL"), 0o600); err != nil {
		t.Fatal(err)
	}
	mustSay(t, refused(t, engine.Options{DataDir: dir}), "Syntax error", "t.sql")
}

func TestStartGivesUp(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mustSay(t, refused(t, engine.Options{DataDir: dir, StartTimeout: time.Millisecond}), "not ready after 1ms")
	start(t, engine.Options{DataDir: dir})
}
