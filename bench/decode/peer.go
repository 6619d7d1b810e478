package main

import (
	"time"

	"headway/schema"
)

// peer fills records with one JSON library.
type peer struct {
	name string
	// read fills rec from a message that is as it should be. False where
	// anything in it is unusual: not JSON, a wrong type, an unknown key, a
	// value out of range, a contradiction.
	read func(msg []byte, arrival time.Time, rec *schema.Record) bool
}

// decoder is a peer that does all that Headway's decoder does: it reads what
// is as it should be, and hands what is unusual to the rule book, which is
// Headway's decoder. Records of gateways that behave never get there.
type decoder struct {
	peer
	rules  *schema.Decoder
	handed int // messages handed over
}

// Decode is schema.Decoder's Decode.
func (d *decoder) Decode(msg []byte, arrival time.Time, rec *schema.Record) (dropped int, err error) {
	if len(msg) <= schema.DefaultMaxBytes && d.read(msg, arrival, rec) {
		return 0, nil
	}
	d.handed++
	return d.rules.Decode(msg, arrival, rec)
}

func newDecoder(p peer) (*decoder, error) {
	rules, err := newRules()
	return &decoder{peer: p, rules: rules}, err
}

func newRules() (*schema.Decoder, error) {
	source, err := schema.NewSources().Need("headway")
	if err != nil {
		return nil, err
	}
	return schema.NewDecoder(schema.Config{Source: source, NewID: func() string { return "generated" }})
}

func peers() []peer {
	return []peer{encodingJSON(), jsonV2(), sonicPeer(), fastJSON(), simdJSON()}
}
