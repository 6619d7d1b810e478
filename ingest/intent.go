package ingest

import (
	"fmt"
	"strings"

	"headway/schema"
)

// note is what a committed offset carries as metadata. The epoch is in every
// commit, because deleting a topic's rows must not make its offsets look new;
// an intent adds the range that is being landed, which begins at the
// committed offset.
type note struct {
	epoch  uint32
	intent bool
	last   int64 // last offset of the range; intent only
	n      int   // messages in the range; intent only
	at     int64 // arrival of what is refused of the range, Unix ms; intent only, 0 where not said
}

const noteMark = "headway1"

// String is the metadata of a commit.
func (n note) String() string {
	if !n.intent {
		return fmt.Sprintf("%s epoch=%d", noteMark, n.epoch)
	}
	return fmt.Sprintf("%s epoch=%d last=%d n=%d at=%d", noteMark, n.epoch, n.last, n.n, n.at)
}

// parseNote reads a commit's metadata. ok is false for metadata of other
// programs, which says nothing.
func parseNote(s string) (n note, ok bool) {
	if s == noteMark || !strings.HasPrefix(s, noteMark+" ") {
		return note{}, false
	}
	// Former versions wrote no at.
	if c, _ := fmt.Sscanf(s, noteMark+" epoch=%d last=%d n=%d at=%d", &n.epoch, &n.last, &n.n, &n.at); c >= 3 && n.last >= 0 {
		n.intent = true
		return n, true
	}
	var plain note
	if c, _ := fmt.Sscanf(s, noteMark+" epoch=%d", &plain.epoch); c != 1 || strings.Contains(s, "last=") {
		return note{}, false
	}
	return plain, true
}

// place names one partition of one topic.
type place struct {
	topic     string
	partition int32
}

func (p place) String() string { return fmt.Sprintf("%s/%d", p.topic, p.partition) }

func (p place) span(epoch uint32, first, last int64) schema.Range {
	return schema.Range{Topic: p.topic, Epoch: epoch, Partition: p.partition, First: first, Last: last}
}
