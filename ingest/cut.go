package ingest

import "time"

// limits bound a batch.
type limits struct {
	rows  int           // messages
	bytes int           // payload
	age   time.Duration // of the oldest message
}

// fill is how full a batch is.
type fill struct {
	rows, bytes int
	oldest      time.Time
}

// cut is the one decision when a batch is landed: when it is full, or when its
// oldest message has waited long enough. Where it is not yet time, wait says
// how long until age alone decides; an empty batch waits for messages.
func (l limits) cut(f fill, now time.Time) (due bool, wait time.Duration) {
	switch {
	case f.rows == 0:
		return false, 0
	case l.full(f):
		return true, 0
	}
	wait = l.age - now.Sub(f.oldest)
	return wait <= 0, max(wait, 0)
}

// full reports whether a batch may take no more messages.
func (l limits) full(f fill) bool { return f.rows >= l.rows || f.bytes >= l.bytes }
