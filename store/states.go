package store

import (
	"slices"
	"strconv"

	"headway/query"
	"headway/schema"
)

// rowsFile is the statement that classes the rows of a metric: which count,
// censored or not, and which are left out why.
func rowsFile(metric schema.Field) string {
	if metric.FirstToken {
		return "rows_first_token.sql"
	}
	switch metric.Name {
	case "upstream_headers_ms", "time_to_headers_ms", "first_sse_event_ms":
		return "rows_signal.sql"
	case "upstream_done_ms", "total_handler_ms":
		return "rows_ending.sql"
	}
	return "rows_plain.sql"
}

// rows writes the statement that classes the rows of a question. It runs
// inside others. Lifted are rules to drop beside those that the question lifts
// itself.
func (s *Store) rows(sc query.Scope, metric schema.Field, by []string, mode query.WaitMode, p *params, lifted ...string) (string, error) {
	fill, err := s.slots(sc, metric, by, mode, p, lifted...)
	if err != nil {
		return "", err
	}
	return file(rowsFile(metric)).body().render(fill), nil
}

// slots are what rows fills the statement with.
func (s *Store) slots(sc query.Scope, metric schema.Field, by []string, mode query.WaitMode, p *params, lifted ...string) (map[string]string, error) {
	p.window(sc.Window)
	where, err := s.filter(sc.Where, p)
	if err != nil {
		return nil, err
	}
	key, err := s.key(by)
	if err != nil {
		return nil, err
	}
	fill := metricSlots(metric)
	fill["filter"], fill["key"], fill["metric"] = where, key, expression(metric)
	recorded := recordedAs(metric)
	fill["bad"] = "'bad_value:" + recorded + "', 'order:" + recorded + "'"
	if mode == query.WaitDispatch && !metric.FirstToken {
		return nil, query.Errors{{Param: "metric", Message: metric.Name + " is no first-token metric: a hedge timer can't wait for it",
			Nearest: []string{string(schema.MetricFirstResponse), string(schema.MetricFirstText)}}}
	}
	if mode == query.WaitDispatch {
		fill["start"] = "dispatched_us"
	} else {
		lift(fill, sc.Where, by)
	}
	for _, rule := range lifted {
		fill[rule] = "0"
	}
	return fill, nil
}

// recordedAs is the field of the record that a measure comes from, by which
// flags name it.
func recordedAs(f schema.Field) string {
	switch f.Name {
	case "time_to_headers_ms":
		return "upstream_headers_ms"
	case "tps":
		return "visible_output_tps"
	}
	return f.Name
}

// expression is a measure over the columns of the requests table.
func expression(f schema.Field) string {
	if f.Column != "" {
		return f.Column
	}
	return "(" + f.Expr + ")"
}

// metricSlots fill what differs between metrics of one rows file.
func metricSlots(f schema.Field) map[string]string {
	const primaries = "role != 'primary'"
	const wholeAttempt = "has(flags, 'multi_attempt')"
	switch f.Name {
	case "time_to_headers_ms":
		return map[string]string{"start": "0", "role": primaries, "multi_attempt": wholeAttempt}
	case "first_sse_event_ms":
		return map[string]string{"start": "0", "role": primaries, "multi_attempt": wholeAttempt, "unseen": "0",
			"stream_unknown": "stream IS NULL", "not_stream": "NOT ifNull(stream, true)", "buffered": "has(flags, 'buffered_upstream')"}
	case "total_handler_ms":
		// The handler of a superseded attempt went on with the winner.
		return map[string]string{"multi_attempt": "0",
			"own": "if(outcome = 'superseded', coalesce(done_at, handler_at), coalesce(metric_at, done_at))"}
	case "upstream_done_ms":
		return map[string]string{}
	}
	if !f.FirstToken && f.Start == "t0" {
		return map[string]string{"role": primaries}
	}
	return map[string]string{}
}

// lift drops the rules that leave rows out by a dimension which the question
// itself selects or groups by.
func lift(fill map[string]string, where []query.Condition, by []string) {
	for dimension, slots := range map[string][]string{
		"role": {"role", "backups"}, "stream": {"stream_unknown", "not_stream"}, "cache_hit": {"from_cache"}, "warmup": {"warmup"},
	} {
		selected := slices.Contains(by, dimension) || slices.ContainsFunc(where, func(c query.Condition) bool { return c.Dimension == dimension })
		for _, slot := range slots {
			if selected {
				fill[slot] = "0"
			}
		}
	}
}

// microsOf is the factor from a stored value to micro-units: times are stored
// in microseconds already.
func microsOf(f schema.Field) float64 {
	if f.Value == schema.ValueDuration {
		return 1
	}
	return 1e6
}

// microsSlot is microsOf as a statement takes it.
func microsSlot(f schema.Field) string { return strconv.FormatFloat(microsOf(f), 'f', -1, 64) }

// shown turns a stored value into the metric's unit: times from microseconds
// to milliseconds.
func shown(f schema.Field, stored float64) float64 {
	if f.Value == schema.ValueDuration {
		return stored / 1000
	}
	return stored
}

// stored is the reverse of shown.
func stored(f schema.Field, inUnit float64) float64 {
	if f.Value == schema.ValueDuration {
		return inUnit * 1000
	}
	return inUnit
}
