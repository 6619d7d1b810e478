package arch

import (
	"fmt"
	"slices"
	"strings"
)

const module = "headway/"

// edge is one import. Test says that a _test.go file has it.
type edge struct {
	from, to string
	test     bool
}

// room is what one top-level folder may import.
type room struct {
	rooms []string // other rooms, apart from itself
	all   bool     // any room
	// closed rooms import no library but those listed, and nothing that talks
	// to the outside.
	closed    bool
	libraries []string
}

// rooms is the table of the design. The record's type is in the questions and
// verdicts that api hands on, so api names schema too.
var rooms = map[string]room{
	"schema":   {closed: true, libraries: []string{"github.com/valyala/fastjson"}},
	"classify": {closed: true, rooms: []string{"schema"}},
	"query":    {closed: true, rooms: []string{"schema"}},
	"hedge":    {closed: true, libraries: []string{"gonum.org/v1/gonum"}},
	"web":      {closed: true},
	"ingest":   {rooms: []string{"schema", "classify"}},
	"store":    {rooms: []string{"schema", "classify", "query"}},
	"report":   {rooms: []string{"query", "hedge"}},
	"api":      {rooms: []string{"schema", "query", "hedge", "report", "classify"}},
	"relay":    {rooms: []string{"schema"}},
	"engine":   {},
	"scripts":  {},
	"deploy":   {rooms: []string{"internal/config"}},
	"cmd":      {all: true},
	"bench":    {all: true},

	"internal/chaos":   {all: true},
	"internal/e2e":     {all: true},
	"internal/testkit": {all: true},
}

// inside is every other folder below internal: what cmd is wired with. Those
// know each other and the pure rooms alone.
var inside = room{rooms: []string{"schema", "classify", "query", "hedge"}}

// testRooms may be imported by the tests of every room: what they run on, and
// the pure mathematics that they hold their answers against.
var testRooms = []string{"engine", "internal/testkit", "hedge"}

// library says in which rooms alone a library's import may stand outside tests.
type library struct {
	prefix string
	rooms  []string
}

var libraries = []library{
	{"github.com/gin-gonic/", []string{"api"}},
	{"github.com/gin-contrib/", []string{"api"}},
	{"github.com/danielgtaylor/huma/", []string{"api"}},
	{"github.com/ClickHouse/", []string{"store"}},
	{"github.com/segmentio/kafka-go", []string{"ingest", "relay", "bench"}},
	{"github.com/twmb/franz-go", []string{"engine", "internal/testkit"}},
	{"github.com/ebitengine/purego", []string{"engine"}},
	{"github.com/spf13/cobra", []string{"cmd"}},
	{"github.com/schollz/progressbar/", []string{"cmd"}},
	{"github.com/chromedp/", []string{"internal/testkit"}},
	{"github.com/compose-spec/", []string{"internal/testkit"}},
}

// outside lists the standard packages that closed rooms do without.
var outside = []string{"net", "net/http", "os", "os/exec", "os/signal", "database/sql"}

// roomOf returns the room that a package of the module lies in: its first
// folder, or its first two below internal.
func roomOf(pkg string) string {
	path := strings.TrimPrefix(pkg, module)
	parts := strings.SplitN(path, "/", 3)
	if parts[0] == "internal" && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

// offence says why an import is against the design, or returns "".
func offence(e edge) string {
	name := roomOf(e.from)
	from, known := rooms[name]
	if !known && strings.HasPrefix(name, "internal/") {
		from, known = inside, true
	}
	if !known {
		return fmt.Sprintf("%s is in no room of the design: give it a line in internal/arch/rules_test.go", e.from)
	}
	switch {
	case strings.HasPrefix(e.to, module):
		return roomOffence(name, from, e)
	case isStandard(e.to):
		if from.closed && !e.test && slices.Contains(outside, e.to) {
			return fmt.Sprintf("%s imports %s: %s talks to nothing outside", e.from, e.to, name)
		}
	case !e.test:
		return libraryOffence(name, from, e)
	}
	return ""
}

func roomOffence(name string, from room, e edge) string {
	to := roomOf(e.to)
	if _, listed := rooms[to]; !listed && strings.HasPrefix(to, "internal/") && strings.HasPrefix(name, "internal/") {
		return ""
	}
	if to == name || from.all || slices.Contains(from.rooms, to) || e.test && slices.Contains(testRooms, to) {
		return ""
	}
	if len(from.rooms) == 0 {
		return fmt.Sprintf("%s imports %s: %s may import no other room", e.from, e.to, name)
	}
	return fmt.Sprintf("%s imports %s: %s may import only %s", e.from, e.to, name, strings.Join(from.rooms, ", "))
}

func libraryOffence(name string, from room, e edge) string {
	for _, l := range libraries {
		if strings.HasPrefix(e.to, l.prefix) && !slices.Contains(l.rooms, name) {
			return fmt.Sprintf("%s imports %s: only %s may", e.from, e.to, strings.Join(l.rooms, ", "))
		}
	}
	listed := func(prefix string) bool { return strings.HasPrefix(e.to+"/", prefix+"/") }
	if from.closed && !slices.ContainsFunc(from.libraries, listed) {
		return fmt.Sprintf("%s imports %s: %s may import no library but %q", e.from, e.to, name, from.libraries)
	}
	return ""
}

// isStandard tells the standard library by its paths: no dot in the first part.
func isStandard(pkg string) bool {
	first, _, _ := strings.Cut(pkg, "/")
	return !strings.Contains(first, ".")
}
