package schema

import (
	"math"
	"strconv"
	"time"
)

// MaxCount is the largest number of tokens, events or requests in flight
// that is believed; more is a bad value.
const MaxCount = math.MaxInt32

// MaxSpan is the longest time that is believed; more is a bad value.
const MaxSpan = 24 * time.Hour

// number is a scanned number: (−1)^neg × mant × 10^exp, exact to 19 digits.
type number struct {
	mant uint64
	exp  int
	neg  bool
}

// maxExp bounds exponents so that sums of them can't overflow; every number
// beyond is as good as infinite or zero.
const maxExp = 1 << 20

var pow10 = [...]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19}

var floatPow10 = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// number scans a number at s.pos into s.tok.
func (s *scanner) number() bool {
	n, size := parseNumber(s.data[s.pos:])
	if size == 0 {
		return s.fail(ReasonNotJSON)
	}
	s.tok.raw, s.tok.num = s.data[s.pos:s.pos+size], n
	s.pos += size
	return true
}

// parseNumber reads a JSON number at the start of b and returns how long it
// is, 0 where there is none.
func parseNumber(b []byte) (n number, size int) {
	i := 0
	if i < len(b) && b[i] == '-' {
		n.neg = true
		i++
	}
	whole := i
	i = n.digits(b, i, 0)
	if i == whole || b[whole] == '0' && i > whole+1 {
		return n, 0
	}
	if i < len(b) && b[i] == '.' {
		point := i + 1
		if i = n.digits(b, point, -1); i == point {
			return n, 0
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		if i = n.exponent(b, i+1); i == 0 {
			return n, 0
		}
	}
	return n, i
}

// digits adds a run of digits; step is what each adds to the exponent. Digits
// past the nineteenth only move the point.
func (n *number) digits(b []byte, i, step int) int {
	for ; i < len(b) && b[i]-'0' <= 9; i++ {
		if n.mant < 1e18 {
			n.mant = n.mant*10 + uint64(b[i]-'0')
			n.exp += step
		} else {
			n.exp += step + 1
		}
	}
	return i
}

func (n *number) exponent(b []byte, i int) int {
	neg := false
	if i < len(b) && (b[i] == '+' || b[i] == '-') {
		neg = b[i] == '-'
		i++
	}
	start, e := i, 0
	for ; i < len(b) && b[i]-'0' <= 9; i++ {
		if e < maxExp {
			e = e*10 + int(b[i]-'0')
		}
	}
	if i == start {
		return 0
	}
	if neg {
		e = -e
	}
	n.exp += e
	return i
}

// scaled returns mant × 10^(exp+shift), rounded half up; false where that is
// negative or above limit.
func (n number) scaled(shift int, limit uint64) (uint64, bool) {
	e := n.exp + shift
	switch {
	case n.mant == 0:
		return 0, true
	case n.neg || e >= len(pow10) || e > 0 && n.mant > limit/pow10[e]:
		return 0, false
	case e >= 0:
		v := n.mant * pow10[e]
		return v, v <= limit
	case -e >= len(pow10):
		return 0, true
	}
	p := pow10[-e]
	v := (n.mant + p/2) / p
	return v, v <= limit
}

// span reads the number as a time with unit 10^−digits seconds, rounded to
// microseconds; false where it is negative or above MaxSpan.
func (n number) span(digits int) (time.Duration, bool) {
	us, ok := n.scaled(6-digits, uint64(MaxSpan/time.Microsecond))
	return time.Duration(us) * time.Microsecond, ok
}

// count reads the number as a whole count; false where it is negative, not
// whole, or above MaxCount.
func (n number) count() (int64, bool) {
	if n.mant != 0 && n.exp < 0 && (-n.exp >= len(pow10) || n.mant%pow10[-n.exp] != 0) {
		return 0, false
	}
	v, ok := n.scaled(0, MaxCount)
	return int64(v), ok
}

// float reads the number, whose text is raw; false where it is negative or
// not finite.
func (n number) float(raw []byte) (float64, bool) {
	if n.neg && n.mant != 0 {
		return 0, false
	}
	if n.mant < 1<<53 && n.exp <= 0 && -n.exp < len(floatPow10) {
		return float64(n.mant) / floatPow10[-n.exp], true
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	return math.Abs(f), err == nil
}

// only is v where ok, else missing.
func only[T any](v T, ok bool) Opt[T] {
	if !ok {
		return Opt[T]{}
	}
	return Some(v)
}

// The readings of a scanned value as a number: missing where it is another
// kind of value, or out of range.

func (t *token) count() Opt[int64] {
	v, ok := t.num.count()
	return only(v, ok && t.kind == '0')
}

func (t *token) span(digits int) Opt[time.Duration] {
	v, ok := t.num.span(digits)
	return only(v, ok && t.kind == '0')
}

func (t *token) float() Opt[float64] {
	if t.kind != '0' {
		return Opt[float64]{}
	}
	v, ok := t.num.float(t.raw)
	return only(v, ok)
}

func (t *token) status() Opt[int32] {
	n := t.count()
	return only(int32(n.Value), n.Value >= 100 && n.Value <= 999)
}
