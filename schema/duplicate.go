package schema

import (
	"hash/maphash"
	"time"
)

// DuplicateWindow is how far back the same attempt is looked for.
const DuplicateWindow = 10 * time.Minute

// DefaultDuplicateKeys bounds one window's memory, to about 24 MB.
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
	ring []arrivalOf // in order of arrival, from head on, wrapping
	head int
	size int
	// slots find the latest arrival of a hash: open addressing over places in
	// the ring plus one, 0 for an empty slot. A power of two, at most half
	// full, without a pointer for the garbage collector to follow.
	slots []uint32
	keys  int
}

type arrivalOf struct {
	hash uint64
	at   int64 // Unix milliseconds
}

// NewDuplicates returns an empty window of at most maxKeys keys; 0 means
// DefaultDuplicateKeys. Memory grows as keys come.
func NewDuplicates(maxKeys int) *Duplicates {
	if maxKeys <= 0 {
		maxKeys = DefaultDuplicateKeys
	}
	return &Duplicates{seed: maphash.MakeSeed(), max: maxKeys, slots: make([]uint32, 16)}
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
	d.makeRoom()
	slot, seen := d.find(h)
	seen = seen && d.ring[d.slots[slot]-1].at >= at-DuplicateWindow.Milliseconds()
	if d.slots[slot] == 0 {
		d.keys++
	}
	d.slots[slot] = uint32(d.push(arrivalOf{h, at}) + 1)
	return seen
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
func (d *Duplicates) Len() int { return d.keys }

// find returns the slot of a hash, or the empty one where it belongs.
func (d *Duplicates) find(hash uint64) (slot uint64, found bool) {
	mask := uint64(len(d.slots) - 1)
	for slot = hash & mask; d.slots[slot] != 0; slot = (slot + 1) & mask {
		if d.ring[d.slots[slot]-1].hash == hash {
			return slot, true
		}
	}
	return slot, false
}

func (d *Duplicates) forgetOldest() {
	oldest := d.head
	slot, _ := d.find(d.ring[oldest].hash)
	d.head = (d.head + 1) % len(d.ring)
	d.size--
	if d.slots[slot] == uint32(oldest+1) { // not seen again since
		d.free(slot)
		d.keys--
	}
}

// free empties a slot, and moves those up that probed past it.
func (d *Duplicates) free(hole uint64) {
	mask := uint64(len(d.slots) - 1)
	for at := (hole + 1) & mask; d.slots[at] != 0; at = (at + 1) & mask {
		home := d.ring[d.slots[at]-1].hash & mask
		if (at-home)&mask >= (at-hole)&mask { // its way from home leads over the hole
			d.slots[hole] = d.slots[at]
			hole = at
		}
	}
	d.slots[hole] = 0
}

// makeRoom lets ring and slots grow before a push. Both are laid out anew, the
// oldest arrival first.
func (d *Duplicates) makeRoom() {
	if d.size < len(d.ring) {
		return
	}
	grown := make([]arrivalOf, min(max(2*len(d.ring), 1024), d.max))
	n := copy(grown, d.ring[d.head:])
	copy(grown[n:], d.ring[:d.head])
	d.ring, d.head = grown, 0
	slots := 16
	for slots < 2*len(grown) {
		slots *= 2
	}
	d.slots, d.keys = make([]uint32, slots), 0
	for i := range d.size {
		slot, found := d.find(d.ring[i].hash)
		d.slots[slot] = uint32(i + 1)
		if !found {
			d.keys++
		}
	}
}

// push returns the arrival's place in the ring.
func (d *Duplicates) push(e arrivalOf) int {
	at := (d.head + d.size) % len(d.ring)
	d.ring[at] = e
	d.size++
	return at
}
