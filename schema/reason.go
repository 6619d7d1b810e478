package schema

// Reason is why a message can't be placed; the closed set keeps metric
// labels bounded.
type Reason string

// The reasons of record.md.
const (
	ReasonNotJSON         Reason = "not_json"
	ReasonNotObject       Reason = "not_object"
	ReasonNoTime          Reason = "no_time"
	ReasonTimeWithoutZone Reason = "time_without_zone"
	ReasonNoModel         Reason = "no_model"
	ReasonTooLarge        Reason = "too_large"
	ReasonTooDeep         Reason = "too_deep"
	ReasonExpired         Reason = "expired"
	ReasonContent         Reason = "content" // only where content: reject is configured
	ReasonUnknownSource   Reason = "unknown_source"
	ReasonUnknownVersion  Reason = "unknown_version"
	ReasonEmpty           Reason = "empty"
	ReasonRefused         Reason = "refused_by_store" // the database refused the row after bisection
)

// RejectError is returned by decoders for a message that can't be placed. Its
// text names the remedy and never quotes the payload.
type RejectError struct {
	Reason Reason
	Remedy string
}

// Error implements error.
func (e *RejectError) Error() string { return string(e.Reason) + ": " + e.Remedy }
