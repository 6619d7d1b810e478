package ingest

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"headway/classify"
	"headway/schema"
)

// guard is the one cardinality bound of all partitions.
type guard struct {
	mu sync.Mutex
	c  *schema.Cardinality
}

func newGuard(models, channels int) *guard {
	return &guard{c: schema.NewCardinality(map[string]int{"model": models, "channel": channels})}
}

func (g *guard) apply(rec *schema.Record, at time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.c.Apply(rec, at)
}

// newDecoders returns a decoder for every source there is, by name.
func newDecoders(template schema.Config) (map[string]*schema.Decoder, error) {
	sources := schema.NewSources()
	out := map[string]*schema.Decoder{}
	for _, name := range sources.Names() {
		src, err := sources.Need(name)
		if err != nil {
			return nil, err
		}
		template.Source = src
		if out[name], err = schema.NewDecoder(template); err != nil {
			return nil, fmt.Errorf("preparing to read source %s: %w", name, err)
		}
	}
	return out, nil
}

// preparer turns the messages of one partition into rows and rejects. It does
// no I/O.
type preparer struct {
	place
	epoch      uint32
	source     string // of messages without header
	decoders   map[string]*schema.Decoder
	seen       *schema.Duplicates
	guard      *guard
	classifier *classify.Classifier
	metrics    *metrics
	row        classify.Row // of the message at hand
}

// add takes one message into the batch; nothing of the message is kept.
// Messages come in offset order.
func (p *preparer) add(b *batch, m message, now time.Time) {
	if b.len() == 0 {
		b.first, b.oldest = m.offset, now
	}
	b.last, b.next = m.offset, m.offset+1
	b.bytes += len(m.value)
	row := &p.row
	origin := schema.Origin{Topic: p.topic, Epoch: p.epoch, Partition: p.partition, Offset: m.offset}
	row.Record.Origin = origin
	source, reason := p.decode(m, now, &row.Record)
	p.metrics.received.WithLabelValues(source).Inc()
	if reason != "" {
		b.rejects = append(b.rejects, schema.Reject{Origin: origin, Source: source, Reason: reason, Bytes: m.size, ReceivedAt: now.UTC()})
		return
	}
	if p.seen.Seen(schema.KeyOf(&row.Record), now) {
		row.Record.AddFlag(schema.FlagDuplicate)
	}
	// Thresholds go by the true model and route, so the verdict comes before
	// rare values become one.
	row.Verdict = p.classifier.Classify(&row.Record)
	p.guard.apply(&row.Record, now)
	b.keep(row, len(m.value))
}

// decode reads one message. It returns the source as a label, and why the
// message can't be placed.
func (p *preparer) decode(m message, now time.Time, rec *schema.Record) (source string, reason schema.Reason) {
	source = m.source
	if source == "" {
		source = p.source
	}
	dec, ok := p.decoders[source]
	if !ok {
		return unknownSource, schema.ReasonUnknownSource
	}
	switch {
	case m.unreadable:
		return source, schema.ReasonUnreadable
	case m.size > len(m.value):
		return source, schema.ReasonTooLarge
	}
	dropped, err := dec.Decode(m.value, now, rec)
	if dropped > 0 {
		p.metrics.contentDropped.WithLabelValues(source).Add(float64(dropped))
	}
	var reject *schema.RejectError
	switch {
	case err == nil:
		return source, ""
	case errors.As(err, &reject):
		return source, reject.Reason
	}
	return source, schema.ReasonNotJSON
}
