// Package classify says which stages of one record were slow, with the
// evidence and the next check; it is pure and versioned, and proves no cause.
package classify

import "headway/schema"

// Row is a record with its verdict: what ingestion hands to a store.
type Row struct {
	Record  schema.Record
	Verdict Verdict
}

// Label names a slow stage.
type Label string

// Labels in the fixed order in which a person should check them.
const (
	UpstreamHeadersSlow Label = "upstream_headers_slow"
	EffectiveOutputSlow Label = "effective_output_slow"
	MetadataOnlyStart   Label = "metadata_only_start"
	VisibleTextLate     Label = "visible_text_late"
	GenerationSlowTPS   Label = "generation_slow_tps"
	StreamStalled       Label = "stream_stalled"
	AuthSlow            Label = "auth_slow"
	DistributionSlow    Label = "distribution_slow"
	BodyReadSlow        Label = "body_read_slow"
	HandlerTailSlow     Label = "handler_tail_slow"
	NoFirstToken        Label = "no_first_token"
)

// Healthy and Unknown are the primaries of a verdict in which no label fires.
const (
	Healthy Label = "healthy" // nothing fires; headers, first response and end were measured or do not apply
	Unknown Label = "unknown" // nothing fires, but something needed was not measured
)

// Stage names a part of an attempt's time.
type Stage string

// Stages in time order; each is missing unless both of its ends exist.
const (
	StageLocal         Stage = "local"          // auth + distribution + body read
	StageHeaders       Stage = "headers"        // t1 → t2
	StageEventWait     Stage = "event_wait"     // first event − dispatch − headers (estimate)
	StageEffectiveWait Stage = "effective_wait" // first response − first event
	StageTextWait      Stage = "text_wait"      // first text − first response
	StageGeneration    Stage = "generation"     // done − first text
	StageTail          Stage = "tail"           // total − done
)

// Verdict is the answer for one record.
type Verdict struct {
	Labels        []Label    `json:"labels"`         // all that fire, in checking order
	Primary       Label      `json:"primary"`        // the first label, or healthy, or unknown
	Stage         Stage      `json:"stage"`          // largest share of the total; empty when more of it is unmeasured than in any stage
	Evidence      []Evidence `json:"evidence"`       // in the order of Labels; the first of a label is what was compared, further ones its conditions
	Unmeasured    []string   `json:"unmeasured"`     // fields that apply but are missing
	NotApplicable []string   `json:"not_applicable"` // fields that can't exist for this record
	RulesVersion  string     `json:"rules_version"`
}

// Evidence is a measured value that made one label fire. generation_slow_tps
// has three: the rate, the window and the tokens.
type Evidence struct {
	Label     Label   `json:"label"`
	Field     string  `json:"field"`     // what was compared, with the unit in its name
	Value     float64 `json:"value"`     // in the field's unit
	Threshold float64 `json:"threshold"` // in the field's unit
	Censored  bool    `json:"censored"`  // the end of the attempt stood in for a time that never came
	Estimated bool    `json:"estimated"` // an estimate was part of the value
	LookAt    string  `json:"look_at"`
	NextCheck string  `json:"next_check"`
	Caveat    string  `json:"caveat"` // what this label can't tell apart
}
