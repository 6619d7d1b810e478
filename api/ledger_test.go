package api

import (
	"strings"
	"testing"
)

// TestUploadedRejectsShowInQuality: what an upload refused can be found
// afterwards, also when its answer was lost.
func TestUploadedRejectsShowInQuality(t *testing.T) {
	b := newBench(t, nil)
	if q := decode[Quality](t, b.get("/api/v1/quality")); len(q.Uploads) != 0 || len(q.Meta.Warnings) != 0 {
		t.Fatalf("before any upload: %+v", q)
	}
	body := goodLine + "\nnot json\nnot json\n" + `{"created_at":"2026-11-30T02:59:00Z","model":"m","prompt":"x"}` + "\n" + `{"model":"m"}`
	for range 2 {
		if w := b.call("POST", "/api/v1/records", strings.NewReader(body), "Idempotency-Key", "k"); w.Code != 200 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	b.call("POST", "/api/v1/records?source=llmperf", strings.NewReader(`{"ttft_s":1}`))
	q := decode[Quality](t, b.get("/api/v1/quality"))
	if len(q.Uploads) != 2 {
		t.Fatalf("uploads %+v", q.Uploads)
	}
	u := q.Uploads[0]
	if u.Source != "headway" || u.Accepted != 2 || u.Rejected["not_json"] != 2 || u.Rejected["no_time"] != 1 || len(u.Rejected) != 2 || u.ContentDropped != 1 || u.Since != stamp(clock) {
		t.Errorf("a repeated upload counts once: %+v", u)
	}
	if l := q.Uploads[1]; l.Source != "llmperf" || l.Accepted != 0 || l.Rejected["no_model"] != 1 {
		t.Errorf("%+v", l)
	}
	if !warned(q.Meta.Warnings, "this process", "4 rejected") {
		t.Errorf("warnings %q", q.Meta.Warnings)
	}
	csv := b.get("/api/v1/quality?format=csv").Body.String()
	if !strings.Contains(csv, "headway,,,,,,,2,3,1\n") || !strings.Contains(csv, "llmperf,,,,,,,0,1,0\n") {
		t.Errorf("csv %s", csv)
	}
	metrics := b.get("/metrics").Body.String()
	for _, want := range []string{
		`headway_upload_rejected_total{reason="not_json",source="headway"} 2`,
		`headway_upload_rejected_total{reason="no_model",source="llmperf"} 1`,
		`headway_upload_content_dropped_total{source="headway"} 1`,
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("metrics lack %s", want)
		}
	}
}

// TestResumedUploadCountsOnce: the tries of one upload are one upload.
func TestResumedUploadCountsOnce(t *testing.T) {
	b := newBench(t, nil)
	body := "not json\n" + strings.Repeat(goodLine+"\n", 2*uploadRows)
	b.shelf.failAfter = 2
	for _, code := range []int{503, 200} {
		if w := b.call("POST", "/api/v1/records", strings.NewReader(body), "Idempotency-Key", "k", "Content-Type", "application/x-ndjson"); w.Code != code {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	u := decode[Quality](t, b.get("/api/v1/quality")).Uploads[0]
	if u.Accepted != 2*uploadRows || u.Rejected["not_json"] != 1 {
		t.Errorf("%+v", u)
	}
}

// TestClientsReportWhatTheyRefused: a client that decodes files itself tells
// what never reached the server.
func TestClientsReportWhatTheyRefused(t *testing.T) {
	b := newBench(t, nil)
	for range 2 { // the second is the same upload again
		w := b.call("POST", "/api/v1/records", strings.NewReader(goodLine), "Idempotency-Key", "k",
			"Headway-Client-Source", "thefastest", "Headway-Client-Rejected", "no_model=3, expired=2", "Headway-Client-Content-Dropped", "7")
		if u := decode[Upload](t, w); w.Code != 200 || u.Read != 1 || u.Rejected != 0 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	w := b.call("POST", "/api/v1/records", strings.NewReader(""), "Headway-Client-Rejected", "not_json=1")
	if u := decode[Upload](t, w); w.Code != 200 || u.Read != 0 {
		t.Fatalf("nothing but refused rows: %d %s", w.Code, w.Body)
	}
	up := decode[Quality](t, b.get("/api/v1/quality")).Uploads
	if len(up) != 2 || up[0].Source != "headway" || up[0].Accepted != 1 || up[0].Rejected["not_json"] != 1 ||
		up[1].Source != "thefastest" || up[1].Rejected["no_model"] != 3 || up[1].Rejected["expired"] != 2 || up[1].ContentDropped != 7 {
		t.Errorf("%+v", up)
	}
}

func TestClientReportsAreChecked(t *testing.T) {
	for _, tc := range []struct{ header, value, want string }{
		{"Headway-Client-Rejected", "no_modle=3", "no_model"},
		{"Headway-Client-Rejected", "no_model", "reason=count"},
		{"Headway-Client-Rejected", "no_model=-1", "reason=count"},
		{"Headway-Client-Rejected", "no_model=1e3", "reason=count"},
		{"Headway-Client-Rejected", "no_model=9999999999", "reason=count"},
		{"Headway-Client-Rejected", "no_model=1,no_model=1", "twice"},
		{"Headway-Client-Content-Dropped", "many", "whole number"},
		{"Headway-Client-Content-Dropped", "9999999999", "whole number"},
		{"Headway-Client-Source", "thefast", "thefastest"},
	} {
		b := newBench(t, nil)
		w := b.call("POST", "/api/v1/records", strings.NewReader(goodLine), tc.header, tc.value)
		p := decode[Problem](t, w)
		if w.Code != 422 || p.Errors[0].Location != "header."+tc.header || !strings.Contains(w.Body.String(), tc.want) || len(b.shelf.produced) != 0 {
			t.Errorf("%s: %s: %d %s", tc.header, tc.value, w.Code, w.Body)
		}
	}
}

// TestContentIsCountedWhereItIsDropped: what goes to the log has none left to
// count a second time.
func TestContentIsCountedWhereItIsDropped(t *testing.T) {
	b := newBench(t, nil)
	u := decode[Upload](t, b.call("POST", "/api/v1/records", strings.NewReader(
		`{"created_at":"2026-11-30T02:59:00Z","model":"m","prompt":"x","user":"u","other":{"content":"c","timing":{"text":"t","first_response_ms":3}}}`)))
	if u.ContentDropped != 4 || rereadDropped(t, b.shelf.produced[0]) != 0 {
		t.Errorf("%+v, handed over %s", u, b.shelf.produced[0])
	}
}
