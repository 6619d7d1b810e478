package engine_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"headway/engine"
)

// start runs a ClickHouse for one test and ends it with the test.
func start(t *testing.T, o engine.Options) *engine.ClickHouse {
	t.Helper()
	if o.Logger == nil {
		o.Logger = slog.New(slog.NewTextHandler(testWriter{t}, &slog.HandlerOptions{Level: slog.LevelInfo}))
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c, err := engine.StartClickHouse(ctx, o)
	if err != nil {
		t.Fatalf("start ClickHouse: %v", err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("close ClickHouse: %v", err)
		}
	})
	return c
}

type testWriter struct{ t *testing.T }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Log(string(bytes.TrimSpace(p)))
	return len(p), nil
}

// run sends one statement over HTTP and returns the status and the body.
func run(t *testing.T, c *engine.ClickHouse, user, password, statement string) (int, string) {
	t.Helper()
	return send(t, c.HTTPURL(), user, password, statement)
}

func send(t *testing.T, base, user, password, statement string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/", strings.NewReader(statement))
	if err != nil {
		t.Fatal(err)
	}
	if user != "" {
		req.SetBasicAuth(user, password)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 30 * time.Second}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return resp.StatusCode, strings.TrimSpace(string(body))
}

// query runs a statement as the working user and fails the test if it fails.
func query(t *testing.T, c *engine.ClickHouse, statement string) string {
	t.Helper()
	status, body := run(t, c, c.User(), c.Password(), statement)
	if status != http.StatusOK {
		t.Fatalf("%s: status %d: %s", statement, status, body)
	}
	return body
}

func TestStartServesSQL(t *testing.T) {
	t.Parallel()
	c := start(t, engine.Options{})
	query(t, c, "CREATE DATABASE headway")
	query(t, c, "CREATE TABLE headway.t (x Int64, y Nullable(Float64)) ENGINE = MergeTree ORDER BY x")
	query(t, c, "INSERT INTO headway.t SELECT number, if(number % 2 = 0, NULL, number) FROM numbers(1000)")
	if got := query(t, c, "SELECT count(), count(y), sum(x) FROM headway.t"); got != "1000\t500\t499500" {
		t.Errorf("got %q", got)
	}
	rss, err := c.RSS()
	if err != nil || rss < 50<<20 || rss > 2<<30 {
		t.Errorf("RSS %d, %v", rss, err)
	}
}
