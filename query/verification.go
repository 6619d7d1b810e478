package query

import (
	"net/url"
	"strings"

	"headway/schema"
)

// Verify asks whether every message of a topic became exactly one row or
// reject.
type Verify struct {
	Topic string
	Limit int // ranges to list of each kind
}

// ParseVerify reads the question of /verify, about one of topics.
func ParseVerify(reg *schema.Registry, v url.Values, topics []string) (Verify, error) {
	r := newReader(reg, v, QuestionParams("verify"))
	q := Verify{Topic: r.choice("topic", "", topics), Limit: r.number("limit", VerifyLimit, 1, MaxVerifyLimit)}
	for _, name := range reg.Names(schema.KindDimension) {
		if _, given := v[name]; given {
			r.fail(wrong(name, "verify takes no filters"))
		}
	}
	if len(v["topic"]) == 0 {
		r.fail(wrong("topic", "name the Kafka topic to verify: %s", strings.Join(topics, ", ")))
	}
	return q, r.errs.orNil()
}

// How many ranges of each kind an answer lists.
const (
	VerifyLimit    = 1000
	MaxVerifyLimit = 100_000
)

func verifyParams() []Param {
	return []Param{
		{Name: "topic", Doc: "A Kafka topic that this server reads.", Example: "llm-timing"},
		{Name: "limit", Doc: "Largest number of ranges of missing and of doubled, 1 to 100000; default 1000.", Example: "1000"},
	}
}

// Verification compares a topic's log with rows, rejects and losses. Counts
// are exact, also where lists are cut.
type Verification struct {
	Topic   string   `json:"topic"`
	Brokers []string `json:"brokers"`
	Group   string   `json:"group" doc:"Consumer group whose commits say how far the log was ingested."`

	Produced int64 `json:"produced" doc:"Messages that the log holds; offsets behind the group's commit count as messages."`
	Rows     int64 `json:"rows" doc:"Rows of compared offsets, doubles included."`
	Rejected int64 `json:"rejected" doc:"Rejects of compared offsets, doubles included."`
	Waiting  int64 `json:"waiting" doc:"Offsets behind the group's commit: not ingested yet."`
	Expired  int64 `json:"expired" doc:"Messages older than the retention, whose rows may be gone."`
	Lost     int64 `json:"lost" doc:"Offsets recorded as lost, and stored nowhere."`
	Empty    int64 `json:"empty" doc:"Compared offsets without a message: transaction markers, aborted transactions, compaction."`

	Former int64 `json:"former" doc:"Offsets that a former epoch holds: the log lost its tail on the brokers behind them."`

	MissingMessages int64         `json:"missing_messages"`
	DoubledMessages int64         `json:"doubled_messages"`
	Missing         []OffsetRange `json:"missing" doc:"Messages that are neither row nor reject, and should be."`
	Doubled         []OffsetRange `json:"doubled" doc:"Offsets that stand more than once among rows and rejects."`
	Truncated       bool          `json:"truncated" doc:"Whether missing or doubled list fewer ranges than there are."`

	Partitions []VerifiedPartition `json:"partitions"`
	Warnings   []string            `json:"warnings"`
}

// Clean is true where nothing is missing or doubled.
func (v Verification) Clean() bool { return v.MissingMessages == 0 && v.DoubledMessages == 0 }

// OffsetRange is a run of offsets of one partition, both ends included.
type OffsetRange struct {
	Partition int32  `json:"partition"`
	Epoch     uint32 `json:"epoch"`
	First     int64  `json:"first"`
	Last      int64  `json:"last"`
}

// VerifiedPartition is the comparison of one partition.
type VerifiedPartition struct {
	Partition int32  `json:"partition"`
	Epoch     uint32 `json:"epoch" doc:"Counts how often the topic was re-created under this name."`
	Start     int64  `json:"log_start" doc:"First offset that the log still holds."`
	End       int64  `json:"log_end" doc:"Offset after the log's last."`
	Compared  int64  `json:"compared_to" doc:"Offset up to which log and tables were compared, exclusive."`
	Rows      int64  `json:"rows"`
	Rejected  int64  `json:"rejected"`
	Older     int64  `json:"older" doc:"Rows and rejects from before the log's start or of former epochs: checked for doubles only."`
	Waiting   int64  `json:"waiting"`
	Landing   bool   `json:"landing" doc:"Whether a batch behind the commit was being stored."`
	Expired   int64  `json:"expired"`
	Lost      int64  `json:"lost"`
	Empty     int64  `json:"empty"`
	Former    int64  `json:"former"`
	Missing   int64  `json:"missing"`
	Doubled   int64  `json:"doubled"`
}

// StoredRun is how much of a run of one partition's offsets is stored. A run
// is at most StoredRunOffsets long, and begins at a multiple of it or where
// the compared range begins or ends.
type StoredRun struct {
	Range          schema.Range // First and Last are the lowest and the highest stored offset
	Compared       bool         // in the range that is compared with the log
	Rows, Rejected int64
	Different      int64 // different offsets
}

// StoredRunOffsets is the length of a run.
const StoredRunOffsets = 1 << 16
