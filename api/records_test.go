package api

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
	"time"

	"headway/schema"
)

const goodLine = `{"v":1,"request_id":"r1","created_at":"2026-11-30T02:59:00Z","model":"m","other":{"timing":{"first_response_ms":420}}}`

func TestUploadCountsEveryRecord(t *testing.T) {
	b := newBench(t, nil)
	body := strings.Join([]string{goodLine, "not json", `{"model":"m"}`, strings.Replace(goodLine, "420", "-1", 1),
		`{"created_at":"2026-11-30T02:59:00Z","model":"m","prompt":"TOP-SECRET"}`, ""}, "\n")
	w := b.call("POST", "/api/v1/records", strings.NewReader(body), "Content-Type", "application/x-ndjson")
	u := decode[Upload](t, w)
	if u.Read != 5 || u.Accepted != 3 || u.Rejected != 2 || u.Flagged != 2 || u.ContentDropped != 1 {
		t.Errorf("%+v", u)
	}
	if u.Reasons["not_json"] != 1 || u.Reasons["no_time"] != 1 || len(u.Errors) != 2 || u.Errors[0].Line != 2 || u.Errors[1].Line != 3 {
		t.Errorf("reasons %v, errors %+v", u.Reasons, u.Errors)
	}
	if u.Flags["bad_value:first_response_ms"] != 1 || u.Flags["id_missing"] != 1 || len(u.Warnings) != 1 {
		t.Errorf("flags %v, warnings %v", u.Flags, u.Warnings)
	}
	all := string(bytes.Join(b.shelf.produced, nil)) + w.Body.String() + b.log.String() + b.get("/metrics").Body.String()
	if strings.Contains(all, "TOP-SECRET") {
		t.Error("content was kept")
	}
	metrics := b.get("/metrics").Body.String()
	for _, want := range []string{
		`headway_upload_content_dropped_total{source="headway"} 1`,
		`headway_upload_records_total{result="accepted",source="headway"} 3`,
		`headway_upload_records_total{result="rejected",source="headway"} 2`,
		`headway_http_request_seconds_count{code="2xx",route="/api/v1/records"} 1`,
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("metrics lack %s", want)
		}
	}
}

func TestUploadForms(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(goodLine + "\n" + goodLine)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ name, target, body, contentType string }{
		{"ndjson", "/api/v1/records", goodLine + "\n" + goodLine, "application/x-ndjson"},
		{"array", "/api/v1/records?source=headway", "[" + goodLine + ",\n" + goodLine + "]", "application/json"},
		{"gzip", "/api/v1/records", packed.String(), "application/gzip"},
		{"untyped", "/api/v1/records", goodLine + "\n" + goodLine, ""},
		{"curl's default", "/api/v1/records", goodLine + "\n" + goodLine, "application/x-www-form-urlencoded"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newBench(t, nil)
			u := decode[Upload](t, b.call("POST", tc.target, strings.NewReader(tc.body), "Content-Type", tc.contentType))
			if u.Accepted != 2 || u.Rejected != 0 || len(b.shelf.produced) != 2 {
				t.Errorf("%+v", u)
			}
		})
	}
}

// reread decodes what was handed to the log.
func reread(t *testing.T, raw []byte) schema.Record {
	t.Helper()
	rec, _ := decodeAgain(t, raw)
	return rec
}

// rereadDropped is how much content the log's reader would still find.
func rereadDropped(t *testing.T, raw []byte) int {
	t.Helper()
	_, dropped := decodeAgain(t, raw)
	return dropped
}

func decodeAgain(t *testing.T, raw []byte) (schema.Record, int) {
	t.Helper()
	src, err := schema.NewSources().Need("headway")
	if err != nil {
		t.Fatal(err)
	}
	dec, err := schema.NewDecoder(schema.Config{Source: src, NewID: func() string { return "made" }})
	if err != nil {
		t.Fatal(err)
	}
	var rec schema.Record
	dropped, err := dec.Decode(raw, clock, &rec)
	if err != nil {
		t.Fatal(err)
	}
	return rec, dropped
}

func TestUploadShiftsToNow(t *testing.T) {
	b := newBench(t, nil)
	old := strings.Replace(goodLine, "2026-11-30T02:59:00Z", "2024-01-01T00:00:00Z", 1)
	older := strings.Replace(goodLine, "2026-11-30T02:59:00Z", "2023-12-31T23:00:00Z", 1)
	u := decode[Upload](t, b.call("POST", "/api/v1/records?shift_to_now=true", strings.NewReader(old+"\n"+older)))
	if u.Accepted != 2 || u.Flags["time_shifted"] != 2 {
		t.Fatalf("%+v", u)
	}
	if at := reread(t, b.shelf.produced[0]).CreatedAt; !at.Equal(clock) {
		t.Errorf("newest at %v", at)
	}
	if at := reread(t, b.shelf.produced[1]).CreatedAt; !at.Equal(clock.Add(-time.Hour)) {
		t.Errorf("older at %v", at)
	}
	if u := decode[Upload](t, b.call("POST", "/api/v1/records", strings.NewReader(old))); u.Reasons["expired"] != 1 {
		t.Errorf("unshifted: %+v", u)
	}
}

