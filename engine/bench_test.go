package engine_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"headway/engine"
)

func benchEngine(b *testing.B, o engine.Options) *engine.ClickHouse {
	b.Helper()
	o.Logger = slog.New(slog.DiscardHandler)
	c, err := engine.StartClickHouse(context.Background(), o)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { c.Close() })
	return c
}

// ask runs a statement on a kept-alive connection and returns the bytes read.
func ask(b *testing.B, base string, c *engine.ClickHouse, statement string) int64 {
	b.Helper()
	req, err := http.NewRequest(http.MethodPost, base+"/", strings.NewReader(statement))
	if err != nil {
		b.Fatal(err)
	}
	req.SetBasicAuth(c.User(), c.Password())
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	n, err := io.Copy(io.Discard, resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		b.Fatalf("%s: status %d, %v", statement, resp.StatusCode, err)
	}
	return n
}

// BenchmarkStart is the time from nothing to the first answer and back.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		c := benchEngine(b, engine.Options{})
		rss, err := c.RSS()
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(rss)/(1<<20), "MiB-resident")
		if err := c.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkInsert is what durability costs: one part of 10 000 rows with 12
// columns for each operation.
func BenchmarkInsert(b *testing.B) {
	for name, noFsync := range map[string]bool{"fsync": false, "nofsync": true} {
		b.Run(name, func(b *testing.B) {
			c := benchEngine(b, engine.Options{NoFsync: noFsync})
			ask(b, c.HTTPURL(), c, "CREATE DATABASE headway")
			columns := strings.TrimSuffix(strings.Repeat("number, ", 12), ", ")
			ask(b, c.HTTPURL(), c, "CREATE TABLE headway.t ENGINE = MergeTree ORDER BY c1 AS SELECT "+
				regexp.MustCompile("number").ReplaceAllStringFunc(columns, namer())+" FROM numbers(1)")
			for b.Loop() {
				ask(b, c.HTTPURL(), c, "INSERT INTO headway.t SELECT "+columns+" FROM numbers(10000)")
			}
		})
	}
}

// namer gives each column of a list its own name.
func namer() func(string) string {
	n := 0
	return func(s string) string {
		n++
		return s + " AS c" + string(rune('0'+n%10)) + strings.Repeat("x", n/10)
	}
}

// BenchmarkRead is what the gate costs, against the engine's own port behind
// it: a small answer, and one of 80 MB.
func BenchmarkRead(b *testing.B) {
	dir := b.TempDir()
	c := benchEngine(b, engine.Options{DataDir: dir})
	config, err := os.ReadFile(filepath.Join(dir, "config.xml"))
	if err != nil {
		b.Fatal(err)
	}
	behind := "http://127.0.0.1:" + string(regexp.MustCompile(`<http_port>(\d+)<`).FindSubmatch(config)[1])
	for _, path := range []struct{ name, base string }{{"gate", c.HTTPURL()}, {"direct", behind}} {
		for name, statement := range map[string]string{"one": "SELECT 1", "many": "SELECT number FROM numbers(10000000) FORMAT RowBinary"} {
			b.Run(path.name+"/"+name, func(b *testing.B) {
				for b.Loop() {
					b.SetBytes(ask(b, path.base, c, statement))
				}
			})
		}
	}
}
