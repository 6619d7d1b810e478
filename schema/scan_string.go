package schema

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
)

// special marks bytes of w that end a run of printable ASCII: a quote, a
// backslash, a control character, DEL or anything above. Eight bytes are
// tested at once (Hacker's Delight, 6-1); marks above the lowest one may be
// false, the lowest never is.
func special(w uint64) uint64 {
	quote := w ^ '"'*lowBits
	slash := w ^ '\\'*lowBits
	del := w ^ 0x7f*lowBits
	return ((quote - lowBits) | (slash - lowBits) | (del - lowBits) | (w - ' '*lowBits) | w) & highBits
}

// str scans a string whose opening quote was consumed: raw text into
// s.tok.raw.
func (s *scanner) str() bool {
	start, i, data := s.pos, s.pos, s.data
	for i+8 <= len(data) {
		if m := special(binary.LittleEndian.Uint64(data[i:])); m != 0 {
			i += bits.TrailingZeros64(m) / 8
			break
		}
		i += 8
	}
	plain := true
	for i < len(data) {
		switch c := data[i]; {
		case c == '"':
			s.tok.raw, s.tok.plain = data[start:i], plain
			s.pos = i + 1
			return true
		case c == '\\':
			n := escapeLen(data[i:])
			if n == 0 {
				return s.fail(ReasonNotJSON)
			}
			plain = false
			i += n
		case c < ' ':
			return s.fail(ReasonNotJSON)
		default:
			plain = plain && c < 0x7f
			i++
		}
	}
	return s.fail(ReasonNotJSON)
}

// escapeLen returns the length of the escape that b starts with, 0 where it
// is not one.
func escapeLen(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if _, ok := hex4(b); ok {
			return 6
		}
	}
	return 0
}

// hex4 reads the code unit of b = \uXXXX….
func hex4(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range b[2:6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// unescape appends the text that raw, a scanned string, stands for. Lone
// surrogates and invalid UTF-8 become U+FFFD.
func unescape(dst, raw []byte) []byte {
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '\\':
			r, n := unescapeOne(raw[i:])
			dst = utf8.AppendRune(dst, r)
			i += n
		case c < utf8.RuneSelf:
			dst = append(dst, c)
			i++
		default:
			r, n := utf8.DecodeRune(raw[i:])
			dst = utf8.AppendRune(dst, r)
			i += n
		}
	}
	return dst
}

// unescapeOne reads one valid escape and returns its length.
func unescapeOne(b []byte) (rune, int) {
	switch b[1] {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		hi, _ := hex4(b)
		if hi < 0xd800 || hi > 0xdfff {
			return hi, 6
		}
		lo, ok := hex4(b[6:])
		if hi < 0xdc00 && ok && lo >= 0xdc00 && lo <= 0xdfff {
			return (hi-0xd800)<<10 | (lo - 0xdc00) + 0x10000, 12
		}
		return utf8.RuneError, 6
	}
	return rune(b[1]), 2
}
