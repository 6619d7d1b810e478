package arch

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// tags are all build tags of the repository's test files.
const tags = "kafka,docs"

func TestImportsFollowTheDesign(t *testing.T) {
	edges := repositoryEdges(t)
	for _, e := range edges {
		if why := offence(e); why != "" {
			t.Error(why)
		}
	}
	if len(edges) < 20 {
		t.Errorf("go list told only %d imports; it can't have seen the module", len(edges))
	}
}

// A room that is closed stays so through what it imports.
func TestClosedRoomsReachNoOtherLibrary(t *testing.T) {
	for name, r := range rooms {
		if _, err := os.Stat("../../" + name); err != nil || !r.closed {
			continue // a room that is not built yet reaches nothing
		}
		allowed := r.libraries
		for _, other := range r.rooms {
			allowed = append(allowed[:len(allowed):len(allowed)], rooms[other].libraries...)
		}
		for _, dep := range strings.Fields(goList(t, "-deps", "-e", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "./"+name+"/...")) {
			to := edge{from: module + name, to: dep}
			if strings.HasPrefix(dep, module) {
				if why := roomOffence(name, r, to); why != "" {
					t.Errorf("%s (through what it imports)", why)
				}
			} else if why := libraryOffence(name, room{closed: true, libraries: allowed}, to); why != "" {
				t.Errorf("%s (through what it imports)", why)
			}
		}
	}
}

func TestOffence(t *testing.T) {
	for _, tc := range []struct {
		name string
		edge edge
		want string // part of the offence; empty for none
	}{
		{"allowed room", edge{from: "headway/ingest", to: "headway/classify"}, ""},
		{"own room", edge{from: "headway/hedge/dist", to: "headway/hedge"}, ""},
		{"upwards", edge{from: "headway/schema", to: "headway/query"}, "schema may import no other room"},
		{"sideways", edge{from: "headway/api", to: "headway/store"}, "api may import only schema, query, hedge, report, classify"},
		{"below a room", edge{from: "headway/store/migrate", to: "headway/ingest"}, "store may import only"},
		{"cmd takes all", edge{from: "headway/cmd/headway", to: "headway/store"}, ""},
		{"engine from code", edge{from: "headway/store", to: "headway/engine"}, "store may import only"},
		{"engine from a test", edge{from: "headway/store", to: "headway/engine", test: true}, ""},
		{"testkit from a test", edge{from: "headway/ingest", to: "headway/internal/testkit/kafka", test: true}, ""},
		{"testkit from code", edge{from: "headway/ingest", to: "headway/internal/testkit/kafka"}, "ingest may import only"},
		{"other room from a test", edge{from: "headway/hedge", to: "headway/api", test: true}, "hedge may import no other room"},
		{"gin in api", edge{from: "headway/api", to: "github.com/gin-gonic/gin"}, ""},
		{"gin in cmd", edge{from: "headway/cmd/headway", to: "github.com/gin-gonic/gin"}, "only api may"},
		{"huma in report", edge{from: "headway/report", to: "github.com/danielgtaylor/huma/v2"}, "only api may"},
		{"clickhouse-go in store", edge{from: "headway/store", to: "github.com/ClickHouse/clickhouse-go/v2"}, ""},
		{"ch-go in ingest", edge{from: "headway/ingest", to: "github.com/ClickHouse/ch-go/proto"}, "only store may"},
		{"clickhouse-go in a test", edge{from: "headway/engine", to: "github.com/ClickHouse/clickhouse-go/v2", test: true}, ""},
		{"kafka-go in relay", edge{from: "headway/relay", to: "github.com/segmentio/kafka-go"}, ""},
		{"kafka-go in engine", edge{from: "headway/engine", to: "github.com/segmentio/kafka-go"}, "only ingest, relay, bench may"},
		{"kfake in engine", edge{from: "headway/engine", to: "github.com/twmb/franz-go/pkg/kfake"}, ""},
		{"kfake in ingest", edge{from: "headway/ingest", to: "github.com/twmb/franz-go/pkg/kfake"}, "only engine, internal/testkit may"},
		{"decoder in schema", edge{from: "headway/schema", to: "github.com/valyala/fastjson"}, ""},
		{"decoder's package below", edge{from: "headway/schema", to: "github.com/valyala/fastjson/fastfloat"}, ""},
		{"decoder in classify", edge{from: "headway/classify", to: "github.com/valyala/fastjson"}, "classify may import no library"},
		{"look-alike", edge{from: "headway/schema", to: "github.com/valyala/fastjson2"}, "schema may import no library"},
		{"gonum in hedge", edge{from: "headway/hedge", to: "gonum.org/v1/gonum/stat"}, ""},
		{"second library in hedge", edge{from: "headway/hedge", to: "golang.org/x/sync/errgroup"}, "hedge may import no library"},
		{"standard library", edge{from: "headway/schema", to: "encoding/json"}, ""},
		{"network in a pure room", edge{from: "headway/hedge", to: "net/http"}, "hedge talks to nothing outside"},
		{"files in a pure room's test", edge{from: "headway/hedge", to: "os", test: true}, ""},
		{"unknown room", edge{from: "headway/helpers", to: "fmt"}, "in no room of the design"},
		{"internal knows pure rooms", edge{from: "headway/internal/config", to: "headway/classify"}, ""},
		{"internal knows internal", edge{from: "headway/internal/upload", to: "headway/internal/client"}, ""},
		{"internal without testkit", edge{from: "headway/internal/upload", to: "headway/internal/testkit/kafka"}, "internal/upload may import only"},
		{"internal knows no other", edge{from: "headway/internal/config", to: "headway/store"}, "internal/config may import only schema, classify, query, hedge"},
		{"rooms do without internal", edge{from: "headway/api", to: "headway/internal/ops"}, "api may import only"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := offence(tc.edge)
			if (tc.want == "") != (got == "") || !strings.Contains(got, tc.want) {
				t.Errorf("offence %q, want one with %q", got, tc.want)
			}
		})
	}
}

// repositoryEdges lists every import of the module. Packages that don't
// compile are listed too: only their import lines are read.
func repositoryEdges(t *testing.T) []edge {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(goList(t, "-e", "-tags", tags,
		"-json=ImportPath,Imports,TestImports,XTestImports", "./...")))
	var edges []edge
	for {
		var p struct {
			ImportPath                         string
			Imports, TestImports, XTestImports []string
		}
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			return edges
		}
		if err != nil {
			t.Fatalf("reading go list's answer: %v", err)
		}
		for _, to := range p.Imports {
			edges = append(edges, edge{from: p.ImportPath, to: to})
		}
		for _, to := range append(p.TestImports, p.XTestImports...) {
			edges = append(edges, edge{from: p.ImportPath, to: to, test: true})
		}
	}
}

func goList(t *testing.T, args ...string) string {
	t.Helper()
	return command(t, "go", append([]string{"list"}, args...)...)
}

// command runs a program in the repository's root and returns its output.
func command(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = "../.."
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, problems.String())
	}
	return string(out)
}
