package api

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"headway/query"
)

// answer is what a question's handler returns.
type answer interface {
	// describe returns the answer's meta block.
	describe() Meta
	// table returns the answer's flat form for CSV and NDJSON.
	table() table
}

// input is a request as handlers see it; parsing is query's matter.
type input struct {
	values url.Values // without format
	asked  []string   // format
	accept string
	path   string // the path's one parameter
	header http.Header
	body   io.Reader
}

// Resolve implements huma's Resolver: it takes the request apart.
func (in *input) Resolve(ctx huma.Context) []error {
	u := ctx.URL()
	in.values = u.Query()
	in.asked = in.values["format"]
	delete(in.values, "format")
	in.accept, in.body = ctx.Header("Accept"), ctx.BodyReader()
	if in.path = ctx.Param("id"); in.path == "" {
		in.path = ctx.Param("name")
	}
	in.header = http.Header{}
	ctx.EachHeader(func(name, value string) { in.header.Add(name, value) })
	if _, err := url.ParseQuery(u.RawQuery); err != nil {
		return []error{&huma.ErrorDetail{Location: "query", Message: "the query string is not well-formed; percent-encode % and ;"}}
	}
	return nil
}

// output is an encoded answer.
type output struct {
	ContentType string `header:"Content-Type"`
	Meta        string `header:"Headway-Meta" doc:"The meta block of CSV and NDJSON answers, as JSON."`
	Vary        string `header:"Vary"`
	Body        []byte
}

// question is one GET endpoint.
type question[A answer] struct {
	path    string // under /api/v1
	asks    string // key of query.QuestionParams
	summary string
	pathDoc string // of the path's parameter
	ask     func(context.Context, *input) (A, error)
}

const apiRoot = "/api/v1/"

// ask registers a question: decode, wait for a place, ask, present, encode.
func ask[A answer](s *Server, api huma.API, q question[A]) {
	op := operation(http.MethodGet, q.path, q.summary)
	op.Parameters = s.parameters(q.asks, q.path, q.pathDoc)
	op.Responses = answers[A](api, "application/json", "text/csv", "application/x-ndjson")
	huma.Register(api, op, func(ctx context.Context, in *input) (*output, error) {
		out, err := serve(ctx, s, in, q)
		if err != nil {
			return nil, s.explainError(ctx, q.path, err)
		}
		return out, nil
	})
}

func serve[A answer](ctx context.Context, s *Server, in *input, q question[A]) (*output, error) {
	f, err := chooseFormat(in.asked, in.accept)
	if err != nil {
		return nil, err
	}
	leave, err := s.gate.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	ctx, cancel := context.WithTimeout(ctx, s.Limits.Timeout)
	defer cancel()
	a, err := q.ask(ctx, in)
	if err != nil {
		return nil, err
	}
	s.meters.query(q.path, a.describe())
	out := &output{ContentType: f.contentType(), Vary: "Accept"}
	if f != formatJSON {
		if out.Meta, err = metaHeader(a.describe()); err != nil {
			return nil, err
		}
	}
	out.Body, err = encode(f, a)
	return out, err
}

// explainError makes the client's problem of an error and logs causes that
// the client is not told.
func (s *Server) explainError(ctx context.Context, endpoint string, err error) error {
	p, known := problemOf(ctx, err)
	if !known {
		s.Log.Error("answering a question", "endpoint", endpoint, "request_id", requestID(ctx), "error", err)
	}
	return p
}

func operation(method, path, summary string) huma.Operation {
	id := strings.NewReplacer("/", "-", "{", "", "}", "").Replace(path)
	return huma.Operation{
		OperationID: strings.ToLower(method) + "-" + id, Method: method, Path: apiRoot + path, Summary: summary,
		SkipValidateParams: true, Tags: []string{strings.SplitN(path, "/", 2)[0]},
	}
}

// parameters documents what query reads, from query's own tables.
func (s *Server) parameters(asks, path, pathDoc string) []*huma.Param {
	var out []*huma.Param
	if i := strings.Index(path, "{"); i >= 0 {
		name := strings.Trim(path[i:strings.Index(path, "}")], "{}")
		out = append(out, &huma.Param{Name: name, In: "path", Required: true, Description: pathDoc, Schema: &huma.Schema{Type: "string"}})
	}
	params := query.QuestionParams(asks)
	if query.TakesFilters(asks) {
		params = append(params, query.FilterParams(s.Fields)...)
	}
	params = append(params, query.Param{Name: "format", Doc: "Form of the answer, instead of Accept.", Choices: formats()})
	for _, p := range params {
		out = append(out, queryParameter(p))
	}
	return out
}

func queryParameter(p query.Param) *huma.Param {
	text := &huma.Schema{Type: "string"}
	for _, c := range p.Choices {
		text.Enum = append(text.Enum, c)
	}
	param := &huma.Param{Name: p.Name, In: "query", Description: p.Doc, Schema: text}
	if p.Example != "" {
		param.Example = p.Example
	}
	if p.List {
		explode := true
		param.Schema, param.Explode = &huma.Schema{Type: "array", Items: text}, &explode
		if p.Example != "" {
			param.Example = []string{p.Example}
		}
	}
	return param
}

func answers[A any](api huma.API, mediaTypes ...string) map[string]*huma.Response {
	registry := api.OpenAPI().Components.Schemas
	content := map[string]*huma.MediaType{}
	for _, mt := range mediaTypes {
		content[mt] = &huma.MediaType{Schema: &huma.Schema{Type: "string"}}
	}
	content["application/json"] = &huma.MediaType{Schema: registry.Schema(reflect.TypeFor[A](), true, "")}
	return map[string]*huma.Response{
		"200": {Description: "The answer.", Content: content},
		"default": {Description: "A problem, RFC 9457.", Content: map[string]*huma.MediaType{
			problemType: {Schema: registry.Schema(reflect.TypeFor[Problem](), true, "")},
		}},
	}
}

// documentBody adds a body to the document of a registered POST. Huma would
// read and judge a body it knew of; these are read by schema's decoders.
func documentBody(api huma.API, path, about, kind string, mediaTypes ...string) {
	body := &huma.RequestBody{Required: true, Description: about, Content: map[string]*huma.MediaType{}}
	for _, mt := range mediaTypes {
		body.Content[mt] = &huma.MediaType{Schema: &huma.Schema{Type: kind}}
	}
	api.OpenAPI().Paths[path].Post.RequestBody = body
}
