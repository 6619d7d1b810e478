package api

// Fields answers GET fields: the registry.
type Fields struct {
	Meta          FieldsMeta `json:"meta"`
	DefaultMetric string     `json:"default_metric" doc:"What a bare ttft means."`
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
