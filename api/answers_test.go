package api

import (
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"headway/query"
	"headway/schema"
)

func f64(v float64) *float64 { return &v }

func oneSeries() query.LatencyAnswer {
	return query.LatencyAnswer{
		Meta:      query.Meta{From: clock.Add(-time.Hour), To: clock, Step: time.Minute, N: 100, Table: "requests", Approximation: "exact", LeftOut: map[string]int64{"duplicate": 2}},
		Quantiles: []float64{0.5, 0.999},
		Series: []query.Series{{Key: map[string]string{"channel": "=cmd", "route": ""}, N: 100, Points: []query.Point{
			{At: clock.Add(-time.Minute), N: 100, Values: []*float64{f64(1.5), nil}, Open: true},
		}}},
	}
}

func TestLatencyAnswer(t *testing.T) {
	b := newBench(t, nil)
	b.shelf.latency = oneSeries()
	w := b.get("/api/v1/latency?by=channel,route&q=p50,p99.9&metric=ttft&from=now-1h")
	l := decode[Latency](t, w)
	if l.Meta.From != "2026-11-30T02:00:00.000Z" || l.Meta.StepS == nil || *l.Meta.StepS != 60 || l.Meta.LeftOut["duplicate"] != 2 {
		t.Errorf("meta %+v", l.Meta)
	}
	if m := l.Meta.Metric; m == nil || m.Name != "first_response_ms" || m.Asked != "ttft" || m.Start != "t0" || m.End != "t4" || l.Unit != "ms" {
		t.Errorf("metric %+v", m)
	}
	s := l.Series[0]
	if s.Key["route"] != nil || s.Key["channel"] == nil || s.Points[0].Values[1] != nil || *s.Points[0].Values[0] != 1.5 || !s.Points[0].Open {
		t.Errorf("series %s", w.Body)
	}
	if b.shelf.step != 15*time.Second {
		t.Errorf("step %v", b.shelf.step)
	}
	if !strings.Contains(w.Body.String(), `"warnings":[`) || !strings.Contains(w.Body.String(), `"route":null`) {
		t.Errorf("body %s", w.Body)
	}
}

func TestFormats(t *testing.T) {
	b := newBench(t, nil)
	b.shelf.latency = oneSeries()
	target := "/api/v1/latency?by=channel,route&q=p50,p99.9"
	t.Run("csv", func(t *testing.T) {
		w := b.get(target + "&format=csv")
		rows, err := csv.NewReader(w.Body).ReadAll()
		if err != nil || len(rows) != 2 {
			t.Fatalf("%v %v", rows, err)
		}
		if got := strings.Join(rows[0], " "); got != "channel route at n censored failures open unit p50 p99.9 p50_at_least p99.9_at_least" {
			t.Errorf("header %q", got)
		}
		if rows[1][0] != "'=cmd" || rows[1][1] != "" || rows[1][8] != "1.5" || rows[1][9] != "" {
			t.Errorf("row %q", rows[1])
		}
		var m Meta
		if err := json.Unmarshal([]byte(w.Header().Get("Headway-Meta")), &m); err != nil || m.N != 100 {
			t.Errorf("meta %+v, %v", m, err)
		}
	})
	t.Run("ndjson by Accept", func(t *testing.T) {
		w := b.get(target, "Accept", "text/html;q=0.5, application/x-ndjson, application/json;q=0.9")
		var row map[string]json.RawMessage
		if err := json.Unmarshal(w.Body.Bytes(), &row); err != nil || string(row["route"]) != "null" || string(row["channel"]) != `"=cmd"` {
			t.Errorf("%s: %v", w.Body, err)
		}
		if w.Header().Get("Content-Type") != "application/x-ndjson" || w.Header().Get("Vary") != "Accept" {
			t.Errorf("headers %v", w.Header())
		}
	})
	t.Run("a browser gets JSON", func(t *testing.T) {
		w := b.get(target, "Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
		if w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("headers %v", w.Header())
		}
	})
	t.Run("problems stay problems", func(t *testing.T) {
		w := b.get("/api/v1/latency?q=2&format=csv", "Accept", "text/csv")
		if p := decode[Problem](t, w); p.Status != 422 || w.Header().Get("Content-Type") != problemType {
			t.Errorf("%+v", p)
		}
	})
}

