package query

import (
	"slices"
	"strings"

	"headway/schema"
)

// closedValues are all values of a dimension whose values are a closed set,
// nil for other dimensions. Labels, stages and bands are those of package
// classify, which this one does not know: a test of the API compares them.
func closedValues(dimension string) []string {
	switch dimension {
	case "role":
		return texts(schema.RolePrimary, schema.RoleBackup, schema.RoleRetry)
	case "outcome":
		return texts(schema.OutcomeCompleted, schema.OutcomeClientCancelled, schema.OutcomeUpstreamClosed, schema.OutcomeTimeout,
			schema.OutcomeError, schema.OutcomeRateLimited, schema.OutcomeSuperseded)
	case "start_point":
		return texts(schema.StartHandler, schema.StartAfterDistribution, schema.StartFilterHeaders, schema.StartClient, schema.StartAttempt)
	case "tps_basis":
		return texts(schema.TPSGiven, schema.TPSVisible, schema.TPSOutput)
	case "input_band":
		return []string{"0-1k", "1-4k", "4-16k", "16-64k", "64k+"}
	case "stage":
		return []string{"local", "headers", "event_wait", "effective_wait", "text_wait", "generation", "tail"}
	case "labels":
		return firedLabels()
	case "label":
		return append(firedLabels(), "healthy", "unknown")
	}
	return nil
}

func firedLabels() []string {
	return []string{"upstream_headers_slow", "effective_output_slow", "metadata_only_start", "visible_text_late", "generation_slow_tps",
		"stream_stalled", "auth_slow", "distribution_slow", "body_read_slow", "handler_tail_slow", "no_first_token"}
}

func texts[T ~string](values ...T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}

// badChoice refuses values outside a dimension's closed set.
func badChoice(f schema.Field, param, v string) (ParamError, bool) {
	set := closedValues(f.Name)
	if set == nil || slices.Contains(set, v) {
		return ParamError{}, false
	}
	e := wrong(param, "%s is one of %s or %s, not %q", f.Name, strings.Join(set, ", "), Missing, clip(v))
	e.Nearest = Nearest(v, set)
	return e, true
}

// unknownName is the mistake of a name that there is none of; where nothing
// resembles it, remedy tells where the names are.
func unknownName(param, what, name string, candidates []string, remedy string) ParamError {
	e := ParamError{Param: param, Message: "unknown " + what + " " + quote(name), Nearest: Nearest(name, candidates)}
	if len(e.Nearest) == 0 {
		e.Message += "; " + remedy
	}
	return e
}

const (
	whereMeasures   = "/api/v1/fields lists the measures, for example first_response_ms, total_handler_ms and tps"
	whereDimensions = "/api/v1/fields lists the dimensions, for example model, route and channel"
)
