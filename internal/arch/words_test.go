package arch

import (
	"path"
	"regexp"
	"strings"
	"testing"
)

// Paths of one machine and hosts of package registries have no place in the
// repository. The patterns are put together here so that this file passes.
var (
	machinePath = regexp.MustCompile(`(^|[^A-Za-z0-9._/-])/(` + strings.Join([]string{"work", "root", "home", "tmp", "farm", "Users"}, "|") + `)/[A-Za-z0-9._-]`)
	packageHost = regexp.MustCompile(`(?i)https?://(registry|proxy|repo1?|deb|files|sum)\.|` +
		strings.Join([]string{"npm" + `js\.org`, "npm" + `js\.com`, "golang" + `\.org/dl`, "maven" + `\.org/maven2`, "maven" + `\.apache\.org/maven2`,
			"pypi" + `\.org`, "python" + `hosted\.org`, "crates" + `\.io`, "debian" + `\.org/debian`}, "|"))
)

func TestNoMachinePathOrPackageHost(t *testing.T) {
	for _, file := range tracked(t) {
		if path.Base(file) == "go.sum" {
			continue
		}
		for i, line := range strings.Split(read(t, file), "\n") {
			if found := forbidden(line); found != "" {
				t.Errorf("%s:%d has %q: name it without a machine's path or a package host", file, i+1, found)
			}
		}
	}
}

func TestForbidden(t *testing.T) {
	slash := "/"
	for _, tc := range []struct{ name, line, want string }{
		{"machine path", `dir := "` + slash + `work/main"`, slash + "work/m"},
		{"at the start", slash + "root/x", slash + "root/x"},
		{"temporary file", "cat " + slash + "tmp/out", slash + "tmp/o"},
		{"folder alone", "tmpfs: [" + slash + "tmp]", ""},
		{"relative", "docs/tmp/x and ./work/x and ../root/x", ""},
		{"in a URL", "https://example.com/home/x", ""},
		{"variable", "$HOME/work/x", ""},
		{"registry", "https" + "://registry.example.com/x", "https" + "://registry."},
		{"host", "see npm" + "js.org", "npm" + "js.org"},
		{"schema of a POM", "http://maven.apache.org/POM/4.0.0", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := strings.TrimLeft(forbidden(tc.line), ` "`); got != tc.want {
				t.Errorf("found %q, want %q", got, tc.want)
			}
		})
	}
}

func forbidden(line string) string {
	if found := machinePath.FindString(line); found != "" {
		return found
	}
	return packageHost.FindString(line)
}
