package api

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"
)

func packed(t testing.TB, s string) string {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := io.WriteString(z, s); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestGarbageIsNoEmptyUpload: what holds no records is refused, not counted
// as none.
func TestGarbageIsNoEmptyUpload(t *testing.T) {
	const json, untyped = "application/json", ""
	for _, tc := range []struct {
		name, contentType, body string
		code                    int
		want                    string
	}{
		{"text", json, "not json", 422, "not_json"},
		{"null", json, "null", 422, "not_json"},
		{"number", json, "123", 422, "not_json"},
		{"string", json, `"text"`, 422, "not_json"},
		{"binary", json, "\x89PNG\r\n\x1a\n", 422, "not_json"},
		{"empty", json, "", 422, "empty"},
		{"white space", json, " \n\n", 422, "empty"},
		{"empty, packed", "application/gzip", packed(t, ""), 422, "empty"},
		{"untyped empty", untyped, "", 422, "empty"},
		{"ndjson empty", "application/x-ndjson", "", 422, "empty"},
		{"csv empty", "text/csv", "", 422, "empty"},
		{"untyped text", untyped, "not json", 422, "neither JSON nor a CSV"},
		{"untyped null", untyped, "null", 422, "neither JSON nor a CSV"},
		{"untyped NULs", untyped, "\x00\x00\x00\x00", 422, "CSV"},
		{"untyped binary", "application/octet-stream", "\x89PNG\r\n\x1a\n", 422, "neither JSON nor a CSV"},
		{"text as csv", "text/csv", "hello\nworld\n", 422, "neither JSON nor a CSV"},
		{"packed twice", "application/gzip", packed(t, packed(t, goodLine)), 422, "compressed twice"},
		{"a line cut off, packed", "application/gzip", packed(t, goodLine[:40]), 200, `"not_json":1`},
		{"an empty array holds no records, and says so", json, "[]", 200, `"read":0`},
		{"unclosed nesting", json, strings.Repeat("[", 5000), 200, `"too_deep":1`},
		{"csv as ndjson", "application/x-ndjson", "a,b\n1,2\n", 200, `"rejected":2`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, target := range []string{"/api/v1/records", "/api/v1/records?shift_to_now=true"} {
				b := newBench(t, nil)
				w := b.call("POST", target, strings.NewReader(tc.body), "Content-Type", tc.contentType)
				if w.Code != tc.code || !strings.Contains(w.Body.String(), tc.want) || len(b.shelf.produced) != 0 {
					t.Errorf("%s: %d %s, want %d with %q", target, w.Code, w.Body, tc.code, tc.want)
				}
			}
		})
	}
}

// TestPackedWhiteSpaceIsBounded: unpacking ends at the bound, whatever comes
// out, before a row is seen.
func TestPackedWhiteSpaceIsBounded(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Records.MaxBody = 100_000 })
	bomb := packed(t, strings.Repeat(" ", 50<<20))
	for _, target := range []string{"/api/v1/records", "/api/v1/records?shift_to_now=true"} {
		w := b.call("POST", target, strings.NewReader(bomb))
		if w.Code != 413 || !strings.Contains(w.Body.String(), "800000 bytes") {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
	}
}

func TestClassifyReadsBodiesAsUploadsDo(t *testing.T) {
	const record = `{"stream":true,"other":{"timing":{"upstream_headers_ms":6100,"first_response_ms":6350,"total_handler_ms":9200}}}`
	for _, tc := range []struct {
		name, body string
		header     []string
		code       int
		want       string
	}{
		{"plain", record, nil, 200, "upstream_headers_slow"},
		{"gzip", packed(t, record), []string{"Content-Encoding", "gzip"}, 200, "upstream_headers_slow"},
		{"gzip by type", packed(t, record), []string{"Content-Type", "application/gzip"}, 200, "upstream_headers_slow"},
		{"packed twice", packed(t, packed(t, record)), []string{"Content-Encoding", "gzip"}, 422, "compressed twice"},
		{"bomb", packed(t, strings.Repeat(" ", 3<<20)), []string{"Content-Encoding", "gzip"}, 413, "1048576 bytes"},
		{"damaged", packed(t, record)[:30], []string{"Content-Encoding", "gzip"}, 422, "unexpected EOF"},
		{"unknown encoding", record, []string{"Content-Encoding", "br"}, 415, "gzip"},
		{"unknown type", record, []string{"Content-Type", "image/png"}, 415, "application/json"},
		{"csv", "a,b\n1,2", []string{"Content-Type", "text/csv"}, 415, "one JSON record"},
		{"empty", "", nil, 422, "empty"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newBench(t, nil).call("POST", "/api/v1/classify", strings.NewReader(tc.body), tc.header...)
			if w.Code != tc.code || !strings.Contains(w.Body.String(), tc.want) {
				t.Errorf("%d %s, want %d with %q", w.Code, w.Body, tc.code, tc.want)
			}
		})
	}
}

// sink takes records and notes how many and how large at once.
type sink struct{ records, most, bytes int }

func (s *sink) Produce(_ context.Context, records [][]byte) error {
	size := 0
	for _, r := range records {
		size += len(r)
	}
	s.records, s.most, s.bytes = s.records+len(records), max(s.most, len(records)), max(s.bytes, size)
	return nil
}

// TestUploadsReuseTheirMemory: an upload allocates little per record and
// never holds more than a chunk.
func TestUploadsReuseTheirMemory(t *testing.T) {
	out := &sink{}
	b := newBench(t, func(o *Options) { o.Uploads = out })
	const rows = 50_000
	body := strings.Repeat(goodLine+"\n", rows)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	w := b.call("POST", "/api/v1/records", strings.NewReader(body))
	runtime.ReadMemStats(&after)
	if u := decode[Upload](t, w); u.Accepted != rows || out.records != rows {
		t.Fatalf("accepted %d, handed over %d", u.Accepted, out.records)
	}
	if out.most > uploadRows || out.bytes > uploadBytes+b.Records.MaxRecord {
		t.Errorf("%d records of %d bytes at once", out.most, out.bytes)
	}
	if per := (after.TotalAlloc - before.TotalAlloc) / rows; per > 400 {
		t.Errorf("%d bytes allocated a record", per)
	} else {
		t.Logf("%d bytes allocated a record", per)
	}
}

// TestUploadsHoldABoundedAmount: uploads that have to be held whole wait for
// each other.
func TestUploadsHoldABoundedAmount(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Records.MaxBody = 1000 })
	leave, err := b.held.enter(context.Background(), heldUploads*1000)
	if err != nil {
		t.Fatal(err)
	}
	b.held.wait = time.Millisecond
	w := b.call("POST", "/api/v1/records?shift_to_now=true", strings.NewReader(goodLine))
	if p := decode[Problem](t, w); w.Code != 503 || !strings.Contains(p.Detail, "shift_to_now") || w.Header().Get("Retry-After") == "" {
		t.Errorf("%d %+v", w.Code, p)
	}
	if w := b.call("POST", "/api/v1/records", strings.NewReader(goodLine)); w.Code != 200 {
		t.Errorf("an upload that streams: %d %s", w.Code, w.Body)
	}
	leave()
	if w := b.call("POST", "/api/v1/records?shift_to_now=true", strings.NewReader(goodLine)); w.Code != 200 {
		t.Errorf("after the others: %d %s", w.Code, w.Body)
	}
}
