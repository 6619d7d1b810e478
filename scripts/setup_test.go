package scripts

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// basics are the programs that the scripts take for granted.
var basics = []string{"bash", "dirname", "id", "head", "sed", "awk", "ls", "uname", "cat"}

func TestSetupNamesTheRemedy(t *testing.T) {
	for _, tc := range []struct{ name, part, want string }{
		{"go", "go", "go.dev/dl"},
		{"node", "node", "apt-get install nodejs npm"},
		{"java", "java", "apt-get install default-jre-headless"},
		{"maven without java", "maven", "apt-get install default-jre-headless"},
		{"web without node", "web", "apt-get install nodejs npm"},
		{"browser", "chromium", "apt-get install chromium"},
		{"unknown part", "moon", `there is no part "moon"; parts: go node`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			code, said := script(t, programs(t), "setup", tc.part)
			if code != 1 || !strings.Contains(said, tc.want) {
				t.Errorf("exit %d, said %q; want 1 and %q", code, said, tc.want)
			}
		})
	}
}

func TestSetupRefusesOldPrograms(t *testing.T) {
	for _, tc := range []struct{ name, part, program, answer, want string }{
		{"node", "node", "node", "echo v18.19.0", "Node v18.19.0 is too old: install Node 20"},
		{"java", "java", "java", `echo 'openjdk version "11.0.2" 2019-01-15' >&2`, "Java 11 is too old"},
		{"go", "go", "go", "echo 'go: go.mod requires go >= 1.26' >&2; exit 1", "requires go >= 1.26: install Go 1.26"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := programs(t)
			for _, program := range []string{tc.program, "npm"} {
				if err := os.WriteFile(filepath.Join(path, program), []byte("#!/usr/bin/env bash\n"+tc.answer+"\n"), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			code, said := script(t, path+":/usr/bin:/bin", "setup", tc.part)
			if code != 1 || !strings.Contains(said, tc.want) {
				t.Errorf("exit %d, said %q; want 1 and %q", code, said, tc.want)
			}
		})
	}
}

func TestNpmCurrent(t *testing.T) {
	const locked = `{"packages": {"": {"name": "x"},
		"node_modules/a": {"version": "1.0.0", "integrity": "sha512-a"},
		"node_modules/other": {"version": "1.0.0", "integrity": "sha512-o", "optional": true, "os": ["nowhere"]}}}`
	const a = `"node_modules/a": {"version": "1.0.0", "integrity": "sha512-a"}`
	for _, tc := range []struct {
		name, installed string
		files           []string
		current         bool
	}{
		{"installed", `{"packages": {` + a + `}}`, []string{"a"}, true},
		{"never installed", "", nil, false},
		{"nothing in it", `{"packages": {}}`, nil, false},
		{"folder gone", `{"packages": {` + a + `}}`, nil, false},
		{"other version", `{"packages": {"node_modules/a": {"version": "1.0.1", "integrity": "sha512-a"}}}`, []string{"a"}, false},
		{"other content", `{"packages": {"node_modules/a": {"version": "1.0.0", "integrity": "sha512-b"}}}`, []string{"a"}, false},
		{"one too many", `{"packages": {` + a + `, "node_modules/b": {"version": "1.0.0"}}}`, []string{"a", "b"}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "package-lock.json"), locked)
			if tc.installed != "" {
				write(t, filepath.Join(dir, "node_modules", ".package-lock.json"), tc.installed)
			}
			for _, name := range tc.files {
				write(t, filepath.Join(dir, "node_modules", name, "package.json"), "{}")
			}
			err := exec.CommandContext(t.Context(), "node", "npm-current.mjs", dir).Run()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			if (err == nil) != tc.current {
				t.Errorf("current: %v, want %v", err == nil, tc.current)
			}
		})
	}
}

// programs returns a folder with the basics alone, to be a PATH.
func programs(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range basics {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// script runs a script of this folder with PATH alone in its environment.
func script(t *testing.T, path, name string, args ...string) (code int, said string) {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), bash, append([]string{name}, args...)...)
	cmd.Env = []string{"PATH=" + path}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
