package schema

import (
	"unicode"
	"unicode/utf8"
)

// Limits of strings in bytes; longer ones are cut at a rune boundary.
const (
	MaxID        = 128 // request and trace ids
	MaxDimension = 128 // every other string
)

// maxInterned bounds the strings that a Decoder keeps to share them between
// records.
const maxInterned = 8192

// interner shares equal strings between records: dimensions repeat, and a
// batch then holds each once. last remembers one string per field.
type interner struct {
	last  []string
	known map[string]string
}

func (in *interner) get(field int, b []byte) string {
	if in.last[field] != string(b) {
		in.last[field] = in.share(b)
	}
	return in.last[field]
}

func (in *interner) share(b []byte) string {
	s, ok := in.known[string(b)]
	if !ok {
		if len(in.known) >= maxInterned {
			clear(in.known)
		}
		s = string(b)
		in.known[s] = s
	}
	return s
}

// clean returns the text of a scanned string without control characters,
// with invalid UTF-8 replaced, cut at limit; blank text is empty. The result
// is valid until scratch is used again.
func clean(scratch *[]byte, t *token, limit int) []byte {
	if t.plain && len(t.raw) <= limit && (len(t.raw) == 0 || t.raw[0] != ' ') {
		return t.raw
	}
	*scratch = unescape((*scratch)[:0], t.raw)
	return cleanText(*scratch, limit)
}

// cleanText is clean for unescaped valid UTF-8, in place.
func cleanText(b []byte, limit int) []byte {
	out, blank := b[:0], true
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if !unicode.IsControl(r) {
			if len(out)+n > limit {
				break
			}
			out = append(out, b[i:i+n]...)
			blank = blank && unicode.IsSpace(r)
		}
		i += n
	}
	if blank {
		return nil
	}
	return out
}
