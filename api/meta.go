package api

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
