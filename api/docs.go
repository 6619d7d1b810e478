package api

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"path"
	"sort"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"
)

//go:embed pages
var pageFiles embed.FS

// docPages are the rendered reference: HTML made once from the OpenAPI
// document, without script and without anything from other hosts.
type docPages struct {
	reference, problems, style []byte
}

type docReference struct {
	Title, Version, About string
	Operations            []docOperation
	Schemas               []docSchema
}

type docOperation struct {
	ID, Method, Path, Summary, About, Body, Answer string
	Params                                         []docParam
}

type docParam struct{ Name, In, About, Example string }

type docSchema struct {
	Name   string
	Fields []docField
}

type docField struct{ Name, Type, Ref, About string }

type docProblem struct {
	Name         string
	Status       int
	Title, About string
}

func newDocPages(doc *huma.OpenAPI) (*docPages, error) {
	templates, err := template.ParseFS(pageFiles, "pages/*.html")
	if err != nil {
		return nil, fmt.Errorf("reading the reference's templates: %w", err)
	}
	var problems []docProblem
	for _, k := range problemKinds {
		problems = append(problems, docProblem{k.name, k.status, k.title, k.doc})
	}
	p := &docPages{}
	for _, page := range []struct {
		name string
		data any
		out  *[]byte
	}{{"reference.html", describeAPI(doc), &p.reference}, {"problems.html", problems, &p.problems}} {
		var buf bytes.Buffer
		if err := templates.ExecuteTemplate(&buf, page.name, page.data); err != nil {
			return nil, fmt.Errorf("rendering %s: %w", page.name, err)
		}
		*page.out = buf.Bytes()
	}
	p.style, err = pageFiles.ReadFile("pages/style.css")
	return p, err
}

func (p *docPages) mount(e *gin.Engine) {
	serve := func(contentType string, body []byte) gin.HandlerFunc {
		return func(c *gin.Context) { c.Data(http.StatusOK, contentType, body) }
	}
	e.GET("/docs", serve("text/html; charset=utf-8", p.reference))
	e.GET("/docs/problems", serve("text/html; charset=utf-8", p.problems))
	e.GET("/docs/style.css", serve("text/css; charset=utf-8", p.style))
}

// describeAPI turns the OpenAPI document into what the template shows.
func describeAPI(doc *huma.OpenAPI) docReference {
	out := docReference{Title: doc.Info.Title, Version: doc.Info.Version, About: doc.Info.Description}
	for _, item := range doc.Paths {
		for method, op := range map[string]*huma.Operation{"GET": item.Get, "POST": item.Post} {
			if op != nil {
				out.Operations = append(out.Operations, describeOperation(method, op))
			}
		}
	}
	sort.Slice(out.Operations, func(i, j int) bool {
		a, b := out.Operations[i], out.Operations[j]
		return a.Path < b.Path || a.Path == b.Path && a.Method < b.Method
	})
	for name, s := range doc.Components.Schemas.Map() {
		out.Schemas = append(out.Schemas, describeSchema(name, s))
	}
	sort.Slice(out.Schemas, func(i, j int) bool { return out.Schemas[i].Name < out.Schemas[j].Name })
	return out
}

func describeOperation(method string, op *huma.Operation) docOperation {
	d := docOperation{ID: op.OperationID, Method: method, Path: op.Path, Summary: op.Summary, About: op.Description}
	for _, p := range op.Parameters {
		shown := docParam{Name: p.Name, In: p.In, About: p.Description}
		switch e := p.Example.(type) {
		case string:
			shown.Example = e
		case []string:
			shown.Example = strings.Join(e, ", ")
		}
		d.Params = append(d.Params, shown)
	}
	if op.RequestBody != nil {
		d.Body = op.RequestBody.Description
	}
	if r := op.Responses["200"]; r != nil && r.Content["application/json"] != nil {
		d.Answer = refName(r.Content["application/json"].Schema)
	}
	return d
}

func refName(s *huma.Schema) string {
	if s == nil || s.Ref == "" {
		return ""
	}
	return path.Base(s.Ref)
}

func describeSchema(name string, s *huma.Schema) docSchema {
	d := docSchema{Name: name}
	for field, f := range s.Properties {
		text, ref := typeName(f)
		d.Fields = append(d.Fields, docField{Name: field, Type: text, Ref: ref, About: f.Description})
	}
	sort.Slice(d.Fields, func(i, j int) bool { return d.Fields[i].Name < d.Fields[j].Name })
	return d
}

func typeName(s *huma.Schema) (text, ref string) {
	switch {
	case s == nil:
		return "any", ""
	case s.Ref != "":
		return refName(s), refName(s)
	case s.Type == "array":
		text, ref = typeName(s.Items)
		return "list of " + text, ref
	case s.Type == "object":
		if inner, ok := s.AdditionalProperties.(*huma.Schema); ok {
			text, ref = typeName(inner)
			return "name to " + text, ref
		}
	}
	text = s.Type
	if s.Nullable {
		text += " or null"
	}
	return text, ""
}
