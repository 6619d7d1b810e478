package api

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"headway/query"
)

type openAPI struct {
	OpenAPI    string                                `json:"openapi"`
	Paths      map[string]map[string]json.RawMessage `json:"paths"`
	Components struct {
		Schemas map[string]json.RawMessage `json:"schemas"`
	} `json:"components"`
}

func document(t *testing.T, b *bench) openAPI {
	t.Helper()
	w := b.get("/openapi.json")
	if w.Code != 200 {
		t.Fatalf("status %d", w.Code)
	}
	var doc openAPI
	if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestDocumentHoldsTogether: every reference resolves, every operation has an
// id of its own, a 200 and a problem, and every path parameter is described.
func TestDocumentHoldsTogether(t *testing.T) {
	b := newBench(t, nil)
	doc := document(t, b)
	if !strings.HasPrefix(doc.OpenAPI, "3.1") {
		t.Errorf("version %q", doc.OpenAPI)
	}
	raw := b.get("/openapi.json").Body.String()
	if strings.Contains(raw, "$schema") {
		t.Error("the document has $schema keys")
	}
	for _, part := range strings.Split(raw, `"$ref":"#/components/schemas/`)[1:] {
		name, _, _ := strings.Cut(part, `"`)
		if _, ok := doc.Components.Schemas[name]; !ok {
			t.Errorf("reference to %q, which is not there", name)
		}
	}
	ids := map[string]bool{}
	for path, item := range doc.Paths {
		for method, raw := range item {
			var op struct {
				ID         string `json:"operationId"`
				Summary    string
				Responses  map[string]struct{ Content map[string]json.RawMessage }
				Parameters []struct{ Name, In, Description string }
			}
			if err := json.Unmarshal(raw, &op); err != nil {
				t.Fatal(err)
			}
			if op.ID == "" || ids[op.ID] || op.Summary == "" {
				t.Errorf("%s %s: id %q, summary %q", method, path, op.ID, op.Summary)
			}
			ids[op.ID] = true
			if len(op.Responses["200"].Content) == 0 {
				t.Errorf("%s %s: no answer is described", method, path)
			}
			if strings.HasPrefix(path, apiRoot) && op.Responses["default"].Content[problemType] == nil {
				t.Errorf("%s %s: no problem is described", method, path)
			}
			seen := map[string]bool{}
			for _, p := range op.Parameters {
				if p.Description == "" || seen[p.Name] {
					t.Errorf("%s %s: parameter %q is not described, or twice", method, path, p.Name)
				}
				seen[p.Name] = true
			}
			if i := strings.Index(path, "{"); i >= 0 && !seen[strings.Trim(path[i:strings.Index(path, "}")], "{}")] {
				t.Errorf("%s %s: the path's parameter is not described", method, path)
			}
		}
	}
}

func TestEveryQuestionIsServedAndDocumented(t *testing.T) {
	doc := document(t, newBench(t, nil))
	for _, q := range []string{"latency", "distribution", "breakdown", "headline", "requests", "requests/{id}", "hedge/recommendation",
		"hedge/simulate", "classify", "records", "quality", "fields", "fields/{name}/values"} {
		if doc.Paths[apiRoot+q] == nil {
			t.Errorf("%s is not documented", q)
		}
	}
	for _, q := range []string{"/healthz", "/readyz"} {
		if doc.Paths[q] == nil {
			t.Errorf("%s is not documented", q)
		}
	}
	if n := len(query.QuestionParams("latency")); n < 8 {
		t.Errorf("latency documents %d parameters", n)
	}
}

func TestPagesComeFromTheBinaryAlone(t *testing.T) {
	b := newBench(t, nil)
	for _, path := range []string{"/docs", "/docs/problems", "/", "/hedge?model=x"} {
		w := b.get(path)
		body := w.Body.String()
		if w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
			t.Errorf("%s: %d %s", path, w.Code, w.Header().Get("Content-Type"))
		}
		for _, bad := range []string{"http://", "https://", "<script>", "style="} {
			if strings.Contains(body, bad) {
				t.Errorf("%s holds %q", path, bad)
			}
		}
	}
	for _, k := range problemKinds {
		if !strings.Contains(b.get("/docs/problems").Body.String(), `id="`+k.name+`"`) {
			t.Errorf("problem %s has no place on its page", k.name)
		}
	}
	if !strings.Contains(b.get("/docs").Body.String(), "/api/v1/latency") {
		t.Error("the reference does not show latency")
	}
}

func TestSecurityHeadersAreEverywhere(t *testing.T) {
	b := newBench(t, nil)
	for _, path := range []string{"/", "/docs", "/api/v1/fields", "/api/v1/nothing", "/healthz", "/metrics", "/openapi.json"} {
		h := b.get(path).Header()
		for _, name := range []string{"Content-Security-Policy", "X-Content-Type-Options", "X-Frame-Options", "Referrer-Policy", "X-Request-Id"} {
			if h.Get(name) == "" {
				t.Errorf("%s lacks %s", path, name)
			}
		}
		if csp := h.Get("Content-Security-Policy"); strings.Contains(csp, "unsafe") || !strings.Contains(csp, "default-src 'none'") {
			t.Errorf("%s: policy %q", path, csp)
		}
	}
}

func TestSiteCachesByName(t *testing.T) {
	b := newBench(t, nil)
	if c := b.get("/app-3FQ2ZK7A.js").Header().Get("Cache-Control"); !strings.Contains(c, "immutable") {
		t.Errorf("hashed file: %q", c)
	}
	w := b.get("/")
	if c := w.Header().Get("Cache-Control"); c != "no-cache" {
		t.Errorf("index: %q", c)
	}
	if again := b.get("/", "If-None-Match", w.Header().Get("ETag")); again.Code != http.StatusNotModified {
		t.Errorf("unchanged index: %d", again.Code)
	}
	if w := b.get("/missing.js"); w.Code != 404 {
		t.Errorf("missing file: %d", w.Code)
	}
	if w := b.get("/../../etc/passwd"); strings.Contains(w.Body.String(), "root") {
		t.Error("left the site")
	}
}
