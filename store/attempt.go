package store

import (
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"headway/query"
	"headway/schema"
)

// attemptRow is a row of the requests table as the driver scans it: nil where
// it is missing.
type attemptRow struct {
	rec                    schema.Record
	out                    query.Attempt
	role, outcome          string
	startPoint, tpsBasis   string
	status                 *uint16
	stream, tools          *bool
	warmup, cacheHit       *bool
	times                  [14]*uint64
	counts                 [8]*uint32
	tps, given, temp, topP *float64
	precision              uint32
	evLabel, evField       []string
	evValue, evThreshold   []float64
	evMarks                []uint8
}

// target is one column and where it is scanned to.
type target struct {
	column string
	to     any
}

func (a *attemptRow) targets() []target {
	r := &a.rec
	out := []target{
		{"created_at", &r.CreatedAt}, {"request_id", &r.RequestID}, {"trace_id", &r.TraceID}, {"attempt", &r.Attempt},
		{"model", &r.Model}, {"route", &r.Route}, {"channel", &r.Channel}, {"provider", &r.Provider}, {"region", &r.Region},
		{"client_region", &r.ClientRegion}, {"gateway", &r.Gateway}, {"operation", &r.Operation},
		{"reasoning_effort", &r.ReasoningEffort}, {"error_class", &r.ErrorClass}, {"role", &a.role}, {"outcome", &a.outcome},
		{"status", &a.status}, {"stream", &a.stream}, {"has_tools", &a.tools}, {"warmup", &a.warmup}, {"cache_hit", &a.cacheHit},
		{"input_band", &a.out.InputBand}, {"source", &r.Source}, {"start_point", &a.startPoint}, {"tps_basis", &a.tpsBasis},
		{"primary_label", &a.out.PrimaryLabel}, {"stage", &a.out.Stage}, {"labels", &a.out.Labels}, {"flags", &r.Flags},
		{"tps", &a.tps}, {"given_tps", &a.given}, {"temperature", &a.temp}, {"top_p", &a.topP}, {"precision_us", &a.precision},
		{"evidence_label", &a.evLabel}, {"evidence_field", &a.evField}, {"evidence_value", &a.evValue},
		{"evidence_threshold", &a.evThreshold}, {"evidence_marks", &a.evMarks}, {"rules_version", &a.out.RulesVersion},
		{"topic", &r.Origin.Topic}, {"epoch", &r.Origin.Epoch}, {"partition", &r.Origin.Partition}, {"offset", &r.Origin.Offset},
		{"inserted_at", &a.out.InsertedAt},
	}
	for i, c := range timeColumns() {
		out = append(out, target{c.name, &a.times[i]})
	}
	for i, c := range numberColumns()[:len(a.counts)] {
		out = append(out, target{c.name, &a.counts[i]})
	}
	return out
}

// attemptColumns are the columns of an attempt as a SELECT lists them.
func attemptColumns() string {
	targets := (&attemptRow{}).targets()
	names := make([]string, len(targets))
	for i, t := range targets {
		names[i] = t.column
	}
	return strings.Join(names, ", ")
}

// scanAttempt reads the current row; more are the targets of columns after
// those of the attempt.
func scanAttempt(r driver.Rows, more ...any) (query.Attempt, error) {
	var a attemptRow
	targets := a.targets()
	to := make([]any, len(targets), len(targets)+len(more))
	for i, t := range targets {
		to[i] = t.to
	}
	if err := r.Scan(append(to, more...)...); err != nil {
		return query.Attempt{}, err
	}
	return a.attempt(), nil
}

// attempt turns the scanned row into a record with its verdict.
func (a *attemptRow) attempt() query.Attempt {
	r := &a.rec
	r.CreatedAt, a.out.InsertedAt = r.CreatedAt.UTC(), a.out.InsertedAt.UTC()
	r.Role, r.Outcome, r.StartPoint = schema.Role(a.role), schema.Outcome(a.outcome), schema.StartPoint(a.startPoint)
	r.Precision = time.Duration(a.precision) * time.Microsecond
	r.Status = convert(a.status, func(v uint16) int32 { return int32(v) })
	r.Stream, r.HasTools, r.Warmup, r.CacheHit = present(a.stream), present(a.tools), present(a.warmup), present(a.cacheHit)
	r.Temperature, r.TopP = present(a.temp), present(a.topP)
	if len(r.Flags) == 0 {
		r.Flags = nil
	}
	a.fillNumbers()
	for i := range a.evLabel {
		a.out.Evidence = append(a.out.Evidence, query.Evidence{Label: a.evLabel[i], Field: a.evField[i], Value: a.evValue[i],
			Threshold: a.evThreshold[i], Censored: a.evMarks[i]&markCensored != 0, Estimated: a.evMarks[i]&markEstimated != 0})
	}
	a.out.Record = *r
	return a.out
}

// fillNumbers fills times and counts in the order of timeColumns and
// numberColumns. What was derived at ingest comes from the row, so that it is
// what percentiles were computed from.
func (a *attemptRow) fillNumbers() {
	r, t, d := &a.rec, &a.rec.Timing, &a.rec.Derived
	for i, to := range []*schema.Opt[time.Duration]{&t.FirstResponse, &t.FirstTextDelta, &t.UpstreamHeaders, &t.FirstSSEEvent, &t.TotalHandler,
		&t.UpstreamDone, &t.UpstreamStart, &d.Dispatch, &t.Auth, &t.Distribution, &t.BodyRead, &d.TPOT, &r.MaxGap, &r.HedgeAfter} {
		*to = convert(a.times[i], func(us uint64) time.Duration { return time.Duration(us) * time.Microsecond })
	}
	for i, to := range []*schema.Opt[int64]{&r.InputTokens, &r.OutputTokens, &r.CachedTokens, &r.ReasoningTokens, &r.MaxOutputTokens,
		&r.StreamEvents, &r.TextDeltas, &r.ChannelInflight} {
		*to = convert(a.counts[i], func(n uint32) int64 { return int64(n) })
	}
	d.TPS, d.TPSBasis, d.DispatchGiven = present(a.tps), schema.TPSBasis(a.tpsBasis), t.UpstreamStart.Valid
	d.VisibleTokens = schema.Derive(r).VisibleTokens
	if r.GivenTPS = present(a.given); d.TPSBasis == schema.TPSGiven {
		r.GivenTPS = d.TPS
	}
}

func present[T any](v *T) schema.Opt[T] {
	return convert(v, func(v T) T { return v })
}

func convert[A, B any](v *A, to func(A) B) schema.Opt[B] {
	if v == nil {
		return schema.Opt[B]{}
	}
	return schema.Some(to(*v))
}
