package synth

import (
	"encoding/hex"
	"time"
)

const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// ulid returns a request id of 26 letters: 48 bits of time, 80 of chance
// (github.com/ulid/spec).
func ulid(at time.Time, d *dice) string {
	var out [26]byte
	ms := uint64(at.UnixMilli())
	for i := 9; i >= 0; i-- {
		out[i] = crockford[ms&31]
		ms >>= 5
	}
	high, low := d.Uint64(), d.Uint64()
	for i := range 8 {
		out[10+i] = crockford[high>>(5*i)&31]
		out[18+i] = crockford[low>>(5*i)&31]
	}
	return string(out[:])
}

// traceID returns 32 hex letters, as in W3C trace context.
func traceID(d *dice) string {
	var raw [16]byte
	for i, v := range [2]uint64{d.Uint64(), d.Uint64()} {
		for j := range 8 {
			raw[8*i+j] = byte(v >> (8 * j))
		}
	}
	return hex.EncodeToString(raw[:])
}
