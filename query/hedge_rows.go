package query

import (
	"time"

	"headway/schema"
)

// HedgeScope says which rows hedge answers are made from.
type HedgeScope struct {
	Scope
	Metric schema.Field
	By     []string // dimensions of a key
	// Limit is the largest number of keys, those with the most rows first.
	Limit int
	// History is how much of the time before the window is read as well.
	History time.Duration
	// Horizon leaves out rows that were stored after it, so that an answer can
	// be computed again; the zero time takes the newest row's.
	Horizon time.Time
	// MinPairs is how many really hedged requests make pairs of one minute on
	// two channels needless; 0 asks for no pairs at all.
	MinPairs int
	// BillsFull are the providers that are known to bill a cancelled answer in
	// full, BillsPart those known not to.
	BillsFull, BillsPart []string
}

// HedgeRows are the rows of one key, in order of arrival.
type HedgeRows struct {
	Waits
	// Billing says of each row what its provider bills for a cancelled answer.
	Billing []Billing
	// History are the waits of the time before the window.
	History Waits
	Pairs   HedgePairs
	// Channels are where the key's primaries run, the busiest first.
	Channels []ValueCount
	// Keys is how many keys the answer has.
	Keys int
}

// Billing says what a provider bills for an answer that was cancelled.
type Billing uint8

// The kinds of billing.
const (
	BillingUnknown Billing = iota
	BillingFull
	BillingPart
)

// InputBands are the names of the input-size bands, from short to long.
func InputBands() []string { return closedValues("input_band") }

// InputBandEdges are the input tokens at which the bands but the first begin.
func InputBandEdges() []int64 { return []int64{1000, 4000, 16_000, 64_000} }

// PairKind says where pairs come from.
type PairKind string

// The kinds of pairs; none is the empty text.
const (
	PairsHedged     PairKind = "hedged"      // primary and backup of one request
	PairsSameMinute PairKind = "same_minute" // requests of one minute on two channels
)

// HedgePairs are waits of a primary and its backup, each from its own
// dispatch.
type HedgePairs struct {
	Kind  PairKind
	Pairs []HedgePair
	// Hedged is how many really hedged requests had two waits, whatever Kind.
	Hedged int
	// Channels are those of the primaries and of the backups, where Kind is
	// PairsSameMinute.
	Channels [2]string
	// Reason says why there are no pairs.
	Reason string
}

// HedgePair is one pair, in microseconds.
type HedgePair struct {
	Primary, Backup                 int64
	PrimaryCensored, BackupCensored bool
	After                           int64 // how long the primary had waited when the backup was sent
	At                              time.Time
}

// HedgeMeta is what a hedge answer says beside its Meta.
type HedgeMeta struct {
	Meta
	Horizon time.Time // newest row that was taken; zero where there is none
	AllKeys int       // keys with rows, before Limit
	Days    int       // UTC days of the window that hold rows
	// Orphans are backups of requests that are in no key of the answer.
	Orphans int64
}

// Window is the answer's window.
func (m HedgeMeta) Window() Window { return Window{From: m.From, To: m.To} }

// HedgeServed are the requests of one key with the backups that were sent for
// them, in order of arrival.
type HedgeServed struct {
	Key     map[string]string
	LeftOut map[string]int64
	// LostBackups were sent for a request without a usable primary, or with no
	// way to tell when: they are not among Requests.
	LostBackups int64
	Requests    []HedgeRequest
	Keys        int
}

// HedgeRequest is one request whose primary has a wait, in microseconds.
type HedgeRequest struct {
	At            time.Time
	Micros        int64
	Censored      bool
	Superseded    bool  // the primary was stopped because a backup had answered
	HedgeAfter    int64 // in force; −1 where none was recorded
	Input, Output int64 // tokens, −1 where unknown
	Backups       []HedgeBackup
}

// HedgeBackup is one backup that was sent.
type HedgeBackup struct {
	After         int64 // how long the primary had waited
	Micros        int64 // from its own dispatch
	Censored      bool  // it ended without a token
	Failed        bool  // by an error of its own
	Input, Output int64
}
