package api

import (
	"context"
	"fmt"

	"headway/query"
	"headway/schema"
)

// Fields answers GET fields: the registry.
type Fields struct {
	Meta          FieldsMeta `json:"meta"`
	DefaultMetric string     `json:"default_metric" doc:"What a bare ttft means."`
	Notice        *string    `json:"notice" doc:"What every statistic must be read with, for example that the data is a sample."`
	Sources       []string   `json:"sources" doc:"Sources that uploads and classify accept."`
	Fields        []Field    `json:"fields"`
}

// FieldsMeta says which registry answered; it reads no rows.
type FieldsMeta struct {
	RecordVersion int      `json:"record_version"`
	Warnings      []string `json:"warnings"`
}

// Field is one entry of the registry.
type Field struct {
	Name          string   `json:"name"`
	Title         string   `json:"title"`
	Kind          string   `json:"kind" doc:"dimension, measure, identity or time."`
	Type          string   `json:"type"`
	Unit          string   `json:"unit"`
	Start         string   `json:"start"`
	End           string   `json:"end"`
	HigherIsWorse bool     `json:"higher_is_worse"`
	FirstToken    bool     `json:"first_token" doc:"Unfinished attempts count as censored; can be hedged on."`
	Aliases       []string `json:"aliases"`
	Doc           string   `json:"doc"`
}

// Values answers GET fields/{name}/values: the most frequent values.
type Values struct {
	Meta   Meta         `json:"meta"`
	Field  string       `json:"field"`
	Values []ValueCount `json:"values"`
}

// ValueCount is one value with its number of rows; null is "not recorded".
type ValueCount struct {
	Value *string `json:"value"`
	N     int64   `json:"n"`
}

func (f Fields) describe() Meta { return Meta{Table: "registry", Approximation: "exact"} }

func (f Fields) table() table {
	t := table{columns: []string{"name", "title", "kind", "type", "unit", "start", "end", "doc"}}
	for _, g := range f.Fields {
		t.rows = append(t.rows, []any{g.Name, g.Title, g.Kind, g.Type, g.Unit, g.Start, g.End, g.Doc})
	}
	return t
}

func (s *Server) fields(_ context.Context, in *input) (Fields, error) {
	for name := range in.values {
		return Fields{}, query.Errors{query.UnknownParam(name, nil, []string{"format"})}
	}
	out := presentFields(s.Options.Fields.Fields(), s.DefaultMetric, s.Sources.Names())
	out.Notice = orNull(s.Notice)
	return out, nil
}

func presentFields(fields []schema.Field, metric string, sources []string) Fields {
	out := Fields{Meta: FieldsMeta{RecordVersion: 1, Warnings: []string{}}, DefaultMetric: metric, Sources: list(sources), Fields: []Field{}}
	for _, f := range fields {
		out.Fields = append(out.Fields, Field{Name: f.Name, Title: f.Title, Kind: string(f.Kind), Type: string(f.Value), Unit: string(f.Unit),
			Start: f.Start, End: f.End, HigherIsWorse: f.HigherIsWorse, FirstToken: f.FirstToken, Aliases: list(f.Aliases), Doc: f.Doc})
	}
	return out
}

func (v Values) describe() Meta { return v.Meta }

func (v Values) table() table {
	t := table{columns: []string{"value", "n"}}
	for _, c := range v.Values {
		t.rows = append(t.rows, []any{cell(c.Value), c.N})
	}
	return t
}

func (s *Server) values(ctx context.Context, in *input) (Values, error) {
	q, err := query.ParseValues(s.Options.Fields, in.path, in.values)
	if err != nil {
		return Values{}, err
	}
	sc, err := q.Resolve(s.Now())
	if err != nil {
		return Values{}, err
	}
	a, err := s.Options.Quality.Values(ctx, q, sc)
	if err != nil {
		return Values{}, fmt.Errorf("reading the values of %s: %w", q.Field, err)
	}
	return presentValues(a), nil
}

func presentValues(a query.ValuesAnswer) Values {
	out := Values{Meta: presentMeta(a.Meta, footing{}), Field: a.Field, Values: []ValueCount{}}
	for _, v := range a.Values {
		out.Values = append(out.Values, ValueCount{Value: orNull(v.Value), N: v.N})
	}
	return out
}
