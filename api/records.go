package api

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"headway/query"
	"headway/schema"
)

// Upload answers POST records. Numbers count records of this upload.
type Upload struct {
	Source         string           `json:"source"`
	Read           int64            `json:"read"`
	Accepted       int64            `json:"accepted"`
	Rejected       int64            `json:"rejected"`
	Flagged        int64            `json:"flagged" doc:"Accepted with a quality flag."`
	Reasons        map[string]int64 `json:"reasons" doc:"Rejected by reason."`
	Flags          map[string]int64 `json:"flags"`
	ContentDropped int64            `json:"content_dropped" doc:"Keys that carry content or identity, dropped unread."`
	Errors         []LineError      `json:"errors" doc:"The first refused records."`
	ErrorsLeftOut  int64            `json:"errors_left_out" doc:"Refused records not listed in errors."`
	Warnings       []string         `json:"warnings"`
}

// LineError says why one record of an upload was refused. It quotes nothing.
type LineError struct {
	Line   int64  `json:"line" doc:"Line that the record begins on, from 1."`
	Reason string `json:"reason"`
	Remedy string `json:"remedy"`
}

// uploadOptions are the parameters of an upload.
type uploadOptions struct {
	source     schema.Source
	format     schema.Format
	onlyJSON   bool      // what is detected is never CSV
	baseTime   time.Time // of the first row without clock time; zero: none
	shiftToNow bool
	client     clientReport
}

func (s *Server) registerRecords(api huma.API) {
	op := operation(http.MethodPost, "records", "Upload records")
	op.Description = "Records become rows within seconds. With an Idempotency-Key an upload can be repeated safely; " +
		"keys are remembered by this process for 24 hours, at most 10,000 of them."
	for _, p := range []query.Param{s.sourceParam(),
		{Name: "base_time", Doc: "Time of the first row of a source without clock time; rows are spread at their order.", Example: "now-1h"},
		{Name: "shift_to_now", Doc: "true moves all times so that the newest row lies at now.", Choices: []string{"true", "false"}},
	} {
		op.Parameters = append(op.Parameters, queryParameter(p))
	}
	for name, about := range map[string]string{
		idempotencyHeader:    "1 to 128 printable characters; one key per upload.",
		clientSourceHeader:   "Source that the client decoded itself, for the two counts below; default: source.",
		clientRejectedHeader: "Rows that the client refused itself, reason=count with commas: they are shown in quality. The body may then be empty.",
		clientContentHeader:  "Keys with content or identity that the client dropped itself.",
	} {
		op.Parameters = append(op.Parameters, &huma.Param{Name: name, In: "header", Description: about, Schema: &huma.Schema{Type: "string"}})
	}
	slices.SortFunc(op.Parameters, func(a, b *huma.Param) int { return strings.Compare(a.In+a.Name, b.In+b.Name) })
	op.Responses = answers[Upload](api)
	huma.Register(api, op, func(ctx context.Context, in *input) (*jsonOutput, error) {
		out, err := s.records(ctx, in)
		if err != nil {
			return nil, s.explainError(ctx, "records", err)
		}
		return out, nil
	})
	documentBody(api, op.Path, "NDJSON, a JSON array or CSV with a header; plain or gzip.", "string",
		"application/x-ndjson", "application/json", "text/csv", "application/gzip")
}

func (s *Server) records(ctx context.Context, in *input) (*jsonOutput, error) {
	o, err := s.readUpload(in)
	if err != nil {
		return nil, err
	}
	if s.Uploads == nil {
		return nil, problem("unavailable", "this process has no log to write records to: set kafka.upload_topic, or send them to the process that has it")
	}
	leave, err := s.uploadGate.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	return s.once(ctx, in, o)
}

func (s *Server) readUpload(in *input) (uploadOptions, error) {
	var o uploadOptions
	var errs query.Errors
	var err error
	if o.source, err = s.readSource(in.values, "source", "base_time", "shift_to_now"); err != nil {
		if e, ok := err.(query.Errors); ok {
			errs = append(errs, e...)
		}
	}
	if b := in.values.Get("base_time"); b != "" {
		if o.baseTime, err = query.ParseTime(b, s.Now()); err != nil {
			errs = append(errs, query.ParamError{Param: "base_time", Message: err.Error()})
		}
	}
	switch v := in.values.Get("shift_to_now"); v {
	case "", "false":
	case "true":
		o.shiftToNow = true
	default:
		errs = append(errs, query.ParamError{Param: "shift_to_now", Message: "give true or false", Nearest: query.Nearest(v, []string{"true", "false"})})
	}
	if o.shiftToNow && !o.baseTime.IsZero() {
		errs = append(errs, query.ParamError{Param: "base_time", Message: "give base_time, for rows without a time, or shift_to_now, for rows with one, not both"})
	}
	report, bad := s.readReport(in.header, o.source.Name)
	if len(errs) > 0 || len(bad) > 0 {
		return o, invalidQuestion(errs, bad...)
	}
	o.client = report
	o.format, o.onlyJSON, err = bodyFormat(in.header)
	return o, err
}

// bodyFormat reads Content-Type; JSON may be an array, NDJSON or one object,
// which the first byte tells. onlyJSON is true where it may not be CSV.
func bodyFormat(h http.Header) (format schema.Format, onlyJSON bool, err error) {
	if e := h.Get("Content-Encoding"); e != "" && !strings.EqualFold(e, "gzip") && !strings.EqualFold(e, "identity") {
		return "", false, problem("unsupported-media-type", "Content-Encoding may be gzip or none")
	}
	name, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "application/json":
		return schema.FormatAuto, true, nil
	case "", "application/octet-stream", "application/gzip", "application/x-gzip", "text/plain", "application/x-www-form-urlencoded":
		return schema.FormatAuto, false, nil
	case "application/x-ndjson", "application/ndjson", "application/jsonl":
		return schema.FormatNDJSON, true, nil
	case "text/csv":
		return schema.FormatCSV, false, nil
	}
	return "", false, problem("unsupported-media-type", "Content-Type may be application/x-ndjson, application/json, text/csv or application/gzip")
}

// identity tells uploads with the same key but other parameters apart.
func (o uploadOptions) identity(v url.Values) string { return o.source.Name + "?" + v.Encode() }
