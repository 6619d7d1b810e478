package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
)

type requestIDKey struct{}

func requestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

const requestIDHeader = "X-Request-Id"

// identify gives the request an id: the client's where it is harmless.
func (s *Server) identify(c *gin.Context) {
	id := c.GetHeader(requestIDHeader)
	if !harmlessID(id) {
		id = s.NewID()
	}
	c.Header(requestIDHeader, id)
	c.Request = c.Request.WithContext(context.WithValue(c.Request.Context(), requestIDKey{}, id))
}

func harmlessID(id string) bool {
	if id == "" || len(id) > 64 {
		return false
	}
	for _, c := range []byte(id) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.') {
			return false
		}
	}
	return true
}

// observe counts and logs the request when it is over. Neither the query
// string nor the body is logged.
func (s *Server) observe(c *gin.Context) {
	begin := time.Now()
	c.Next()
	route := c.FullPath()
	if route == "" {
		route = "other"
	}
	status := c.Writer.Status()
	s.meters.request(route, status, time.Since(begin))
	s.Log.Debug("http request", "request_id", requestID(c.Request.Context()), "method", c.Request.Method, "route", route,
		"status", status, "bytes", c.Writer.Size(), "elapsed_ms", time.Since(begin).Milliseconds())
}

// recoverPanics turns a panic into a problem; the log has the stack.
func (s *Server) recoverPanics(c *gin.Context) {
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		if v == http.ErrAbortHandler {
			panic(v) // net/http's own way to drop a connection
		}
		s.Log.Error("panic in an HTTP handler", "request_id", requestID(c.Request.Context()), "route", c.FullPath(),
			"panic", fmt.Sprintf("%T", v), "stack", string(debug.Stack()))
		s.refuse(c, problem("internal", "unexpected error; the log has the cause under this request id"))
	}()
	c.Next()
}

// contentPolicy lets pages load from this server only and keeps them out of
// frames.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; " +
	"connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func (s *Server) secure(c *gin.Context) {
	h := c.Writer.Header()
	h.Set("Content-Security-Policy", contentPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	h.Set("Cache-Control", "no-store")
}

const (
	readTime   = 30 * time.Second // for a request without records
	uploadTime = 10 * time.Minute
	writeSlack = 30 * time.Second
)

// bound sets the deadlines of reading and writing, and the largest body. The
// deadline of reading is for the body alone: net/http goes on reading to see
// whether the client leaves, and would take one that passes during the answer
// for that.
func (s *Server) bound(c *gin.Context) {
	read, body := s.readTime, int64(1<<20)
	if c.FullPath() == recordsPath {
		read, body = uploadTime, s.Records.MaxBody
	} else if c.FullPath() == classifyPath {
		body = int64(s.Records.MaxRecord) + 1
	}
	// Recorders and some wrappers know no deadlines; the body limit and the
	// question's own time-out hold there too.
	control := http.NewResponseController(c.Writer)
	_ = control.SetWriteDeadline(time.Now().Add(read + s.Limits.QueueTime + s.Limits.Timeout + writeSlack))
	if c.Request.Body == nil || c.Request.Body == http.NoBody {
		return
	}
	_ = control.SetReadDeadline(time.Now().Add(read))
	c.Request.Body = &timedBody{ReadCloser: http.MaxBytesReader(c.Writer, c.Request.Body, body), whole: func() { _ = control.SetReadDeadline(time.Time{}) }}
}

// timedBody calls whole once the body was read to its end.
type timedBody struct {
	io.ReadCloser
	whole func()
}

func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		b.whole()
	}
	return n, err
}

// refuse answers with a problem outside of huma.
func (s *Server) refuse(c *gin.Context, p *Problem) {
	if c.Writer.Written() {
		c.Abort()
		return
	}
	answer := *p
	answer.Instance = requestID(c.Request.Context())
	for name, values := range answer.GetHeaders() {
		c.Header(name, values[0])
	}
	body, err := json.Marshal(answer)
	if err != nil {
		body = []byte(`{"type":"/docs/problems#internal","title":"Unexpected error","status":500}`)
	}
	c.Abort()
	c.Data(answer.Status, problemType, append(body, '\n'))
}

// fallback serves the dashboard for what looks like a page and a problem for
// the rest.
func (s *Server) fallback(c *gin.Context, site *site) {
	path := c.Request.URL.Path
	read := c.Request.Method == http.MethodGet || c.Request.Method == http.MethodHead
	if !read || path == "/api" || strings.HasPrefix(path, "/api/") || !site.serve(c.Writer, c.Request) {
		s.refuse(c, problem("not-found", "nothing at "+quotePath(path)+"; /docs lists what there is"))
	}
}

func quotePath(path string) string {
	if len(path) > 80 {
		path = path[:80] + "…"
	}
	return fmt.Sprintf("%q", path)
}
