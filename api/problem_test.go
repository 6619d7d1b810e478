package api

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"headway/query"
)

func TestBadInputGivesProblems(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Records.MaxRecord = 1000; o.Records.MaxBody = 4000 })
	post := "POST"
	for _, tc := range []struct {
		name, method, target, body string
		header                     []string
		status                     int
		kind, want                 string
	}{
		{"unknown parameter", "GET", "/api/v1/latency?metrc=tps", "", nil, 422, "invalid-question", "metric"},
		{"unknown metric", "GET", "/api/v1/latency?metric=first_respnse_ms", "", nil, 422, "invalid-question", "first_response_ms"},
		{"unknown dimension", "GET", "/api/v1/breakdown?by=chanel", "", nil, 422, "invalid-question", "channel"},
		{"inverted window", "GET", "/api/v1/headline?from=now&to=now-1h", "", nil, 422, "invalid-question", "not before"},
		{"window too long", "GET", "/api/v1/latency?from=now-999d", "", nil, 422, "invalid-question", "at most 400"},
		{"too many buckets", "GET", "/api/v1/latency?from=now-7d&step=1s", "", nil, 422, "invalid-question", "step=10m"},
		{"bad limit", "GET", "/api/v1/requests?limit=zero", "", nil, 422, "invalid-question", "whole number"},
		{"bad page", "GET", "/api/v1/requests?page=xyz", "", nil, 422, "invalid-question", "next_page"},
		{"bad format", "GET", "/api/v1/fields?format=xml", "", nil, 422, "invalid-question", "ndjson"},
		{"bad accept", "GET", "/api/v1/fields", "", []string{"Accept", "image/png"}, 406, "not-acceptable", "text/csv"},
		{"parameter of fields", "GET", "/api/v1/fields?metric=tps", "", nil, 422, "invalid-question", "takes format"},
		{"unknown field", "GET", "/api/v1/fields/modle/values", "", nil, 422, "invalid-question", "model"},
		{"identity's values", "GET", "/api/v1/fields/request_id/values", "", nil, 422, "invalid-question", "requests/{id}"},
		{"parameter of one request", "GET", "/api/v1/requests/x?from=now", "", nil, 422, "invalid-question", "explain"},
		{"unknown request", "GET", "/api/v1/requests/nobody", "", nil, 404, "not-found", "nobody"},
		{"long id", "GET", "/api/v1/requests/" + strings.Repeat("x", 129), "", nil, 422, "invalid-question", "128 bytes"},
		{"broken query string", "GET", "/api/v1/latency?q=%zz", "", nil, 422, "invalid-question", "percent-encode"},
		{"unknown path", "GET", "/api/v1/latencies", "", nil, 404, "not-found", "/docs"},
		{"unknown method", "DELETE", "/api/v1/latency", "", nil, 405, "method-not-allowed", "GET"},
		{"classify by GET", "GET", "/api/v1/classify", "", nil, 405, "method-not-allowed", "POST"},
		{"classify nothing", post, "/api/v1/classify", "", nil, 422, "invalid-body", "empty"},
		{"classify no JSON", post, "/api/v1/classify", "hello", nil, 422, "invalid-body", "not valid JSON"},
		{"classify array", post, "/api/v1/classify", "[]", nil, 422, "invalid-body", "not an object"},
		{"classify source", post, "/api/v1/classify?source=heedway", "{}", nil, 422, "invalid-question", "headway"},
		{"classify parameter", post, "/api/v1/classify?sauce=headway", "{}", nil, 422, "invalid-question", "source"},
		{"classify too large", post, "/api/v1/classify", `{"model":"` + strings.Repeat("x", 2000) + `"}`, nil, 413, "too-large", "1001 bytes"},
		{"records source", post, "/api/v1/records?source=x", "{}", nil, 422, "invalid-question", "headway"},
		{"records base time", post, "/api/v1/records?base_time=yesterday", "{}", nil, 422, "invalid-question", "now-1h"},
		{"records shift", post, "/api/v1/records?shift_to_now=yes", "{}", nil, 422, "invalid-question", "true or false"},
		{"records media type", post, "/api/v1/records", "{}", []string{"Content-Type", "image/png"}, 415, "unsupported-media-type", "text/csv"},
		{"records encoding", post, "/api/v1/records", "{}", []string{"Content-Encoding", "br"}, 415, "unsupported-media-type", "gzip"},
		{"records too large", post, "/api/v1/records", strings.Repeat("{}\n", 2000), nil, 413, "too-large", "4000 bytes"},
		{"records broken gzip", post, "/api/v1/records", "\x1f\x8bxx", nil, 422, "invalid-body", "gzip"},
		{"records key", post, "/api/v1/records", "{}", []string{"Idempotency-Key", "a b"}, 422, "invalid-question", "printable"},
		{"other site posts", post, "/api/v1/classify", "{}", []string{"Sec-Fetch-Site", "cross-site"}, 403, "forbidden", "another site"},
		{"other host", "GET", "/api/v1/fields", "", []string{"Host", "evil.example:8080"}, 421, "wrong-host", "localhost"},
		{"page of the docs", "GET", "/docs/nowhere", "", nil, 404, "not-found", "/docs"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := b.call(tc.method, tc.target, strings.NewReader(tc.body), tc.header...)
			p := decode[Problem](t, w)
			if w.Code != tc.status || p.Status != tc.status || p.Type != "/docs/problems#"+tc.kind {
				t.Errorf("status %d, %+v; want %d %s", w.Code, p, tc.status, tc.kind)
			}
			if !strings.Contains(w.Body.String(), tc.want) {
				t.Errorf("body %s lacks %q", w.Body, tc.want)
			}
			if ct := w.Header().Get("Content-Type"); ct != problemType {
				t.Errorf("content type %q", ct)
			}
			if p.Instance == "" || p.Instance != w.Header().Get("X-Request-Id") || p.Title == "" || p.Detail == "" {
				t.Errorf("problem %+v, request id %q", p, w.Header().Get("X-Request-Id"))
			}
		})
	}
}

