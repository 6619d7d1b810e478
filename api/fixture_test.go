package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"headway/classify"
	"headway/query"
	"headway/schema"
)

var clock = time.Date(2026, 11, 30, 3, 0, 0, 0, time.UTC)

// shelf answers every port with what a test laid on it, and remembers what it
// was asked. It stands for storage only where the test is about HTTP itself.
type shelf struct {
	mu        sync.Mutex
	latency   query.LatencyAnswer
	breakdown query.BreakdownAnswer
	headline  query.HeadlineAnswer
	waits     []query.Waits
	pairs     query.HedgePairs
	channels  []query.ValueCount
	served    []query.HedgeServed
	orphans   int64
	advice    []query.StoredAdvice
	changes   []query.PolicyChange
	polled    int // times that the newest advice was read
	billing   query.Billing
	requests  query.RequestsAnswer
	request   query.RequestAnswer
	quality   query.QualityAnswer
	values    query.ValuesAnswer
	err       error
	block     func(context.Context) error
	scope     query.Scope
	scopes    []query.Scope
	page      string
	step      time.Duration
	produced  [][]byte
	failAfter int // chunks taken before Produce fails; 0 never
	states    []ComponentState
}

func (s *shelf) note(ctx context.Context, sc query.Scope) error {
	s.mu.Lock()
	s.scope, s.scopes = sc, append(s.scopes, sc)
	block, err := s.block, s.err
	s.mu.Unlock()
	if block != nil {
		if err := block(ctx); err != nil {
			return err
		}
	}
	return err
}

func (s *shelf) Latency(ctx context.Context, q query.Latency, sc query.Scope) (query.LatencyAnswer, error) {
	s.step = q.Step
	return s.latency, s.note(ctx, sc)
}

func (s *shelf) Breakdown(ctx context.Context, _ query.Breakdown, sc query.Scope) (query.BreakdownAnswer, error) {
	return s.breakdown, s.note(ctx, sc)
}

func (s *shelf) Headline(ctx context.Context, _ query.Headline, sc query.Scope) (query.HeadlineAnswer, error) {
	return s.headline, s.note(ctx, sc)
}

func (s *shelf) Waits(ctx context.Context, sc query.Scope, _ schema.Field, _ []string, _ query.WaitMode) ([]query.Waits, query.Meta, error) {
	return s.waits, meta(sc), s.note(ctx, sc)
}

func (s *shelf) HedgeRows(ctx context.Context, sc query.HedgeScope, take func(query.HedgeRows) error) (query.HedgeMeta, error) {
	out := query.HedgeMeta{Meta: meta(sc.Scope), AllKeys: len(s.waits), Horizon: clock}
	if err := s.note(ctx, sc.Scope); err != nil {
		return out, err
	}
	days := map[time.Time]bool{}
	for _, w := range s.waits[:min(sc.Limit, len(s.waits))] {
		for _, at := range w.At {
			days[at.Truncate(24*time.Hour)] = true
		}
		billing := slices.Repeat([]query.Billing{s.billing}, len(w.Micros))
		if err := take(query.HedgeRows{Waits: w, Keys: len(s.waits), Pairs: s.pairs, Channels: s.channels, Billing: billing}); err != nil {
			return out, err
		}
	}
	out.Days = len(days)
	return out, nil
}

func (s *shelf) HedgedRequests(ctx context.Context, sc query.HedgeScope, take func(query.HedgeServed) error) (query.HedgeMeta, error) {
	out := query.HedgeMeta{Meta: meta(sc.Scope), AllKeys: len(s.served), Orphans: s.orphans}
	for _, k := range s.served {
		if err := take(k); err != nil {
			return out, err
		}
	}
	return out, s.note(ctx, sc.Scope)
}

func (s *shelf) Requests(ctx context.Context, q query.Requests, sc query.Scope) (query.RequestsAnswer, error) {
	s.page = q.Page
	return s.requests, s.note(ctx, sc)
}

func (s *shelf) Request(context.Context, string, bool) (query.RequestAnswer, error) {
	return s.request, s.err
}

func (s *shelf) Quality(ctx context.Context, _ query.Quality, sc query.Scope) (query.QualityAnswer, error) {
	return s.quality, s.note(ctx, sc)
}

func (s *shelf) Values(context.Context, query.Values, query.Scope) (query.ValuesAnswer, error) {
	return s.values, nil
}

func (s *shelf) Produce(_ context.Context, records [][]byte) error {
	if s.failAfter > 0 {
		if s.failAfter--; s.failAfter == 0 {
			return fmt.Errorf("broker away")
		}
	}
	for _, r := range records {
		s.produced = append(s.produced, bytes.Clone(r))
	}
	return nil
}

func (s *shelf) Components() []ComponentState { return s.states }

func meta(sc query.Scope) query.Meta {
	return query.Meta{From: sc.From, To: sc.To, Table: "requests", Approximation: "exact"}
}

// bench is a server with the shelf behind it.
type bench struct {
	*Server
	shelf *shelf
	log   *bytes.Buffer
}

func newBench(t testing.TB, change func(*Options)) *bench {
	t.Helper()
	judge, err := classify.New(classify.DefaultRules())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{shelf: &shelf{}, log: &bytes.Buffer{}}
	var ids atomic.Int64
	o := Options{
		Times: b.shelf, Waits: b.shelf, Hedges: b.shelf, Advices: b.shelf, Requests: b.shelf, Quality: b.shelf, Classifier: judge, Components: b.shelf, Verifier: b.shelf, Uploads: b.shelf,
		Fields: schema.NewRegistry(), Sources: schema.NewSources(), Metrics: prometheus.NewRegistry(),
		Web: fstest.MapFS{"index.html": {Data: []byte("<!doctype html><title>Headway</title>")}, "app-3FQ2ZK7A.js": {Data: []byte("1")}},
		Log: slog.New(slog.NewTextHandler(b.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Now: func() time.Time { return clock }, NewID: func() string { return fmt.Sprintf("id-%d", ids.Add(1)) },
		Version: "test", DefaultMetric: "first_response_ms", Limits: DefaultLimits(), Records: DefaultRecordLimits(), Hedge: DefaultHedgeSettings(),
	}
	if change != nil {
		change(&o)
	}
	if b.Server, err = New(o); err != nil {
		t.Fatal(err)
	}
	return b
}

// call sends one request with Host localhost.
func (b *bench) call(method, target string, body io.Reader, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, body)
	r.Host = "localhost:8080"
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
			continue
		}
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	return w
}

func (b *bench) get(target string, header ...string) *httptest.ResponseRecorder {
	return b.call(http.MethodGet, target, nil, header...)
}

// decode reads a JSON answer strictly, which also finds $schema keys.
func decode[T any](t testing.TB, w *httptest.ResponseRecorder) T {
	t.Helper()
	var v T
	dec := json.NewDecoder(strings.NewReader(w.Body.String()))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("status %d, body %s: %v", w.Code, w.Body, err)
	}
	return v
}

func newRecorder(b *bench, r *http.Request) *httptest.ResponseRecorder {
	r.Host = "localhost"
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	return w
}
