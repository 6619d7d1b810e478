package api

import (
	"strconv"
	"strings"

	"headway/query"
)

// format is how an answer is written.
type format string

const (
	formatJSON   format = "json"
	formatCSV    format = "csv"
	formatNDJSON format = "ndjson"
)

func formats() []string {
	return []string{string(formatJSON), string(formatCSV), string(formatNDJSON)}
}

func (f format) contentType() string {
	switch f {
	case formatCSV:
		return "text/csv; charset=utf-8"
	case formatNDJSON:
		return "application/x-ndjson"
	}
	return "application/json"
}

// chooseFormat takes ?format= where given, else what Accept likes best.
func chooseFormat(asked []string, accept string) (format, error) {
	if e := query.CheckGiven("format", asked, false); e != nil {
		return "", query.Errors{*e}
	}
	if len(asked) > 0 {
		name := asked[0]
		for _, f := range formats() {
			if f == name {
				return format(f), nil
			}
		}
		return "", query.Errors{{Param: "format", Message: "answers come as json, csv or ndjson", Nearest: query.Nearest(name, formats())}}
	}
	return fromAccept(accept)
}

func fromAccept(accept string) (format, error) {
	best, bestQ := formatJSON, 0.0
	for part := range strings.SplitSeq(accept, ",") {
		name, params, _ := strings.Cut(part, ";")
		f, known := formatOf(strings.ToLower(strings.TrimSpace(name)))
		if q := quality(params); known && q > bestQ {
			best, bestQ = f, q
		}
	}
	if bestQ == 0 && strings.TrimSpace(accept) != "" {
		return "", problem("not-acceptable", "Accept names no format of this server; ask for application/json, text/csv or application/x-ndjson, or use format=")
	}
	return best, nil
}

func formatOf(mediaType string) (format, bool) {
	switch mediaType {
	case "application/json", "application/*", "*/*":
		return formatJSON, true
	case "text/csv", "text/*":
		return formatCSV, true
	case "application/x-ndjson", "application/ndjson", "application/jsonl":
		return formatNDJSON, true
	}
	return "", false
}

func quality(params string) float64 {
	for p := range strings.SplitSeq(params, ";") {
		if v, ok := strings.CutPrefix(strings.TrimSpace(p), "q="); ok {
			q, err := strconv.ParseFloat(v, 64)
			if err != nil || !(q >= 0 && q <= 1) {
				return 0
			}
			return q
		}
	}
	return 1
}
