package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"strings"
	"testing"
)

const (
	fileLimit     = 400 // lines of one file
	functionLimit = 80  // lines of one function outside tests
	fileGoal      = 120 // half of the files stay below
	functionGoal  = 40  // nine in ten functions stay below
)

// span is a file or function with its length in lines.
type span struct {
	name  string
	lines int
}

func TestFilesStayShort(t *testing.T) {
	var sizes []span
	for _, file := range sources(t) {
		sizes = append(sizes, span{file, strings.Count(read(t, file), "\n")})
	}
	report(t, sizes, fileLimit, fileGoal, 0.5, "give it rooms")
}

func TestFunctionsStayShort(t *testing.T) {
	var sizes []span
	for _, file := range sources(t) {
		if path.Ext(file) == ".go" && !strings.HasSuffix(file, "_test.go") {
			sizes = append(sizes, functions(t, file, read(t, file))...)
		}
	}
	report(t, sizes, functionLimit, functionGoal, 0.9, "name its parts")
}

func TestSizesCanFail(t *testing.T) {
	long := "package p\n\nfunc (t T) long() {\n" + strings.Repeat("\t_ = 1\n", functionLimit) + "}\n\nfunc short() {}\n"
	got := functions(t, "p.go", long)
	if len(got) != 2 || got[0].lines != functionLimit+2 || got[0].name != "p.go:3 long" || got[1].lines != 1 {
		t.Errorf("functions %v", got)
	}
	if over, share := judge(got, functionLimit, functionGoal); len(over) != 1 || share != 0.5 {
		t.Errorf("over the limit: %v, share below the goal %v; want long alone, and 0.5", over, share)
	}
}

// report fails for what is over the limit, and when too small a share is
// below the goal.
func report(t *testing.T, sizes []span, limit, goal int, wanted float64, remedy string) {
	t.Helper()
	over, share := judge(sizes, limit, goal)
	for _, s := range over {
		t.Errorf("%s has %d lines, the limit is %d: %s", s.name, s.lines, limit, remedy)
	}
	if share < wanted {
		t.Errorf("%.0f %% of %d have at most %d lines, at least %.0f %% should", 100*share, len(sizes), goal, 100*wanted)
	}
	t.Logf("%d measured, %.0f %% of at most %d lines", len(sizes), 100*share, goal)
}

func judge(sizes []span, limit, goal int) (over []span, share float64) {
	within := 0
	for _, s := range sizes {
		if s.lines > limit {
			over = append(over, s)
		}
		if s.lines <= goal {
			within++
		}
	}
	return over, float64(within) / float64(max(1, len(sizes)))
}

// functions measures each function from its func to its closing brace.
func functions(t *testing.T, name, text string) []span {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []span
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			from, to := set.Position(f.Pos()), set.Position(f.End())
			out = append(out, span{from.String()[:strings.LastIndex(from.String(), ":")] + " " + f.Name.Name, to.Line - from.Line + 1})
		}
	}
	return out
}

// sources lists the tracked program files that people wrote.
func sources(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, file := range tracked(t) {
		switch path.Ext(file) {
		case ".go", ".ts", ".tsx", ".mjs", ".css", ".sql":
			out = append(out, file)
		}
	}
	return out
}

// tracked lists the files that git knows and that are there.
func tracked(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, file := range strings.Split(command(t, "git", "ls-files", "-z"), "\x00") {
		if info, err := os.Stat("../../" + file); err == nil && info.Mode().IsRegular() {
			out = append(out, file)
		}
	}
	if len(out) == 0 {
		t.Fatal("git lists no file: run this test in a git checkout")
	}
	return out
}

func read(t *testing.T, file string) string {
	t.Helper()
	raw, err := os.ReadFile("../../" + file)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
