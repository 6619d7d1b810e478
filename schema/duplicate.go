package schema

import (
	"hash/maphash"
	"time"
)

// DuplicateWindow is how far back the same attempt is looked for.
const DuplicateWindow = 10 * time.Minute

// DefaultDuplicateKeys bounds one window's memory, to about 40 MB.
const DefaultDuplicateKeys = 1 << 20

// AttemptKey is what makes two records the same attempt. Another attempt
// number or role of the same request is another key.
type AttemptKey struct {
	Source    string
	RequestID string
	Attempt   uint16
	Role      Role
	CreatedAt int64 // Unix milliseconds
}

// KeyOf returns a record's key.
func KeyOf(r *Record) AttemptKey {
	return AttemptKey{Source: r.Source, RequestID: r.RequestID, Attempt: r.Attempt, Role: r.Role, CreatedAt: r.CreatedAt.UnixMilli()}
}

// Duplicates remembers the attempts of one partition that arrived within
// DuplicateWindow, at most max of them, the newest. It is one goroutine's.
//
// Limits: keys are remembered as 64-bit hashes, so one record in about 10^13
// is taken for a duplicate wrongly at a full window; a record whose time was
// replaced by its arrival (clock_skew) or whose id was generated is never
// found again; beyond max keys in ten minutes the oldest are forgotten.
type Duplicates struct {
	seed maphash.Seed
	max  int
	last map[uint64]int64 // hash → last arrival, Unix milliseconds
	ring []arrivalOf      // in order of arrival, from head on, wrapping
	head int
	size int
}

type arrivalOf struct {
	hash uint64
	at   int64
}

// NewDuplicates returns an empty window of at most maxKeys keys; 0 means
// DefaultDuplicateKeys. Memory grows as keys come.
func NewDuplicates(maxKeys int) *Duplicates {
	if maxKeys <= 0 {
		maxKeys = DefaultDuplicateKeys
	}
	return &Duplicates{seed: maphash.MakeSeed(), max: maxKeys, last: make(map[uint64]int64)}
}

// Seen reports whether the key was seen within the window before arrival,
// and remembers it. Arrivals should not go back in time; one that does is
// taken as it comes.
func (d *Duplicates) Seen(k AttemptKey, arrival time.Time) bool {
	at := arrival.UnixMilli()
	for d.size > 0 && (d.size == d.max || d.ring[d.head].at < at-DuplicateWindow.Milliseconds()) {
		d.forgetOldest()
	}
	h := maphash.Comparable(d.seed, k)
	before, seen := d.last[h]
	d.last[h] = at
	d.push(arrivalOf{h, at})
	return seen && before >= at-DuplicateWindow.Milliseconds()
}

// Restore fills the window from stored rows, oldest first, as if they had
// arrived at at: it rebuilds the window after a restart. A record does not carry
// its arrival, so that a key may be remembered for up to a window too long.
func (d *Duplicates) Restore(rows []Record, at time.Time) {
	for i := range rows {
		d.Seen(KeyOf(&rows[i]), at)
	}
}

// Len is the number of keys remembered.
func (d *Duplicates) Len() int { return len(d.last) }

func (d *Duplicates) forgetOldest() {
	e := d.ring[d.head]
	d.head = (d.head + 1) % len(d.ring)
	d.size--
	if d.last[e.hash] == e.at { // not seen again since
		delete(d.last, e.hash)
	}
}

func (d *Duplicates) push(e arrivalOf) {
	if d.size == len(d.ring) {
		grown := make([]arrivalOf, min(max(2*len(d.ring), 1024), max(d.max, 1)))
		n := copy(grown, d.ring[d.head:])
		copy(grown[n:], d.ring[:d.head])
		d.ring, d.head = grown, 0
	}
	d.ring[(d.head+d.size)%len(d.ring)] = e
	d.size++
}
