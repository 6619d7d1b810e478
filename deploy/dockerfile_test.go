package deploy

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// instruction is one line of a Dockerfile with continuations joined.
type instruction struct{ word, rest string }

func TestDockerfile(t *testing.T) {
	stages := map[string]bool{}
	last, user := "", map[string]string{}
	for _, in := range dockerfile(t) {
		fields := strings.Fields(in.rest)
		switch in.word {
		case "FROM":
			image, name := fields[0], fields[len(fields)-1]
			if _, tag, _ := strings.Cut(image, ":"); !stages[image] && (tag == "" || tag == "latest") {
				t.Errorf("FROM %s is not pinned to a version", image)
			}
			stages[name], user[name], last = true, user[image], name
		case "USER":
			user[last] = in.rest
		case "COPY":
			checkCopy(t, fields, stages)
		}
	}
	for _, name := range []string{"server", "up"} {
		if u := user[name]; u == "" || strings.HasPrefix(u, "0") || strings.HasPrefix(u, "root") {
			t.Errorf("the image %s runs as %q, want a user without privileges", name, u)
		}
	}
	if last != "server" {
		t.Errorf("docker build makes %q, want server", last)
	}
}

// checkCopy fails where COPY names a stage or a file that isn't there.
func checkCopy(t *testing.T, fields []string, stages map[string]bool) {
	t.Helper()
	if from, ok := strings.CutPrefix(fields[0], "--from="); ok {
		if !stages[from] {
			t.Errorf("COPY --from=%s names no earlier stage", from)
		}
		return
	}
	for _, source := range fields[:len(fields)-1] {
		if _, err := os.Stat(filepath.Join("..", source)); err != nil {
			t.Errorf("COPY %s: %v", source, err)
		}
	}
}

func TestImageBuildsWithTheModulesGo(t *testing.T) {
	raw, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(raw)
	if version == nil {
		t.Fatal("go.mod has no go line")
	}
	want := "golang:" + string(version[1]) + "-"
	for _, in := range dockerfile(t) {
		if in.word == "FROM" && strings.HasPrefix(in.rest, want) {
			return
		}
	}
	t.Errorf("no FROM %s…: go.mod asks for that version", want)
}

func dockerfile(t *testing.T) []instruction {
	t.Helper()
	raw, err := os.ReadFile("../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	var out []instruction
	for _, line := range strings.Split(strings.ReplaceAll(string(raw), "\\\n", ""), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		out = append(out, instruction{word, strings.TrimSpace(rest)})
	}
	return out
}
