package main

import (
	"bytes"
	"math"
	"time"

	"github.com/minio/simdjson-go"
	"github.com/valyala/fastjson"

	"headway/schema"
)

// shared keeps one copy of strings that repeat, as Headway does for
// dimensions; it starts anew when it is full.
type shared map[string]string

func (s shared) get(b []byte) string {
	v, ok := s[string(b)]
	if !ok {
		if len(s) >= 8192 {
			clear(s)
		}
		v = string(b)
		s[v] = v
	}
	return v
}

// fastJSON is valyala/fastjson, whose parser is reused. It takes numbers and
// control characters that are not JSON, so its own validator runs first.
func fastJSON() peer {
	var parser fastjson.Parser
	v := &fastValue{known: shared{}}
	return peer{name: "valyala/fastjson", read: func(msg []byte, arrival time.Time, rec *schema.Record) bool {
		if fastjson.ValidateBytes(msg) != nil {
			return false
		}
		doc, err := parser.ParseBytes(msg)
		if err != nil {
			return false
		}
		*rec = fresh(rec)
		group, ok := "", true
		members(doc, &ok, func(key string, member *fastjson.Value) {
			if key == "other" {
				members(member, &ok, func(key string, member *fastjson.Value) {
					ok = ok && key == "timing"
					members(member, &ok, func(key string, member *fastjson.Value) {
						v.Value = member
						ok = ok && putTime(key, v, rec)
					})
				})
				return
			}
			v.Value = member
			v.single = key == "request_id" || key == "trace_id" || key == "created_at"
			ok = ok && put(key, v, rec, arrival, &group)
		})
		return ok && end(rec, group)
	}}
}

// end does what is left when all members are in.
func end(rec *schema.Record, group string) bool {
	if rec.Route == "" {
		rec.Route = group
	}
	return rec.RequestID != "" && !rec.CreatedAt.IsZero() && finish(rec)
}

func members(v *fastjson.Value, ok *bool, take func(key string, v *fastjson.Value)) {
	o, err := v.Object()
	if err != nil {
		*ok = false
		return
	}
	o.Visit(func(key []byte, v *fastjson.Value) {
		if *ok {
			take(string(key), v)
		}
	})
}

// fastValue reads fastjson's values.
type fastValue struct {
	*fastjson.Value
	known  shared
	single bool // the text hardly ever repeats
}

func (v *fastValue) null() bool { return v.Type() == fastjson.TypeNull }

func (v *fastValue) text() (string, bool) {
	if v.null() {
		return "", true
	}
	b, err := v.StringBytes()
	// It leaves escapes that it does not understand.
	ok := err == nil && bytes.IndexByte(b, '\\') < 0
	if v.single {
		return string(b), ok
	}
	return v.known.get(b), ok
}

func (v *fastValue) whole() (int64, bool) {
	if v.null() {
		return missingWhole, true
	}
	n, err := v.Int64()
	return n, err == nil
}

func (v *fastValue) real() (float64, bool) {
	if v.null() {
		return missingReal, true
	}
	f, err := v.Float64()
	return f, err == nil
}

func (v *fastValue) yesNo() (schema.Opt[bool], bool) {
	if v.null() {
		return schema.Opt[bool]{}, true
	}
	b, err := v.Bool()
	return schema.Opt[bool]{Value: b, Valid: err == nil}, err == nil
}

// simdJSON is minio/simdjson-go, whose tape is reused. Nil where the
// processor lacks what it needs.
func simdJSON() peer {
	tape := &simdjson.ParsedJson{}
	v := &simdValue{known: shared{}}
	return peer{name: "minio/simdjson-go", read: func(msg []byte, arrival time.Time, rec *schema.Record) bool {
		var err error
		if tape, err = simdjson.Parse(msg, tape, simdjson.WithCopyStrings(false)); err != nil {
			tape = &simdjson.ParsedJson{}
			return false
		}
		*rec = fresh(rec)
		root := tape.Iter()
		if root.Advance() != simdjson.TypeRoot {
			return false
		}
		kind, doc, err := root.Root(&v.root)
		if err != nil || kind != simdjson.TypeObject || root.Advance() != simdjson.TypeNone {
			return false
		}
		group := ""
		ok := v.each(doc, 0, func(key []byte) bool {
			if string(key) == "other" {
				return v.each(&v.Iter, 1, func(key []byte) bool {
					return string(key) == "timing" && v.each(&v.Iter, 2, func(key []byte) bool {
						return putTime(string(key), v, rec)
					})
				})
			}
			v.single = string(key) == "request_id" || string(key) == "trace_id" || string(key) == "created_at"
			return put(string(key), v, rec, arrival, &group)
		})
		return ok && end(rec, group)
	}}
}

// simdValue reads simdjson's values.
type simdValue struct {
	simdjson.Iter
	kind    simdjson.Type
	root    simdjson.Iter
	objects [3]simdjson.Object // one a level of nesting
	known   shared
	single  bool
}

// each makes v each member of an object in turn.
func (v *simdValue) each(of *simdjson.Iter, level int, take func(key []byte) bool) bool {
	o, err := of.Object(&v.objects[level])
	if err != nil {
		return false
	}
	for {
		key, kind, err := o.NextElementBytes(&v.Iter)
		if err != nil {
			return false
		}
		if kind == simdjson.TypeNone {
			return true
		}
		v.kind = kind
		if !take(key) {
			return false
		}
	}
}

func (v *simdValue) text() (string, bool) {
	if v.kind == simdjson.TypeNull {
		return "", true
	}
	b, err := v.StringBytes()
	if v.single {
		return string(b), err == nil
	}
	return v.known.get(b), err == nil
}

func (v *simdValue) whole() (int64, bool) {
	switch v.kind {
	case simdjson.TypeNull:
		return missingWhole, true
	case simdjson.TypeInt:
		n, err := v.Int()
		return n, err == nil
	}
	return 0, false
}

func (v *simdValue) real() (float64, bool) {
	switch v.kind {
	case simdjson.TypeNull:
		return missingReal, true
	case simdjson.TypeInt, simdjson.TypeUint, simdjson.TypeFloat:
		f, err := v.Float()
		return f, err == nil && !math.IsNaN(f)
	}
	return 0, false
}

func (v *simdValue) yesNo() (schema.Opt[bool], bool) {
	if v.kind == simdjson.TypeNull {
		return schema.Opt[bool]{}, true
	}
	b, err := v.Bool()
	return schema.Opt[bool]{Value: b, Valid: err == nil}, err == nil
}
