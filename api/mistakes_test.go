package api

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"headway/classify"
	"headway/query"
)

// TestEachMistakeIsToldOnce: a client that prints detail and errors must not
// print a mistake twice, unless there is only the one.
func TestEachMistakeIsToldOnce(t *testing.T) {
	b := newBench(t, nil)
	one := decode[Problem](t, b.get("/api/v1/latency?metric=first_respons_ms"))
	if len(one.Errors) != 1 || one.Detail != "metric: "+one.Errors[0].Message || !strings.HasSuffix(one.Detail, "; nearest: first_response_ms") {
		t.Errorf("one mistake: %+v", one)
	}
	two := decode[Problem](t, b.get("/api/v1/latency?metric=first_respons_ms&by=chanel"))
	if len(two.Errors) != 2 || two.Detail != "2 mistakes; errors lists them" {
		t.Errorf("two mistakes: %+v", two)
	}
	body := decode[Problem](t, b.call("POST", "/api/v1/classify", strings.NewReader("nope")))
	if len(body.Errors) != 0 || !strings.HasPrefix(body.Detail, "not_json: ") {
		t.Errorf("a body: %+v", body)
	}
}

// TestEachParameterIsGivenOnceAndWithAValue, by every road into the API.
func TestEachParameterIsGivenOnceAndWithAValue(t *testing.T) {
	for _, tc := range []struct{ method, target, param, want string }{
		{"GET", "latency?format=csv&format=json", "format", "give it once"},
		{"GET", "latency?format=", "format", "no value"},
		{"GET", "latency?metric=tps&metric=tps", "metric", "give it once"},
		{"GET", "latency?metric=", "metric", "no value"},
		{"GET", "latency?role=primry", "role", "nearest: primary"},
		{"GET", "latency?format=xml", "format", "json, csv or ndjson"},
		{"GET", "requests/r1?explain=sql&explain=sql", "explain", "give it once"},
		{"GET", "requests/r1?explain=", "explain", "no value"},
		{"GET", "requests/r1?explain=plan", "explain", "sql"},
		{"GET", "requests/r1?qqqqqqq=1", "qqqqqqq", "takes explain, format"},
		{"GET", "fields?qqqqqqq=1", "qqqqqqq", "takes format"},
		{"POST", "records?source=headway&source=llmperf", "source", "give it once"},
		{"POST", "records?source=", "source", "no value"},
		{"POST", "records?base_time=", "base_time", "no value"},
		{"POST", "records?shift_to_now=true&shift_to_now=false", "shift_to_now", "give it once"},
		{"POST", "records?base_time=now&shift_to_now=true", "base_time", "not both"},
		{"POST", "records?qqqqqqq=1", "qqqqqqq", "takes source, base_time, shift_to_now"},
		{"POST", "classify?qqqqqqq=1", "qqqqqqq", "takes source"},
	} {
		t.Run(tc.method+" "+tc.target, func(t *testing.T) {
			w := newBench(t, nil).call(tc.method, "/api/v1/"+tc.target, strings.NewReader(goodLine))
			p := decode[Problem](t, w)
			if w.Code != 422 || len(p.Errors) != 1 || p.Errors[0].Location != "query."+tc.param || !strings.Contains(p.Detail, tc.want) {
				t.Errorf("%d %s, want one about %s with %q", w.Code, w.Body, tc.param, tc.want)
			}
		})
	}
}

// TestClosedSetsAreTheClassifiers: filters take exactly the values that the
// classifier gives.
func TestClosedSetsAreTheClassifiers(t *testing.T) {
	var labels []string
	for _, l := range classify.Labels() {
		labels = append(labels, string(l.Label))
	}
	stages := []classify.Stage{classify.StageLocal, classify.StageHeaders, classify.StageEventWait, classify.StageEffectiveWait,
		classify.StageTextWait, classify.StageGeneration, classify.StageTail}
	sets := map[string][]string{"input_band": classify.InputBands(), "labels": labels,
		"label": append(slices.Clone(labels), string(classify.Healthy), string(classify.Unknown))}
	for _, s := range stages {
		sets["stage"] = append(sets["stage"], string(s))
	}
	b := newBench(t, nil)
	for dimension, values := range sets {
		q := url.Values{dimension: append(values, query.Missing)}
		if w := b.get("/api/v1/latency?" + q.Encode()); w.Code != 200 {
			t.Errorf("%s: %d %s", dimension, w.Code, w.Body)
		}
		p := decode[Problem](t, b.get("/api/v1/latency?"+dimension+"=no-such"))
		if !strings.Contains(p.Detail, " is one of "+strings.Join(values, ", ")+" or (missing)") {
			t.Errorf("%s: %s", dimension, p.Detail)
		}
	}
}

// TestHeadAnswersLikeGet, without the body.
func TestHeadAnswersLikeGet(t *testing.T) {
	b := newBench(t, nil)
	b.shelf.latency = oneSeries()
	server := httptest.NewServer(b)
	defer server.Close()
	for _, tc := range []struct {
		path string
		code int
	}{{"/api/v1/latency", 200}, {"/api/v1/latency?q=2", 422}, {"/api/v1/requests/none", 404}, {"/healthz", 200}, {"/metrics", 200},
		{"/openapi.json", 200}, {"/docs", 200}, {"/", 200}, {"/api/v1/records", 405}} {
		get, err := http.Get(server.URL + tc.path)
		if err != nil {
			t.Fatal(err)
		}
		get.Body.Close() //nolint:errcheck // only its head is looked at
		head, err := http.Head(server.URL + tc.path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(head.Body)
		if err != nil || head.StatusCode != tc.code || get.StatusCode != tc.code || len(body) != 0 || head.Header.Get("Content-Type") != get.Header.Get("Content-Type") {
			t.Errorf("%s: GET %d, HEAD %d, want %d; types %q and %q", tc.path, get.StatusCode, head.StatusCode, tc.code, get.Header.Get("Content-Type"), head.Header.Get("Content-Type"))
		}
	}
	if w := newBench(t, func(o *Options) { o.Access.Tokens = []Token{{Name: "r", Hash: HashToken("t"), Role: RoleRead}} }).call("HEAD", "/api/v1/latency", nil); w.Code != 401 {
		t.Errorf("HEAD without a token: %d", w.Code)
	}
}

func TestBaseTimeThatChangesNothingIsSaid(t *testing.T) {
	b := newBench(t, nil)
	if u := decode[Upload](t, b.call("POST", "/api/v1/records?base_time=now", strings.NewReader(goodLine))); !warned(u.Warnings, "base_time changed nothing") {
		t.Errorf("warnings %q", u.Warnings)
	}
	if u := decode[Upload](t, b.call("POST", "/api/v1/records?base_time=now", strings.NewReader(goodLine+"\n{\"model\":\"m\"}"))); len(u.Warnings) != 0 || u.Accepted != 2 {
		t.Errorf("one row needs it: %+v", u)
	}
}
