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
	// Bands are the input-size bands of the rows, as indexes of InputBands.
	Bands []uint8
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

// InputBands are the names of HedgeRows.Bands; the first stands for rows
// without input tokens.
func InputBands() []string { return append([]string{""}, closedValues("input_band")...) }

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
}

// Window is the answer's window.
func (m HedgeMeta) Window() Window { return Window{From: m.From, To: m.To} }
