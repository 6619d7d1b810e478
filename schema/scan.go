package schema

// scanner walks JSON text once, without building a tree. It accepts exactly
// the language of RFC 8259 (a differential fuzz test holds it to
// encoding/json) up to a nesting limit. The first failure sticks in bad.
type scanner struct {
	data     []byte
	pos      int
	depth    int
	maxDepth int
	bad      Reason
	tok      token
	buf      []byte // unescaped key, valid until the next key
	dropped  int    // content keys seen by skip
}

// token is one scanned value. Objects and arrays are only opened: the caller
// walks or skips them.
type token struct {
	kind  byte   // '"', '0' for a number, 't', 'f', 'n', '{' or '['
	raw   []byte // text between the quotes, or of the number
	plain bool   // the string is printable ASCII without escapes
	num   number
}

func (s *scanner) reset(data []byte, depth int) {
	s.data, s.pos, s.depth, s.bad, s.dropped = data, 0, depth, "", 0
}

func (s *scanner) fail(r Reason) bool {
	if s.bad == "" {
		s.bad = r
	}
	return false
}

// peek returns the next byte that is not white space, 0 at the end.
func (s *scanner) peek() byte {
	for s.pos < len(s.data) {
		c := s.data[s.pos]
		if c > ' ' {
			return c
		}
		if c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c
		}
		s.pos++
	}
	return 0
}

// value scans the next value into s.tok.
func (s *scanner) value() bool {
	switch c := s.peek(); {
	case c == '"':
		s.pos++
		s.tok.kind = '"'
		return s.str()
	case c == '-' || c >= '0' && c <= '9':
		s.tok.kind = '0'
		return s.number()
	case c == '{' || c == '[':
		s.pos++
		s.tok.kind = c
		if s.depth++; s.depth > s.maxDepth {
			return s.fail(ReasonTooDeep)
		}
		return true
	case c == 't':
		return s.word("true")
	case c == 'f':
		return s.word("false")
	case c == 'n':
		return s.word("null")
	}
	return s.fail(ReasonNotJSON)
}

func (s *scanner) word(w string) bool {
	s.tok.kind = w[0]
	return s.literal(w) || s.fail(ReasonNotJSON)
}

// member scans the next key of an opened object and its colon. It returns
// false at the closing brace, which it consumes, and on failure.
func (s *scanner) member(first bool) ([]byte, bool) {
	c := s.peek()
	if c == '}' {
		s.pos++
		s.depth--
		return nil, false
	}
	if !first {
		if c != ',' {
			return nil, s.fail(ReasonNotJSON)
		}
		s.pos++
		c = s.peek()
	}
	if c != '"' {
		return nil, s.fail(ReasonNotJSON)
	}
	s.pos++
	if !s.str() {
		return nil, false
	}
	key := s.tok.raw
	if !s.tok.plain {
		s.buf = unescape(s.buf[:0], key)
		key = s.buf
	}
	if s.peek() != ':' {
		return nil, s.fail(ReasonNotJSON)
	}
	s.pos++
	return key, true
}

// literal passes over text where it comes next, as it stands.
func (s *scanner) literal(text string) bool {
	if len(s.data)-s.pos < len(text) || string(s.data[s.pos:s.pos+len(text)]) != text {
		return false
	}
	s.pos += len(text)
	return true
}

// element steps to the next element of an opened array; false at the closing
// bracket, which it consumes, and on failure.
func (s *scanner) element(first bool) bool {
	c := s.peek()
	if c == ']' {
		s.pos++
		s.depth--
		return false
	}
	if first {
		return true
	}
	if c != ',' {
		return s.fail(ReasonNotJSON)
	}
	s.pos++
	if s.peek() == ']' {
		return s.fail(ReasonNotJSON)
	}
	return true
}

// skip passes over the value in s.tok; of an object or array it walks what
// is inside, so that content keys are found at any depth. Recursion ends at
// maxDepth.
func (s *scanner) skip() bool {
	switch s.tok.kind {
	case '{':
		for key, ok := s.member(true); ok; key, ok = s.member(false) {
			if !s.drop(key) {
				return false
			}
		}
	case '[':
		for ok := s.element(true); ok; ok = s.element(false) {
			if !s.value() || !s.skip() {
				return false
			}
		}
	}
	return s.bad == ""
}

// drop scans and forgets the value of a key that no record has. A content
// key counts once, whatever is below it, and not where it holds nothing.
func (s *scanner) drop(key []byte) bool {
	content, before := isContentKey(key), s.dropped
	if !s.value() {
		return false
	}
	empty := s.tok.kind == 'n' || s.tok.kind == '"' && len(s.tok.raw) == 0
	if !s.skip() {
		return false
	}
	if content && !empty {
		s.dropped = before + 1
	}
	return true
}

// end checks that nothing but white space follows.
func (s *scanner) end() bool {
	if s.peek() != 0 || s.pos < len(s.data) {
		return s.fail(ReasonNotJSON)
	}
	return true
}
