package client

import (
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
)

func TestNewWantsAURL(t *testing.T) {
	for _, base := range []string{"", "localhost:8080", "ftp://x", "http://"} {
		if _, err := New(base, "", time.Second); err == nil || !strings.Contains(err.Error(), "http://127.0.0.1:8080") {
			t.Errorf("New(%q): error %v, want an example", base, err)
		}
	}
}

func TestGetNamesTheRemedyWhenNobodyAnswers(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	c, err := New("http://"+addr, "", time.Second)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Get(context.Background(), "latency", nil, "application/json")
	if err == nil || !strings.Contains(err.Error(), "headway up") {
		t.Errorf("error %v, want the command that starts a server", err)
	}
}

func TestGetCarriesTheProblem(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/v1/latency":
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusUnprocessableEntity)
			_, _ = io.WriteString(w, `{"title":"Unprocessable","detail":"unknown metric","errors":[{"message":"did you mean first_response_ms?","location":"query.metric"}]}`)
		case "/api/v1/other":
			w.WriteHeader(http.StatusTeapot)
		default:
			w.Header().Set("Headway-Meta", `{"n":1}`)
			_, _ = io.WriteString(w, r.Header.Get("Authorization")+"|"+r.URL.RawQuery)
		}
	}))
	defer srv.Close()
	c, err := New(srv.URL, "tok", 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	var p *Problem
	if _, err := c.Get(context.Background(), "latency", nil, "application/json"); !errors.As(err, &p) || !strings.Contains(err.Error(), "did you mean first_response_ms?") || strings.Contains(err.Error(), "unknown metric") {
		t.Errorf("error %v, want the server's own words", err)
	}
	if _, err := c.Get(context.Background(), "other", nil, "application/json"); err == nil || !strings.Contains(err.Error(), "is "+strings.TrimPrefix(srv.URL, "http://")+" a Headway server?") {
		t.Errorf("error %v, want doubt about the server", err)
	}
	answer, err := c.Get(context.Background(), "fields", url.Values{"a": {"b c"}}, "text/csv")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil || string(raw) != "Bearer tok|a=b+c" || answer.Meta != `{"n":1}` {
		t.Errorf("body %q, meta %q, %v", raw, answer.Meta, err)
	}
}
