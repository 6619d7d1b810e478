package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"headway/classify"
	"headway/query"
	"headway/schema"
)

// Classified answers POST classify: the verdict for one record, nothing
// stored.
type Classified struct {
	Meta      ClassifiedMeta `json:"meta"`
	RequestID *string        `json:"request_id" doc:"Null where the record has none."`
	classify.Verdict
	Flags []string `json:"flags" doc:"Quality flags: what was wrong with the record and removed."`
}

// ClassifiedMeta says how a single record was read.
type ClassifiedMeta struct {
	Source         string   `json:"source"`
	StartPoint     string   `json:"start_point" doc:"Instant the record's offsets are measured from."`
	ContentDropped int64    `json:"content_dropped" doc:"Keys that carry content or identity, dropped unread."`
	Warnings       []string `json:"warnings"`
}

// jsonOutput is an answer of a POST; they come as JSON only.
type jsonOutput struct {
	ContentType string `header:"Content-Type"`
	Replayed    string `header:"Idempotent-Replayed" doc:"true where the answer of an earlier upload with the same key is repeated."`
	Body        []byte
}

func (s *Server) registerClassify(api huma.API) {
	op := operation(http.MethodPost, "classify", "Verdict for one record, nothing stored")
	op.Parameters = []*huma.Param{queryParameter(s.sourceParam())}
	op.Responses = answers[Classified](api)
	huma.Register(api, op, func(ctx context.Context, in *input) (*jsonOutput, error) {
		a, err := s.classify(in)
		if err != nil {
			return nil, s.explainError(ctx, "classify", err)
		}
		body, err := marshal(a)
		return &jsonOutput{ContentType: formatJSON.contentType(), Body: body}, err
	})
	documentBody(api, op.Path, "One record, plain or gzip; neither model nor time is needed.", "object", "application/json", "application/gzip")
}

func (s *Server) sourceParam() query.Param {
	return query.Param{Name: "source", Doc: "Whose record it is; default headway, the canonical one.", Example: "headway", Choices: s.Sources.Names()}
}

func (s *Server) classify(in *input) (Classified, error) {
	source, err := s.readSource(in.values, "source")
	if err != nil {
		return Classified{}, err
	}
	body, err := s.readRecord(in)
	if err != nil {
		return Classified{}, err
	}
	dec, err := schema.NewDecoder(schema.Config{Source: source, MaxBytes: s.Records.MaxRecord, Content: s.Records.Content, NewID: s.NewID, Partial: true})
	if err != nil {
		return Classified{}, fmt.Errorf("preparing to read a record: %w", err)
	}
	var rec schema.Record
	dropped, err := dec.Decode(body, s.Now(), &rec)
	s.meters.content.WithLabelValues(source.Name).Add(float64(dropped))
	var reject *schema.RejectError
	if errors.As(err, &reject) {
		return Classified{}, problem("invalid-body", reject.Error())
	}
	if err != nil {
		return Classified{}, fmt.Errorf("reading a record: %w", err)
	}
	return presentClassified(&rec, s.Classifier.Classify(&rec), dropped), nil
}

// readRecord reads the body as uploads are read: plain or gzip, JSON.
func (s *Server) readRecord(in *input) ([]byte, error) {
	format, _, err := bodyFormat(in.header)
	if err != nil {
		return nil, err
	}
	if format == schema.FormatCSV {
		return nil, problem("unsupported-media-type", "classify reads one JSON record; upload CSV with POST records")
	}
	plain, err := schema.Unpack(in.body, int64(s.Records.MaxRecord))
	if err != nil {
		return nil, bodyProblem(err)
	}
	body, err := io.ReadAll(plain)
	if err != nil {
		return nil, bodyProblem(err)
	}
	return body, nil
}

func presentClassified(r *schema.Record, v classify.Verdict, dropped int) Classified {
	out := Classified{
		Meta:    ClassifiedMeta{Source: r.Source, StartPoint: string(r.StartPoint), ContentDropped: int64(dropped), Warnings: []string{}},
		Verdict: v, Flags: []string{},
	}
	if !r.Flagged(schema.FlagIDMissing) { // else the id was made up to decode it
		out.RequestID = orNull(r.RequestID)
	}
	for _, f := range r.Flags {
		if f != schema.FlagIDMissing {
			out.Flags = append(out.Flags, f)
		}
	}
	if dropped > 0 {
		out.Meta.Warnings = append(out.Meta.Warnings, "the record carries content or identity, which was dropped unread; stop the gateway from sending it")
	}
	out.Labels, out.Evidence = list(v.Labels), list(v.Evidence)
	out.Unmeasured, out.NotApplicable = list(v.Unmeasured), list(v.NotApplicable)
	return out
}

// readSource finds the source that a POST names and refuses parameters other
// than the allowed ones.
func (s *Server) readSource(v url.Values, allowed ...string) (schema.Source, error) {
	var errs query.Errors
	for name, values := range v {
		if !slices.Contains(allowed, name) {
			errs = append(errs, query.UnknownParam(name, query.Nearest(name, allowed), allowed))
		} else if e := query.CheckGiven(name, values, false); e != nil {
			errs = append(errs, *e)
		}
	}
	name := v.Get("source")
	if name == "" {
		name = "headway"
	}
	source, ok := s.Sources.Lookup(name)
	if !ok {
		e := query.ParamError{Param: "source", Message: fmt.Sprintf("unknown source %q", clip(name)), Nearest: query.Nearest(name, s.Sources.Names())}
		if e.Nearest == nil {
			e.Nearest = s.Sources.Names()
		}
		errs = append(errs, e)
	}
	if len(errs) > 0 {
		return source, errs
	}
	return source, nil
}

func clip(s string) string {
	if len(s) > 60 {
		return s[:60] + "…"
	}
	return s
}

// bodyProblem says why a body could not be read.
func bodyProblem(err error) error {
	var large *http.MaxBytesError
	var unpacked *schema.UnpackedError
	var broken net.Error // its text has addresses
	switch {
	case errors.As(err, &broken):
		return problem("invalid-body", "the body could not be read to its end; send it again")
	case errors.As(err, &large):
		return problem("too-large", fmt.Sprintf("the body is larger than %d bytes; split it", large.Limit))
	case errors.As(err, &unpacked):
		return problem("too-large", fmt.Sprintf("the body unpacks to more than %d bytes; split it", unpacked.Limit))
	}
	return problem("invalid-body", err.Error())
}
