package api

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"headway/query"
)

// Problem is every error answer, RFC 9457, as application/problem+json.
type Problem struct {
	Type     string        `json:"type" doc:"Kind of problem, a reference relative to the server: /docs/problems#kind."`
	Title    string        `json:"title"`
	Status   int           `json:"status"`
	Detail   string        `json:"detail" doc:"What happened and the remedy."`
	Instance string        `json:"instance" doc:"The request id, also in the X-Request-Id header and the log."`
	Errors   []ProblemItem `json:"errors" doc:"Every mistake of the question at once; empty otherwise."`

	retryAfter time.Duration
}

// ProblemItem is one mistake in a question.
type ProblemItem struct {
	Location string   `json:"location" doc:"For example query.metric, path.id or body."`
	Message  string   `json:"message"`
	Nearest  []string `json:"nearest" doc:"Valid names closest to the one given."`
}

// kind is one row of the closed table of problems.
type kind struct {
	name   string
	status int
	title  string
	doc    string
}

// problemKinds is the immutable table behind Problem.Type and the docs page.
var problemKinds = []kind{
	{"invalid-question", 422, "The question has mistakes", "Parameters that are unknown or have bad values. errors[] lists all of them with the nearest valid names."},
	{"invalid-body", 422, "The body can't be read", "The body of an upload or of classify is not what its source says."},
	{"not-found", 404, "Nothing here", "No such path, or no such request in the store."},
	{"method-not-allowed", 405, "Method not allowed", "Reads are GET; classify and records are POST."},
	{"not-acceptable", 406, "No such format", "Answers come as json, csv or ndjson."},
	{"too-large", 413, "The body is too large", "Split the upload; the limit is in the detail."},
	{"unsupported-media-type", 415, "Unknown body format", "Uploads are NDJSON, a JSON array or CSV, plain or gzip."},
	{"idempotency-conflict", 409, "The idempotency key was used for another body", "A key belongs to one upload; take a new key for new records."},
	{"unauthorized", 401, "A token is needed", "Send Authorization: Bearer TOKEN."},
	{"forbidden", 403, "Not allowed", "The token's role does not allow this, or the request came from another site."},
	{"wrong-host", 421, "Unknown host name", "Guards a loopback server against DNS rebinding: ask by localhost or 127.0.0.1."},
	{"query-limit", 422, "The question costs more than its limit", "Narrow the window or the filters, or raise the setting that the detail names."},
	{"query-timeout", 504, "The question took longer than its limit", "Narrow the window or the filters, or raise query.timeout."},
	{"busy", 429, "Too many questions are waiting", "Ask again after Retry-After."},
	{"overloaded", 503, "No free place for the question", "All places were busy for the queue time; ask again after Retry-After."},
	{"unavailable", 503, "A part of the server is not ready", "See /readyz; ask again after Retry-After."},
	{"client-closed", 499, "The client went away", "The query was cancelled."},
	{"internal", 500, "Unexpected error", "The log has the cause under the request id."},
}

func kindNamed(name string) kind {
	for _, k := range problemKinds {
		if k.name == name {
			return k
		}
	}
	return problemKinds[len(problemKinds)-1]
}

func kindOfStatus(status int) kind {
	for _, k := range problemKinds {
		if k.status == status {
			return k
		}
	}
	if status >= 400 && status < 500 {
		return kind{name: "invalid-question", status: status, title: http.StatusText(status)}
	}
	return kindNamed("internal")
}

func problem(name, detail string, items ...ProblemItem) *Problem {
	k := kindNamed(name)
	if items == nil {
		items = []ProblemItem{}
	}
	return &Problem{Type: "/docs/problems#" + k.name, Title: k.title, Status: k.status, Detail: detail, Errors: items}
}

// Error implements error.
func (p *Problem) Error() string { return p.Detail }

// GetStatus implements huma's StatusError.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType implements huma's ContentTypeFilter.
func (p *Problem) ContentType(string) string { return problemType }

// GetHeaders implements huma's HeadersError.
func (p *Problem) GetHeaders() http.Header {
	h := http.Header{}
	if p.retryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int((p.retryAfter+time.Second-1)/time.Second)))
	}
	if p.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="headway"`)
	}
	return h
}

func (p *Problem) after(d time.Duration) *Problem {
	p.retryAfter = d
	return p
}

const (
	problemType = "application/problem+json"
	retrySoon   = 2 * time.Second
	retryLate   = time.Minute
)

// StoreError is what storage's errors implement, anywhere in their chain, to
// be told apart for the client.
type StoreError interface {
	error
	// Limit is true where a question went beyond a limit; setting is its name
	// on the server, remedy names the configuration that raises it.
	Limit() (setting, remedy string, ok bool)
	// Retryable is true where time may mend it: network, overload.
	Retryable() bool
	// OperatorFault is true where a person must mend it; remedy says how.
	OperatorFault() (remedy string, ok bool)
}

// problemOf tells the client what an error means; known is false for errors
// whose cause belongs in the log only.
func problemOf(ctx context.Context, err error) (p *Problem, known bool) {
	var errs query.Errors
	switch {
	case errors.As(err, &p):
		return p, true
	case errors.As(err, &errs):
		return invalidQuestion(errs), true
	case errors.Is(ctx.Err(), context.Canceled):
		return problem("client-closed", "the client closed the connection; the query was cancelled"), true
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(ctx.Err(), context.DeadlineExceeded):
		return problem("query-timeout", "the question took longer than query.timeout; narrow the window or the filters, or raise query.timeout"), true
	}
	var store StoreError
	if errors.As(err, &store) {
		return problemOfStore(store)
	}
	return problem("internal", "unexpected error; the log has the cause under this request id"), false
}

// problemOfStore keeps addresses and user names, which remedies may hold, in
// the log.
func problemOfStore(err StoreError) (p *Problem, known bool) {
	if setting, remedy, ok := err.Limit(); ok {
		return problem("query-limit", "the question went beyond the limit "+setting+"; narrow the window or the filters, or "+remedy), true
	}
	if _, ok := err.OperatorFault(); ok {
		return problem("unavailable", "the database can't be used as it is set up; /readyz and the log say what to mend").after(retryLate), false
	}
	if err.Retryable() {
		return problem("unavailable", "the database did not answer; /readyz says more").after(retrySoon), false
	}
	return problem("internal", "unexpected error; the log has the cause under this request id"), false
}

// invalidQuestion lists every mistake in errors, in words that stand alone. The
// detail is the mistake where there is one, else it only counts them.
func invalidQuestion(errs query.Errors, further ...ProblemItem) *Problem {
	items := make([]ProblemItem, 0, len(errs)+len(further))
	for _, e := range errs {
		where := "query."
		if e.Param == "name" || e.Param == "id" {
			where = "path."
		}
		items = append(items, ProblemItem{Location: where + e.Param, Message: e.Message, Nearest: list(e.Nearest)})
	}
	items = append(items, further...)
	for i, item := range items {
		if len(item.Nearest) > 0 {
			items[i].Message += "; nearest: " + strings.Join(item.Nearest, ", ")
		}
	}
	detail := strconv.Itoa(len(items)) + " mistakes; errors lists them"
	if len(items) == 1 {
		_, name, _ := strings.Cut(items[0].Location, ".")
		detail = name + ": " + items[0].Message
	}
	return problem("invalid-question", detail, items...)
}

// list turns no list into an empty one, which JSON shows as [].
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

func dict[K comparable, V any](m map[K]V) map[K]V {
	if m == nil {
		return map[K]V{}
	}
	return m
}
