package api

import (
	"context"
	"fmt"
	"time"

	"headway/classify"
	"headway/query"
)

// Requests answers GET requests: a page of attempts.
type Requests struct {
	Meta     Meta      `json:"meta"`
	Attempts []Attempt `json:"attempts"`
	NextPage *string   `json:"next_page" doc:"Pass as page= for the next page; null on the last."`
}

// Request answers GET requests/{id}: one request's attempts in order.
type Request struct {
	Meta       Meta       `json:"meta"`
	RequestID  string     `json:"request_id"`
	Attempts   []Timeline `json:"attempts"`
	Percentile *float64   `json:"percentile" doc:"Share of its cohort (same model, route, input band, day) at or below the primary's metric, 0 to 1."`
	CohortN    int64      `json:"cohort_n"`
}

// Timeline is one attempt with its stages on the request's time axis.
type Timeline struct {
	Attempt
	OffsetMs float64          `json:"offset_ms" doc:"Start of this attempt's axis after the first attempt's, ms."`
	Spans    []Span           `json:"spans" doc:"Measured stages in time order."`
	Verdict  classify.Verdict `json:"verdict"`
}

// Span is one stage of an attempt, in ms from the attempt's own start.
type Span struct {
	Stage     string  `json:"stage"`
	StartMs   float64 `json:"start_ms"`
	EndMs     float64 `json:"end_ms"`
	Estimated bool    `json:"estimated" doc:"An estimate of the dispatch was part of it."`
}

func (r Requests) describe() Meta { return r.Meta }

func (r Requests) table() table { return attemptTable(r.Attempts) }

func (r Request) describe() Meta { return r.Meta }

func (r Request) table() table {
	attempts := make([]Attempt, len(r.Attempts))
	for i, a := range r.Attempts {
		attempts[i] = a.Attempt
	}
	return attemptTable(attempts)
}

func attemptTable(attempts []Attempt) table {
	t := table{columns: []string{"request_id", "attempt", "role", "created_at", "source", "start_point", "gateway", "model", "route", "channel",
		"provider", "region", "status", "outcome", "stream", "input_tokens", "output_tokens", "upstream_headers_ms", "first_sse_event_ms",
		"first_response_ms", "first_text_delta_ms", "upstream_done_ms", "total_handler_ms", "tps", "label", "stage", "at_least_ms"}}
	for _, a := range attempts {
		tm := a.Timing
		t.rows = append(t.rows, []any{a.RequestID, int64(a.Attempt), a.Role, a.CreatedAt, a.Source, a.StartPoint, cell(a.Gateway), a.Model, cell(a.Route),
			cell(a.Channel), cell(a.Provider), cell(a.Region), cell(a.Status), cell(a.Outcome), cell(a.Stream), cell(a.InputTokens), cell(a.OutputTokens),
			cell(tm.UpstreamHeadersMs), cell(tm.FirstSSEEventMs), cell(tm.FirstResponseMs), cell(tm.FirstTextDeltaMs), cell(tm.UpstreamDoneMs),
			cell(tm.TotalHandlerMs), cell(tm.TPS), a.Label, cell(a.Stage), cell(a.AtLeastMs)})
	}
	return t
}

func (s *Server) requests(ctx context.Context, in *input) (Requests, error) {
	q, err := query.ParseRequests(s.Fields, in.values)
	if err != nil {
		return Requests{}, err
	}
	sc, err := q.Resolve(s.Now())
	if err != nil {
		return Requests{}, err
	}
	asked, name := q, q.Metric
	if q.Page != "" {
		// Later pages keep the instants and the metric of the first: "now"
		// moves on, and other sources may arrive.
		page, err := openPage(q, q.Page)
		if err != nil {
			return Requests{}, err
		}
		sc.Window, q.Page, name = page.window(), page.Position, page.Metric
	}
	f, err := s.sortMetric(ctx, sc, name, q.Sort == "slow" && asked.Page == "")
	if err != nil {
		return Requests{}, err
	}
	f.asked, q.Metric = asked.Metric, f.metric.Name
	a, err := s.Options.Requests.Requests(ctx, q, sc)
	if err != nil {
		return Requests{}, fmt.Errorf("listing requests: %w", err)
	}
	return presentRequests(a, f, asked, sc.Window), nil
}

// sortMetric is the metric of a list: the one asked for, else where it sorts
// the list the sources' own. A list is no percentile, so clocks may mix. A
// first page that it sorts says where no source records it.
func (s *Server) sortMetric(ctx context.Context, sc query.Scope, name string, sorts bool) (footing, error) {
	if sorts {
		return s.find(ctx, sc, name, []string{"start_point"})
	}
	metric, err := query.ResolveMetric(s.Fields, name, s.DefaultMetric)
	return footing{metric: metric, scope: sc}, err
}

func presentRequests(a query.RequestsAnswer, f footing, asked query.Requests, w query.Window) Requests {
	out := Requests{Meta: presentMeta(a.Meta, f), Attempts: []Attempt{}}
	for _, at := range a.Attempts {
		out.Attempts = append(out.Attempts, presentAttempt(at))
	}
	if a.Next != "" {
		out.NextPage = ptr(sealPage(asked, w, f.metric.Name, a.Next))
	}
	return out
}

// maxID bounds an id in a path; ids are cut at 128 bytes when stored.
const maxID = 128

func (s *Server) request(ctx context.Context, in *input) (Request, error) {
	explain, err := query.ParseRequest(in.values)
	if err != nil {
		return Request{}, err
	}
	if in.path == "" || len(in.path) > maxID {
		return Request{}, query.Errors{{Param: "id", Message: fmt.Sprintf("an id has 1 to %d bytes", maxID)}}
	}
	a, err := s.Options.Requests.Request(ctx, in.path, explain)
	if err != nil {
		return Request{}, fmt.Errorf("looking up a request: %w", err)
	}
	if len(a.Attempts) == 0 {
		return Request{}, problem("not-found", "no stored attempt has the request id "+quotePath(in.path)+"; records show up within seconds and expire with the retention")
	}
	return presentRequest(a, in.path, s.Classifier), nil
}

func presentRequest(a query.RequestAnswer, id string, c Classifier) Request {
	first := a.Attempts[0].Record.CreatedAt
	if a.Meta.From.IsZero() { // no primary, so no cohort's window
		a.Meta.From, a.Meta.To = first, a.Attempts[len(a.Attempts)-1].Record.CreatedAt.Add(time.Millisecond)
	}
	out := Request{Meta: presentMeta(a.Meta, footing{}), RequestID: id, Percentile: finite(a.Percentile), CohortN: a.CohortN}
	for _, at := range a.Attempts {
		r := at.Record
		out.Attempts = append(out.Attempts, Timeline{Attempt: presentAttempt(at), OffsetMs: millis(r.CreatedAt.Sub(first)),
			Spans: list(spans(&r)), Verdict: c.Classify(&r)})
	}
	return out
}
