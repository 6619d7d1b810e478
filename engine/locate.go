package engine

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Kind tells the two things that can serve as the database.
type Kind string

const (
	// Library is libchdb, loaded by a child process of our own.
	Library Kind = "libchdb"
	// Program is an installed clickhouse, run as a server.
	Program Kind = "clickhouse"
)

// Located is an engine that was found.
type Located struct {
	Kind Kind
	// Path is absolute.
	Path string
	// From says what led to it: the name of the variable, "PATH" or "make setup".
	From string
}

// remedy is what a person can do when the engine can't be used after all.
func (l Located) remedy() string {
	switch l.From {
	case fromSetup:
		return "run `make setup` again"
	case fromPath:
		return "mend that installation, or take it off the PATH to use what `make setup` installs"
	}
	return "correct " + l.From + ", or unset it to use what `make setup` installs"
}

// What leads to an engine beside the variables.
const (
	fromPath  = "PATH"
	fromSetup = "make setup"
)

// Search holds the places to look in. Each may be empty.
type Search struct {
	// Library and Program are the values of HEADWAY_LIBCHDB and
	// HEADWAY_CLICKHOUSE.
	Library, Program string
	// Path is the value of PATH.
	Path string
	// Roots are the directories where the npm package may be: each is asked
	// for libchdb.so and for the package below node_modules.
	Roots []string
}

// DefaultSearch fills a Search from the environment, the place of the running
// executable and the checkout it lies in, the checkout that the working
// directory is in, and the user's data directory.
func DefaultSearch(getenv func(string) string) Search {
	s := Search{Library: getenv("HEADWAY_LIBCHDB"), Program: getenv("HEADWAY_CLICKHOUSE"), Path: getenv("PATH")}
	if exe, err := os.Executable(); err == nil {
		dir := filepath.Dir(exe)
		s.Roots = append(s.Roots, dir, filepath.Join(dir, "engine", "chdb"))
		if root := moduleRoot(dir); root != "" {
			s.Roots = append(s.Roots, filepath.Join(root, "engine", "chdb"))
		}
	}
	if wd, err := os.Getwd(); err == nil {
		if root := moduleRoot(wd); root != "" {
			s.Roots = append(s.Roots, filepath.Join(root, "engine", "chdb"))
		}
	}
	data := getenv("XDG_DATA_HOME")
	if home := getenv("HOME"); data == "" && home != "" {
		data = filepath.Join(home, ".local", "share")
	}
	if data != "" {
		s.Roots = append(s.Roots, filepath.Join(data, "headway", "engine"))
	}
	return s
}

// moduleRoot walks up from dir to the directory whose go.mod is Headway's.
func moduleRoot(dir string) string {
	for {
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && bytes.HasPrefix(mod, []byte("module headway\n")) {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// Locate finds the engine: HEADWAY_LIBCHDB, then HEADWAY_CLICKHOUSE, then
// clickhouse on the PATH, then the library of the npm package. What a variable
// names must be usable; a program found on the PATH that is too old is passed
// over. Errors wrap ErrNoEngine or ErrUnusable and name the remedy.
func (s Search) Locate() (Located, error) {
	if s.Library != "" {
		return s.named(Library, s.Library, "HEADWAY_LIBCHDB", checkLibrary)
	}
	if s.Program != "" {
		return s.named(Program, s.Program, "HEADWAY_CLICKHOUSE", checkProgram)
	}
	var passed []string
	if found := lookPath(s.Path, "clickhouse"); found != "" {
		err := checkProgram(found)
		if err == nil {
			return Located{Kind: Program, Path: found, From: fromPath}, nil
		}
		passed = append(passed, err.Error())
	}
	for _, lib := range s.candidates() {
		_, err := os.Stat(lib)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err := checkLibrary(lib); err != nil {
			return Located{}, fmt.Errorf("%w: run `make setup` again", err)
		}
		return Located{Kind: Library, Path: lib, From: fromSetup}, nil
	}
	return Located{}, noEngine(passed)
}

func noEngine(passed []string) error {
	setup := "run `make setup` (fetches libchdb with npm, about 180 MB)"
	if npmPackage(runtime.GOOS, runtime.GOARCH) == "" {
		setup = fmt.Sprintf("(`make setup` has no library for %s/%s)", runtime.GOOS, runtime.GOARCH)
	}
	text := ""
	if len(passed) > 0 {
		text = " (passed over: " + strings.Join(passed, "; ") + ")"
	}
	return fmt.Errorf("%w%s: %s, or set HEADWAY_LIBCHDB to the path of a libchdb library, "+
		"or install clickhouse on the PATH or set HEADWAY_CLICKHOUSE to its path", ErrNoEngine, text, setup)
}

func (s Search) named(kind Kind, path, from string, check func(string) error) (Located, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return Located{}, fmt.Errorf("resolve %s=%q: %w", from, path, err)
	}
	if err := check(abs); err != nil {
		return Located{}, fmt.Errorf("%s=%s: %w: correct it, or unset it to use what `make setup` installs", from, path, err)
	}
	return Located{Kind: kind, Path: abs, From: from}, nil
}

// npmPackage names the package that holds the library for a platform, or "".
// Only this one is published.
func npmPackage(goos, goarch string) string {
	if goos == "linux" && goarch == "amd64" {
		return "@chdb/lib-linux-x64-gnu"
	}
	return ""
}

func (s Search) candidates() []string {
	pkg := npmPackage(runtime.GOOS, runtime.GOARCH)
	var libs []string
	for _, root := range s.Roots {
		libs = append(libs, filepath.Join(root, "libchdb.so"))
		if pkg != "" {
			libs = append(libs, filepath.Join(root, "node_modules", filepath.FromSlash(pkg), "libchdb.so"))
		}
	}
	return libs
}

// lookPath is exec.LookPath over a given list of directories.
func lookPath(path, name string) string {
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if found, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return found
		}
	}
	return ""
}
