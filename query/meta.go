package query

import (
	"time"

	"headway/schema"
)

// Meta says how an answer was computed. Every answer carries one.
type Meta struct {
	From, To time.Time
	Step     time.Duration // zero where there is none
	Metric   *schema.Field // nil where there is none
	// N counts the rows behind the answer, Censored those of them that ended
	// before the metric's end point, LeftOut the others by reason.
	N, Censored int64
	LeftOut     map[string]int64
	// KaplanMeier is true when censored rows entered the percentiles.
	KaplanMeier   bool
	Clock         string   // dispatch, estimated, start or mixed; empty outside first-token waits
	StartPoints   []string // distinct start points of the rows
	Sources       []string
	Table         string
	RowsRead      int64
	Elapsed       time.Duration
	Approximation string // "exact", or the sketch with its error
	Warnings      []string
	SQL           []Statement // only with explain=sql
}

// Statement is one SQL statement with its typed parameters, ready to paste.
type Statement struct {
	Name   string // the .sql file
	SQL    string
	Params map[string]string
}
