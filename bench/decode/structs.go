package main

import (
	"bytes"
	"encoding/json"
	"io"
	"time"
	"unsafe"

	"github.com/bytedance/sonic"
	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"headway/schema"
)

// encodingJSON uses one json.Decoder for all messages: json.Unmarshal can't
// tell unknown keys.
func encodingJSON() peer {
	var p plain
	from := &source{}
	d := from.decoder()
	return peer{name: "encoding/json", read: func(msg []byte, arrival time.Time, rec *schema.Record) bool {
		p.reset()
		from.msg = msg
		err := d.Decode(&p)
		if err == nil {
			rest, _ := io.ReadAll(d.Buffered()) // it reads memory
			if len(bytes.TrimSpace(append(rest, from.msg...))) == 0 {
				return p.fill(rec, arrival)
			}
		}
		d = from.decoder() // errors stick to it
		return false
	}}
}

// source is a reader of one message at a time.
type source struct{ msg []byte }

func (s *source) Read(to []byte) (int, error) {
	if len(s.msg) == 0 {
		return 0, io.EOF
	}
	n := copy(to, s.msg)
	s.msg = s.msg[n:]
	return n, nil
}

func (s *source) decoder() *json.Decoder {
	d := json.NewDecoder(s)
	d.DisallowUnknownFields()
	return d
}

// jsonV2 is encoding/json/v2 by its own module, so that encoding/json stays
// what it is. The last of two equal keys counts, as in Headway.
func jsonV2() peer {
	var p plain
	options := jsonv2.JoinOptions(jsonv2.RejectUnknownMembers(true), jsontext.AllowDuplicateNames(true))
	return peer{name: "encoding/json/v2", read: func(msg []byte, arrival time.Time, rec *schema.Record) bool {
		p.reset()
		return jsonv2.Unmarshal(msg, &p, options) == nil && p.fill(rec, arrival)
	}}
}

// sonicPeer copies strings, so that records share no memory with messages,
// and reads the message where it lies.
func sonicPeer() peer {
	var p plain
	api := sonic.Config{DisallowUnknownFields: true, CopyString: true, CaseSensitive: true}.Froze()
	return peer{name: "bytedance/sonic", read: func(msg []byte, arrival time.Time, rec *schema.Record) bool {
		p.reset()
		return api.UnmarshalFromString(unsafe.String(unsafe.SliceData(msg), len(msg)), &p) == nil && p.fill(rec, arrival)
	}}
}