func TestMetaHeaderIsASCII(t *testing.T) {
	h, err := metaHeader(Meta{Warnings: []string{"Grüße 😀"}, SQL: []Statement{{Name: "x.sql"}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []byte(h) {
		if c < 0x20 || c > 0x7e {
			t.Fatalf("byte %x in %q", c, h)
		}
	}
	var m Meta
	if err := json.Unmarshal([]byte(h), &m); err != nil || m.Warnings[0] != "Grüße 😀" || m.SQL != nil {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestPagesKeepTheirWindow(t *testing.T) {
	b := newBench(t, nil)
	b.shelf.requests = query.RequestsAnswer{Next: "position-1"}
	first := decode[Requests](t, b.get("/api/v1/requests?from=now-1h&model=x&limit=10"))
	if first.NextPage == nil {
		t.Fatal("no next page")
	}
	from, to := b.shelf.scope.From, b.shelf.scope.To
	b.Options.Now = func() time.Time { return clock.Add(time.Minute) }
	b.shelf.requests.Next = ""
	second := decode[Requests](t, b.get("/api/v1/requests?limit=20&from=now-1h&model=x&page="+*first.NextPage))
	if !b.shelf.scope.From.Equal(from) || !b.shelf.scope.To.Equal(to) || b.shelf.page != "position-1" || second.NextPage != nil {
		t.Errorf("window %v … %v, page %q", b.shelf.scope.From, b.shelf.scope.To, b.shelf.page)
	}
	if w := b.get("/api/v1/requests?from=now-1h&model=other&page=" + *first.NextPage); w.Code != 422 || !strings.Contains(w.Body.String(), "another question") {
		t.Errorf("another question: %d %s", w.Code, w.Body)
	}
}

func traceA() schema.Record {
	ms := func(v int) schema.Opt[time.Duration] { return schema.Some(time.Duration(v) * time.Millisecond) }
	r := schema.Record{RequestID: "a", Source: "headway", StartPoint: schema.StartHandler, CreatedAt: clock, Model: "m",
		Timing: schema.Timing{UpstreamStart: ms(5), Auth: ms(1), UpstreamHeaders: ms(6100), FirstSSEEvent: ms(6300), FirstResponse: ms(6350),
			FirstTextDelta: ms(6400), TotalHandler: ms(9200)}}
	r.Derived = schema.Derive(&r)
	return r
}

func TestRequestTimeline(t *testing.T) {
	b := newBench(t, nil)
	first, second := traceA(), traceA()
	second.Attempt, second.Role, second.CreatedAt = 1, schema.RoleBackup, clock.Add(250*time.Millisecond)
	b.shelf.request = query.RequestAnswer{Attempts: []query.Attempt{{Record: first}, {Record: second}}, Percentile: f64(0.97), CohortN: 100}
	w := b.get("/api/v1/requests/a?explain=sql")
	r := decode[Request](t, w)
	if len(r.Attempts) != 2 || r.Attempts[1].OffsetMs != 250 || *r.Percentile != 0.97 {
		t.Fatalf("%s", w.Body)
	}
	if r.Meta.From != stamp(clock) || r.Meta.To != stamp(clock.Add(251*time.Millisecond)) {
		t.Errorf("window %s … %s", r.Meta.From, r.Meta.To)
	}
	if v := r.Attempts[0].Verdict; v.Primary != "upstream_headers_slow" {
		t.Errorf("verdict %+v", v)
	}
	want := []Span{{"local", 0, 1, true}, {"headers", 5, 6105, false}, {"event_wait", 6105, 6300, false},
		{"effective_wait", 6300, 6350, false}, {"text_wait", 6350, 6400, false}, {"generation", 6400, 9200, true}}
	if got := r.Attempts[0].Spans; len(got) != len(want) {
		t.Fatalf("spans %+v", got)
	}
	for i, s := range r.Attempts[0].Spans {
		if s != want[i] {
			t.Errorf("span %+v, want %+v", s, want[i])
		}
	}
	if a := r.Attempts[0]; a.Gateway != nil || a.Timing.UpstreamDoneMs != nil || a.Timing.FirstResponseMs == nil || a.Timing.DispatchEstimated {
		t.Errorf("attempt %s", w.Body)
	}
}

func TestSpansWithoutDispatch(t *testing.T) {
	r := traceA()
	r.Timing.UpstreamStart, r.Timing.Auth = schema.Opt[time.Duration]{}, schema.Opt[time.Duration]{}
	r.Derived = schema.Derive(&r)
	if got := spans(&r); len(got) != 5 || got[0] != (Span{"headers", 0, 6100, true}) {
		t.Errorf("spans %+v", got)
	}
	r.StartPoint = schema.StartAttempt
	if got := spans(&r); got[0] != (Span{"headers", 0, 6100, false}) {
		t.Errorf("of an attempt's own clock: %+v", got[0])
	}
}

func TestFootingNeverMixesClocksUnasked(t *testing.T) {
	sources := []query.ValueCount{{Value: "headway", N: 10}, {Value: "thefastest", N: 30}, {Value: "llmperf", N: 5}}
	s := newBench(t, nil).Server
	on := func(dimension, value string) query.Scope {
		return query.Scope{Where: []query.Condition{{Dimension: dimension, Op: query.OpIn, Values: []string{value}}}}
	}
	for _, tc := range []struct {
		name    string
		scope   query.Scope
		asked   string
		by      []string
		sources []query.ValueCount
		metric  string
		leftOut int64
		warns   int
		narrows bool
	}{
		{"probes outnumber the gateway", query.Scope{}, "", nil, sources, "first_text_delta_ms", 10, 1, true},
		{"the gateway alone", query.Scope{}, "", nil, sources[:1], "first_response_ms", 0, 0, false},
		{"nothing stored", query.Scope{}, "", nil, nil, "first_response_ms", 0, 0, false},
		{"grouped by source", query.Scope{}, "", []string{"source"}, sources, "first_response_ms", 0, 1, false},
		{"start point chosen", on("start_point", "handler"), "", nil, sources[:1], "first_response_ms", 0, 0, false},
		{"bare ttft", query.Scope{}, "ttft", nil, sources[1:], "first_response_ms", 0, 0, false},
		{"named metric", query.Scope{}, "tps", nil, sources[1:], "tps", 0, 0, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f, err := s.stand(tc.scope, tc.asked, tc.by, tc.sources)
			if err != nil {
				t.Fatal(err)
			}
			narrowed := len(f.scope.Where) > len(tc.scope.Where)
			if f.metric.Name != tc.metric || f.leftOut != tc.leftOut || len(f.warnings) != tc.warns || narrowed != tc.narrows {
				t.Errorf("metric %s, left out %d, warnings %q, where %v", f.metric.Name, f.leftOut, f.warnings, f.scope.Where)
			}
		})
	}
}

func TestReadiness(t *testing.T) {
	b := newBench(t, nil)
	if w := b.get("/readyz"); w.Code != 503 {
		t.Errorf("without parts: %d", w.Code)
	}
	b.shelf.states = []ComponentState{{Component: "database", Ready: true, Since: clock}, {Component: "log", Ready: false, Reason: "unreachable; start Kafka", Since: clock}}
	w := b.get("/readyz")
	r := decode[Readiness](t, w)
	if w.Code != 503 || r.Ready || r.Components[1].Reason == "" {
		t.Errorf("%d %+v", w.Code, r)
	}
	b.shelf.states[1].Ready = true
	if w := b.get("/readyz"); w.Code != 200 {
		t.Errorf("all ready: %d", w.Code)
	}
	if h := decode[Health](t, b.get("/healthz")); h.Status != "ok" || h.Version != "test" {
		t.Errorf("%+v", h)
	}
}

func TestFieldsAreTheRegistry(t *testing.T) {
	f := decode[Fields](t, newBench(t, nil).get("/api/v1/fields"))
	if len(f.Fields) != len(schema.NewRegistry().Fields()) || f.DefaultMetric != "first_response_ms" || len(f.Sources) < 3 {
		t.Errorf("%d fields, %q, %v", len(f.Fields), f.DefaultMetric, f.Sources)
	}
}

func TestSlowestRequestsSortByTheSourcesMetric(t *testing.T) {
	b := newBench(t, nil)
	b.shelf.values = query.ValuesAnswer{Values: []query.ValueCount{{Value: "thefastest", N: 5}}}
	b.shelf.requests = query.RequestsAnswer{Next: "p"}
	first := decode[Requests](t, b.get("/api/v1/requests?sort=slow&from=now-1h"))
	if first.Meta.Metric.Name != "first_text_delta_ms" || first.Meta.Metric.Asked != "" {
		t.Errorf("metric %+v", first.Meta.Metric)
	}
	b.shelf.values = query.ValuesAnswer{Values: []query.ValueCount{{Value: "headway", N: 50}}}
	second := decode[Requests](t, b.get("/api/v1/requests?sort=slow&from=now-1h&page="+*first.NextPage))
	if second.Meta.Metric.Name != "first_text_delta_ms" {
		t.Errorf("the second page sorts by %s", second.Meta.Metric.Name)
	}
}
