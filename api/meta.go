package api

import (
	"math"
	"strings"
	"time"

	"headway/query"
	"headway/schema"
)

// Meta says how an answer was computed. Every answer carries one. Times are
// RFC 3339 UTC with milliseconds; lists and maps are never null.
type Meta struct {
	From   string   `json:"from" format:"date-time" doc:"Start of the window, inclusive."`
	To     string   `json:"to" format:"date-time" doc:"End of the window, exclusive."`
	StepS  *float64 `json:"step_s" doc:"Width of a time bucket in seconds; null where there are none."`
	Metric *Metric  `json:"metric" doc:"The metric used; null where there is none."`

	N           int64            `json:"n" doc:"Rows behind the answer, censored ones included."`
	Censored    int64            `json:"censored" doc:"Of these, rows that ended before the metric's end point."`
	LeftOut     map[string]int64 `json:"left_out" doc:"Rows left out, by reason."`
	KaplanMeier bool             `json:"kaplan_meier" doc:"Whether censored rows entered the percentiles."`

	Clock       *string  `json:"clock" doc:"Start of first-token waits: dispatch, estimated, start or mixed; null elsewhere."`
	StartPoints []string `json:"start_points" doc:"Instants the rows' offsets are measured from."`
	Sources     []string `json:"sources" doc:"Sources of the rows."`

	Table         string   `json:"table" doc:"Table that answered."`
	RowsRead      int64    `json:"rows_read" doc:"Rows the database read."`
	ElapsedMs     float64  `json:"elapsed_ms" doc:"Time spent in the database, ms."`
	Approximation string   `json:"approximation" doc:"exact, or the sketch with its error."`
	Warnings      []string `json:"warnings"`

	SQL []Statement `json:"sql,omitempty" doc:"Only with explain=sql: the statements behind the answer."`
}

// Metric names the measure behind an answer with its two instants.
type Metric struct {
	Name          string `json:"name"`
	Title         string `json:"title"`
	Unit          string `json:"unit" doc:"ms, tokens/s, tokens, count, or empty."`
	Start         string `json:"start" doc:"Instant the time starts at: t0..t7, or own."`
	End           string `json:"end" doc:"Instant the time ends at: t0..t7, or own."`
	HigherIsWorse bool   `json:"higher_is_worse"`
	Asked         string `json:"asked" doc:"The name in the question; empty where the default was taken."`
}

// Statement is one SQL statement with its typed parameters, ready to paste.
type Statement struct {
	Name   string            `json:"name"`
	SQL    string            `json:"sql"`
	Params map[string]string `json:"params"`
}

const stampLayout = "2006-01-02T15:04:05.000Z"

func stamp(t time.Time) string { return t.UTC().Format(stampLayout) }

func stampOrNull(t *time.Time) *string {
	if t == nil {
		return nil
	}
	return orNull(stamp(*t))
}

// orNull is null for a text that was not recorded.
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// presentMeta joins what storage says with what the question stood on.
func presentMeta(m query.Meta, f footing) Meta {
	out := Meta{
		From: stamp(m.From), To: stamp(m.To), N: m.N, Censored: m.Censored,
		LeftOut: map[string]int64{}, KaplanMeier: m.KaplanMeier, Clock: orNull(m.Clock),
		StartPoints: list(m.StartPoints), Sources: list(m.Sources),
		Table: m.Table, RowsRead: m.RowsRead, ElapsedMs: millis(m.Elapsed), Approximation: m.Approximation,
		Warnings: append(append([]string{}, f.warnings...), m.Warnings...),
	}
	for reason, n := range m.LeftOut {
		out.LeftOut[reason] = n
	}
	if f.leftOut > 0 {
		out.LeftOut["other_start_point"] += f.leftOut
	}
	if m.Step > 0 {
		out.StepS = ptr(m.Step.Seconds())
	}
	switch {
	case f.metric.Name != "":
		out.Metric = presentMetric(f.metric, f.asked)
		if m.N == 0 && f.rows > 0 {
			out.Warnings = append(out.Warnings, f.sayNoValue())
		}
	case m.Metric != nil:
		out.Metric = presentMetric(*m.Metric, "")
	}
	if len(m.StartPoints) > 1 {
		out.Warnings = append(out.Warnings, "the rows' times start at different instants ("+strings.Join(m.StartPoints, ", ")+"): their percentiles mix clocks")
	}
	for _, st := range m.SQL {
		out.SQL = append(out.SQL, Statement{Name: st.Name, SQL: st.SQL, Params: dict(st.Params)})
	}
	return out
}

func presentMetric(f schema.Field, asked string) *Metric {
	return &Metric{Name: f.Name, Title: f.Title, Unit: string(f.Unit), Start: f.Start, End: f.End, HigherIsWorse: f.HigherIsWorse, Asked: asked}
}

func ptr[T any](v T) *T { return &v }

// millis is a duration in milliseconds with microsecond resolution.
func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func millisOpt(o schema.Opt[time.Duration]) *float64 {
	if !o.Valid {
		return nil
	}
	return ptr(millis(o.Value))
}

func optional[T any](o schema.Opt[T]) *T {
	if !o.Valid {
		return nil
	}
	return &o.Value
}

// finite is null for what JSON can't write.
func finite(v *float64) *float64 {
	if v == nil || math.IsNaN(*v) || math.IsInf(*v, 0) {
		return nil
	}
	return v
}

// share is part of whole, 0 to 1; null where there is no whole.
func share(part, whole int64) *float64 {
	if whole <= 0 {
		return nil
	}
	return ptr(float64(part) / float64(whole))
}

// keyOf shows a group's key; what was not recorded is null.
func keyOf(key map[string]string) map[string]*string {
	out := map[string]*string{}
	for d, v := range key {
		out[d] = orNull(v)
	}
	return out
}

// inMillis is v where the metric is a time, else null.
func inMillis(f schema.Field, v *float64) *float64 {
	if f.Unit != schema.UnitMillis {
		return nil
	}
	return v
}