func TestAllMistakesOfAQuestionAtOnce(t *testing.T) {
	p := decode[Problem](t, newBench(t, nil).get("/api/v1/latency?metric=x&q=2&by=nope"))
	if len(p.Errors) != 3 || p.Errors[0].Location == "" {
		t.Errorf("errors %+v, want three", p.Errors)
	}
}

// storeFault is an error as storage makes them.
type storeFault struct{ limit, operator, retry bool }

func (storeFault) Error() string { return "dial 10.0.0.1: secret detail" }
func (f storeFault) Limit() (string, string, bool) {
	return "max_rows_to_read", "raise query.max_rows", f.limit
}
func (f storeFault) Retryable() bool { return f.retry }
func (f storeFault) OperatorFault() (string, bool) {
	return "secret detail: check the password", f.operator
}

func TestErrorsOfStorageBecomeProblems(t *testing.T) {
	for _, tc := range []struct {
		name   string
		err    error
		status int
		want   string
		retry  bool
		logged bool
	}{
		{"limit", storeFault{limit: true}, 422, "query.max_rows", false, false},
		{"away", storeFault{retry: true}, 503, "/readyz", true, true},
		{"operator", storeFault{operator: true}, 503, "set up", true, true},
		{"time-out", context.DeadlineExceeded, 504, "query.timeout", false, false},
		{"mistake", query.Errors{{Param: "page", Message: "spoilt"}}, 422, "spoilt", false, false},
		{"anything else", errors.New("secret detail"), 500, "the log has the cause", false, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newBench(t, nil)
			b.shelf.err = tc.err
			w := b.get("/api/v1/quality")
			if w.Code != tc.status || !strings.Contains(w.Body.String(), tc.want) || strings.Contains(w.Body.String(), "secret") {
				t.Errorf("%d %s", w.Code, w.Body)
			}
			if (w.Header().Get("Retry-After") != "") != tc.retry {
				t.Errorf("Retry-After %q", w.Header().Get("Retry-After"))
			}
			id := w.Header().Get("X-Request-Id")
			if logged := strings.Contains(b.log.String(), "secret") && strings.Contains(b.log.String(), id); logged != tc.logged {
				t.Errorf("logged %v: %s", logged, b.log)
			}
		})
	}
}

func TestPanicsBecomeProblems(t *testing.T) {
	b := newBench(t, nil)
	b.shelf.block = func(context.Context) error { panic("secret detail") }
	w := b.get("/api/v1/quality")
	if p := decode[Problem](t, w); w.Code != 500 || p.Type != "/docs/problems#internal" || strings.Contains(w.Body.String(), "secret") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if !strings.Contains(b.log.String(), "panic in an HTTP handler") {
		t.Error("the log does not mention the panic")
	}
}

// TestSlowAnswersOverTCP asks for what takes longer than a request may take to
// come in, over a real connection: only a client that really leaves is told
// that it left.
func TestSlowAnswersOverTCP(t *testing.T) {
	b := newBench(t, nil)
	b.readTime = 200 * time.Millisecond
	b.shelf.block = func(ctx context.Context) error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(1200 * time.Millisecond):
			return nil
		}
	}
	srv := httptest.NewUnstartedServer(b.Server)
	srv.Config = b.HTTPServer()
	srv.Start()
	defer srv.Close()
	res, err := srv.Client().Get(srv.URL + "/api/v1/quality")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		raw, _ := io.ReadAll(res.Body) // what could be read tells enough
		t.Errorf("GET that took a second: status %d %s", res.StatusCode, raw)
	}
	// A body that never ends is still given up in time.
	conn, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, "POST /api/v1/classify HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("a body that stalls: no answer (%v)", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode < 400 {
		t.Errorf("a body that stalls: status %d", answer.StatusCode)
	}
}

func TestCancellationReachesStorage(t *testing.T) {
	b := newBench(t, nil)
	ctx, cancel := context.WithCancel(context.Background())
	b.shelf.block = func(inner context.Context) error {
		cancel()
		<-inner.Done()
		return inner.Err()
	}
	r, err := http.NewRequestWithContext(ctx, "GET", "http://localhost/api/v1/quality", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.URL = &url.URL{Path: "/api/v1/quality"}
	w := newRecorder(b, r)
	if w.Code != 499 {
		t.Errorf("status %d %s", w.Code, w.Body)
	}
}