func TestSourcesWithoutClockNeedABaseTime(t *testing.T) {
	b := newBench(t, nil)
	row := "model,ttft_s,end_to_end_latency_s\nx,0.5,1.5\n"
	u := decode[Upload](t, b.call("POST", "/api/v1/records?source=llmperf", strings.NewReader(row), "Content-Type", "text/csv"))
	if u.Accepted != 0 || len(u.Warnings) != 1 || !strings.Contains(u.Warnings[0], "base_time") {
		t.Errorf("without: %+v", u)
	}
}

func TestIdempotencyKey(t *testing.T) {
	b := newBench(t, nil)
	send := func(key, body string) (int, string) {
		w := b.call("POST", "/api/v1/records", strings.NewReader(body), "Idempotency-Key", key)
		return w.Code, w.Header().Get("Idempotent-Replayed")
	}
	for i, tc := range []struct {
		key, body string
		code      int
		replayed  string
		produced  int
	}{
		{"k1", goodLine, 200, "", 1},
		{"k1", goodLine, 200, "true", 1},
		{"k1", goodLine + "\n" + goodLine, 409, "", 1},
		{"k2", goodLine, 200, "", 2},
	} {
		code, replayed := send(tc.key, tc.body)
		if code != tc.code || replayed != tc.replayed || len(b.shelf.produced) != tc.produced {
			t.Errorf("call %d: %d %q, %d produced; want %+v", i, code, replayed, len(b.shelf.produced), tc)
		}
	}
	if w := b.call("POST", "/api/v1/records?base_time=now", strings.NewReader(goodLine), "Idempotency-Key", "k1"); w.Code != 409 {
		t.Errorf("other parameters: %d", w.Code)
	}
}

// TestFailedUploadResumes: what a failed try has landed is not landed again.
func TestFailedUploadResumes(t *testing.T) {
	b := newBench(t, nil)
	body := strings.Repeat(goodLine+"\n", 3*uploadRows)
	b.shelf.failAfter = 2 // the first chunk lands, the second fails
	w := b.call("POST", "/api/v1/records", strings.NewReader(body), "Idempotency-Key", "k")
	if p := decode[Problem](t, w); w.Code != 503 || !strings.Contains(p.Detail, "1000 of this upload") || w.Header().Get("Retry-After") == "" {
		t.Fatalf("%d %+v", w.Code, p)
	}
	u := decode[Upload](t, b.call("POST", "/api/v1/records", strings.NewReader(body), "Idempotency-Key", "k"))
	if u.Accepted != 3*uploadRows || len(b.shelf.produced) != 3*uploadRows {
		t.Errorf("accepted %d, in the log %d", u.Accepted, len(b.shelf.produced))
	}
}

func TestDamagedUploadSaysWhatWasAccepted(t *testing.T) {
	b := newBench(t, nil)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(strings.Repeat(goodLine+"\n", 3))); err != nil {
		t.Fatal(err)
	}
	if err := z.Flush(); err != nil {
		t.Fatal(err)
	}
	w := b.call("POST", "/api/v1/records", &packed)
	if p := decode[Problem](t, w); w.Code != 422 || !strings.Contains(p.Detail, "3 records before it were accepted") || len(b.shelf.produced) != 3 {
		t.Errorf("%d %+v, %d produced", w.Code, p, len(b.shelf.produced))
	}
}

func TestUnpackedUploadsAreBounded(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Records.MaxBody = 1000 })
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(strings.Repeat(goodLine+"\n", 100))); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if w := b.call("POST", "/api/v1/records", &packed); w.Code != 413 || !strings.Contains(w.Body.String(), "8000 bytes") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestUploadsNeedALog(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Uploads = nil })
	if w := b.call("POST", "/api/v1/records", strings.NewReader(goodLine)); w.Code != 503 || !strings.Contains(w.Body.String(), "kafka.upload_topic") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestRepeatsAreForgotten(t *testing.T) {
	now := clock
	r := newRepeats(func() time.Time { return now })
	for _, key := range []string{"a", "b"} {
		if _, err := r.begin(key, ""); err != nil {
			t.Fatal(err)
		}
		r.end(key, repeat{done: true})
	}
	if _, err := r.begin("a", "other"); err == nil {
		t.Error("a key of the last day is known")
	}
	now = now.Add(repeatTTL)
	m, err := r.begin("a", "other")
	if err != nil || m.done || len(r.by) != 1 {
		t.Errorf("after a day: %+v, %v, %d kept", m, err, len(r.by))
	}
}
