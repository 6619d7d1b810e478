package ingest

import (
	"fmt"

	"headway/schema"
)

// witness is the outcome of comparing a stored row with the message that the
// log holds at the row's offset.
type witness int

const (
	witnessNone  witness = iota // nothing to compare, or not comparable
	witnessSame                 // the log still holds what was stored
	witnessOther                // the log holds something else: it is another log
)

// situation is all that is known when a partition is taken over.
type situation struct {
	place
	committed  int64 // -1 where the group has none
	note       note  // of the commit
	noted      bool  // the commit carries a note of ours
	start, end int64 // the log holds start..end-1
	epoch      uint32
	next       int64 // sink's place within epoch
	seen       bool  // the sink knows the partition
	witness    witness
}

// loss is a range that can never be read, and why.
type loss struct {
	span  schema.Range
	cause string
}

// Causes of losses.
const (
	causeRetention = "retention"
	causeRecreated = "topic_recreated"
)

// plan is how a partition goes on.
type plan struct {
	epoch      uint32
	redo       *schema.Range // land this range first, with a check
	redoAt     int64         // the intent's at
	from       int64         // then read from here
	checkBelow int64         // ranges that begin below it are landed with a check
	losses     []loss
	newLog     bool   // the log is not the one known before
	warning    string // loud, for the log and the status; empty when all is usual
}

// resume decides how a partition goes on. It is pure.
//
// The epoch is the highest that the commit or the sink knows; a log that
// can't be the one they know of gets the next. Offsets below the sink's place
// are landed with a check, so that a lost, rewound or foreign commit repeats
// work but never rows.
func resume(s situation) plan {
	epoch, committed, intent := s.epoch, s.committed, s.noted && s.note.intent
	if s.noted && (!s.seen || s.note.epoch >= s.epoch) {
		epoch = s.note.epoch
	} else if s.seen && s.noted {
		committed, intent = -1, false // the commit is about a former log
	}
	stored := int64(-1) // the sink's place in this epoch
	if s.seen && s.epoch == epoch {
		stored = s.next
	}
	beyond := committed > s.end || intent && s.note.last >= s.end || stored > s.end
	switch {
	case s.witness == witnessOther, beyond && s.witness == witnessNone:
		return s.newLog(epoch, committed, intent, s.start)
	case beyond:
		return s.newLog(epoch, committed, intent, s.end)
	}
	p := plan{epoch: epoch, checkBelow: stored}
	switch {
	case intent:
		s.repeat(&p, committed)
	case committed >= 0:
		p.from = committed
	default:
		p.from = s.start
		if stored > 0 && stored < s.start {
			p.from = stored
		}
	}
	if p.from < s.start {
		p.lose(s.span(epoch, p.from, s.start-1), causeRetention)
		p.from = s.start
	}
	return p
}

// repeat plans the range whose landing was under way.
func (s situation) repeat(p *plan, first int64) {
	last := s.note.last
	p.from = last + 1
	switch {
	case last < s.start:
		p.from = first
	case first < s.start:
		p.lose(s.span(p.epoch, first, s.start-1), causeRetention)
		fallthrough
	default:
		r := s.span(p.epoch, first, last)
		p.redo, p.redoAt = &r, s.note.at
	}
}

// newLog plans the first epoch of a log that is not the one known. from is
// its end where a stored row proves that only its tail was cut off, else its
// start.
func (s situation) newLog(epoch uint32, committed int64, intent bool, from int64) plan {
	p := plan{epoch: epoch + 1, from: from, newLog: true}
	if intent {
		p.lose(s.span(epoch, committed, s.note.last), causeRecreated)
	}
	what := "is another log than before: the topic was re-created"
	if from == s.end && from > s.start {
		what = "lost its tail on the brokers"
	}
	if from == s.start && s.start > 0 {
		p.lose(s.span(p.epoch, 0, s.start-1), causeRetention)
	}
	p.warning = fmt.Sprintf("%s %s (committed offset %d, log %d to %d): epoch %d begins at offset %d; messages that were not read before are gone",
		s.place, what, committed, s.start, s.end, p.epoch, from)
	return p
}

func (p *plan) lose(r schema.Range, cause string) {
	p.losses = append(p.losses, loss{span: r, cause: cause})
	if p.warning == "" {
		p.warning = fmt.Sprintf("%s/%d: offsets %d to %d were removed before they were read (%s): raise the topic's retention above the longest stop",
			r.Topic, r.Partition, r.First, r.Last, cause)
	}
}
