package ingest

import (
	"context"
	"errors"
	"testing"
	"time"

	"headway/schema"
)

// formerOwnersAreFenced shows that the coordinator checks generation and
// member, and keeps the note.
func formerOwnersAreFenced(t *testing.T, l *lab) {
	r := l.start()
	l.produce(0, numbered("a", 10)...)
	l.sink.untilLanded(t, 10)
	l.settled()
	b := newBroker([]string{l.addr}, l.safe, l.topic, []string{l.topic}, time.Second)
	defer b.close()
	p := place{topic: l.topic}
	for _, m := range []member{{generation: 1, id: "someone-else"}, {generation: 99, id: ""}, {generation: 0, id: "someone-else"}} {
		if err := b.commit(t.Context(), m, p, 3, note{}); !errors.Is(err, errFenced) {
			t.Errorf("commit of %+v: %v, want errFenced", m, err)
		}
	}
	offset, metadata, err := b.committed(t.Context(), p)
	if n, ok := parseNote(metadata); err != nil || offset != 10 || !ok || n.intent || n.epoch != 0 {
		t.Errorf("committed %d with %q (%v), want 10 with the plain note of epoch 0", offset, metadata, err)
	}
	r.stop()
}

func unfinishedLandingIsTakenOver(t *testing.T, l *lab) {
	stuck := make(chan schema.Range, 1)
	l.sink.hooks(func(ctx context.Context, c landCall) error {
		if c.span.First < 100 { // the first batch lands
			return nil
		}
		stuck <- c.span
		<-ctx.Done()
		return ctx.Err()
	}, nil)
	first := l.start(func(c *Config) { c.StopWithin = 1500 * time.Millisecond })
	produced := l.produce(0, numbered("a", 180)...)
	span := <-stuck
	first.stop()
	offsets, err := Offsets(t.Context(), []string{l.addr}, l.safe, l.topic, l.topic)
	if err != nil || offsets[0].Committed != span.First || !offsets[0].Landing || offsets[0].LandingLast != span.Last {
		t.Fatalf("offsets %+v (%v), want the intent %d to %d to stand", offsets, err, span.First, span.Last)
	}
	// The late insert of the former owner takes place now.
	late := schema.Origin{Topic: l.topic, Offset: span.First}
	l.sink.hooks(nil, nil)
	l.sink.change(func() { l.sink.rows[late] = []schema.Record{{Origin: late, RequestID: "a-100", CreatedAt: time.Now()}} })
	second := l.start(func(c *Config) { c.BatchRows = 7 }) // another size must not change the range
	produced = append(produced, l.produce(0, numbered("b", 20)...)...)
	l.sink.untilLanded(t, len(produced))
	l.settled()
	l.sink.exactly(t, produced)
	if c := l.sink.lands[1]; c.span != span || !c.check {
		t.Errorf("the next landing is %+v with check %v, want exactly %+v with a check", c.span, c.check, span)
	}
	again, new := float64(span.Last-span.First+1), float64(len(produced))-float64(span.Last+1)
	if n := second.counter(t, "headway_rows_landed_again_total"); n != again {
		t.Errorf("%v rows landed again, want %v", n, again)
	}
	if n := second.counter(t, "headway_rows_inserted_total"); n != new {
		t.Errorf("%v rows inserted, want the %v that were not under way before", n, new)
	}
	l.untilCounter(second, 1, "headway_batches_redone_total")
}

// arrivalIsTakenOver ends an owner that has rejects, and a row whose time it
// replaced by its arrival, under way. Its successor gives them the same time:
// on another day their tokens would be other ones, and a late insert of the
// former owner would double them.
func arrivalIsTakenOver(t *testing.T, l *lab) {
	stuck := make(chan landCall, 1)
	l.sink.hooks(func(ctx context.Context, c landCall) error {
		stuck <- c
		<-ctx.Done()
		return ctx.Err()
	}, nil)
	first := l.start(func(c *Config) { c.StopWithin, c.BatchRows, c.BatchAge = 1500*time.Millisecond, 4, time.Minute })
	produced := l.produce(0, record("fine", time.Now()), "no record", record("ahead", time.Now().Add(time.Hour)), "nor this")
	was := <-stuck
	first.stop()
	l.sink.hooks(nil, nil)
	l.start()
	l.sink.untilLanded(t, len(produced))
	l.settled()
	l.sink.exactly(t, produced)
	now := l.sink.lands[len(l.sink.lands)-1]
	ahead := l.sink.rows[produced[2]]
	if len(was.rejects) != 2 || len(now.rejects) != 2 || len(ahead) != 1 {
		t.Fatalf("%d rejects, then %d, and %d rows; want 2, 2 and 1", len(was.rejects), len(now.rejects), len(ahead))
	}
	for i, r := range now.rejects {
		if !r.ReceivedAt.Equal(was.rejects[0].ReceivedAt) || r != was.rejects[i] {
			t.Errorf("reject %+v, was %+v", r, was.rejects[i])
		}
	}
	if at := ahead[0].CreatedAt; !at.Equal(was.rejects[0].ReceivedAt) {
		t.Errorf("the row's time became %s; want the arrival %s of before", at, was.rejects[0].ReceivedAt)
	}
}

// halvingCutOff ends an owner when one half of a refused batch is in and the
// other is not: the next owner finds an intent for the other half alone.
func halvingCutOff(t *testing.T, l *lab) {
	stuck := make(chan schema.Range, 1)
	refuse := refusing(false, "a-99")
	l.sink.hooks(func(ctx context.Context, c landCall) error {
		if c.span.First < 50 {
			return refuse(ctx, c) // the whole, and the left half
		}
		stuck <- c.span
		<-ctx.Done()
		return ctx.Err()
	}, nil)
	first := l.start(func(c *Config) { c.StopWithin, c.BatchAge = 1500*time.Millisecond, time.Minute })
	produced := l.produce(0, numbered("a", 100)...)
	span := <-stuck
	first.stop()
	offsets, err := Offsets(t.Context(), []string{l.addr}, l.safe, l.topic, l.topic)
	if err != nil || span.First != 50 || offsets[0].Committed != 50 || !offsets[0].Landing || offsets[0].LandingLast != 99 {
		t.Fatalf("offsets %+v (%v) after %+v, want the intent 50 to 99 to stand", offsets, err, span)
	}
	l.sink.hooks(refuse, nil)
	l.start()
	l.sink.untilLanded(t, 100)
	l.settled()
	l.sink.exactly(t, produced)
	if n := len(l.sink.rejects); n != 1 {
		t.Errorf("%d rejects, want the one bad row", n)
	}
}

func newGroupDoublesNothing(t *testing.T, l *lab) {
	first := l.start()
	produced := append(l.produce(0, numbered("a", 300)...), l.produce(1, numbered("b", 50)...)...)
	l.sink.untilLanded(t, 350)
	first.stop()
	l.start(func(c *Config) { c.Group += "-other" })
	produced = append(produced, l.produce(0, numbered("c", 30)...)...)
	l.sink.untilLanded(t, len(produced))
	l.sink.exactly(t, produced)
}
