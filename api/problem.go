package api

// Problem is every error answer, RFC 9457, as application/problem+json.
type Problem struct {
	Type     string        `json:"type" doc:"URI of the kind of problem, relative to the server: /docs/problems#kind."`
	Title    string        `json:"title"`
	Status   int           `json:"status"`
	Detail   string        `json:"detail" doc:"What happened and the remedy."`
	Instance string        `json:"instance" doc:"The request id, also in the X-Request-Id header and the log."`
	Errors   []ProblemItem `json:"errors" doc:"Every mistake of the question at once; empty otherwise."`
}

// ProblemItem is one mistake in a question.
type ProblemItem struct {
	Location string   `json:"location" doc:"For example query.metric, path.id or body."`
	Message  string   `json:"message"`
	Nearest  []string `json:"nearest" doc:"Valid names closest to the one given."`
}
