package api

import (
	"strings"
	"testing"
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
