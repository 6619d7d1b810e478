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
	ReasonBadRow          Reason = "bad_row"          // a line of a CSV file that does not fit its header
	ReasonRefused         Reason = "refused_by_store" // the database refused the row after bisection
	ReasonUnreadable      Reason = "unreadable_batch" // packed by a codec that nobody knows, or not at all as it says
)

// Reasons returns every reason.
func Reasons() []Reason {
	return []Reason{ReasonNotJSON, ReasonNotObject, ReasonNoTime, ReasonTimeWithoutZone, ReasonNoModel, ReasonTooLarge, ReasonTooDeep,
		ReasonExpired, ReasonContent, ReasonUnknownSource, ReasonUnknownVersion, ReasonEmpty, ReasonBadRow, ReasonRefused, ReasonUnreadable}
}

// RejectError is returned by decoders for a message that can't be placed. Its
// text names the remedy and never quotes the payload.
type RejectError struct {
	Reason Reason
	Remedy string
}

// Error implements error.
func (e *RejectError) Error() string { return string(e.Reason) + ": " + e.Remedy }

// reject returns the error for a reason, with its remedy.
func reject(r Reason) *RejectError { return &RejectError{Reason: r, Remedy: remedy(r)} }

func remedy(r Reason) string {
	switch r {
	case ReasonEmpty:
		return "the message is empty; send one JSON object per message"
	case ReasonNotJSON:
		return "the message is not valid JSON; send one JSON object per message, UTF-8, not compressed twice"
	case ReasonNotObject:
		return "the message is JSON but not an object; send arrays through the upload, one object per message otherwise"
	case ReasonNoTime:
		return "no usable time; write created_at as RFC 3339, or import with a base time"
	case ReasonTimeWithoutZone:
		return "the time has no zone; write Z or an offset, or set the source's zone"
	case ReasonNoModel:
		return "no model; write the model id as requested"
	case ReasonTooLarge:
		return "the message is larger than the limit; raise the limit, or send timing metadata only"
	case ReasonTooDeep:
		return "the message is nested deeper than the limit; send timing metadata only"
	case ReasonExpired:
		return "the record is older than the retention; raise the retention, or import with a shift to now"
	case ReasonContent:
		return "the record carries content or identity; stop the gateway from sending it, or set content: drop"
	case ReasonUnknownVersion:
		return "the record's version is not known; send version 1, or upgrade this program"
	case ReasonUnknownSource:
		return "no source of that name; use one of the names the sources list gives"
	case ReasonRefused:
		return "the database refused this row alone; compare the schema's version, run migrate"
	case ReasonUnreadable:
		return "the whole batch can't be unpacked; have the producer use gzip, snappy, lz4, zstd or none, and look for a fault in its client"
	case ReasonBadRow:
		return "the row does not fit the header; write as many fields as the header has, and close every quote"
	}
	return "see the documentation of this reason"
}
