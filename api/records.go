package api

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
	Line   int64  `json:"line" doc:"Line (NDJSON, CSV) or position in the array, from 1."`
	Reason string `json:"reason"`
	Remedy string `json:"remedy"`
}
