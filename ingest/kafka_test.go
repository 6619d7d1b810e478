//go:build kafka

package ingest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"headway/internal/testkit/authority"
	"headway/internal/testkit/kafka"
	"headway/schema"
)

// TestBrokerIsKilledAndFrozen: what was acknowledged lands once, and nobody
// needs to restart anything.
func TestBrokerIsKilledAndFrozen(t *testing.T) {
	t.Parallel()
	b := kafka.Start(t, kafka.Options{})
	l := newLab(t, b.Addr(), 2)
	r := l.start()
	var produced []schema.Origin
	add := func(prefix string) {
		t.Helper()
		produced = append(produced, l.produce(0, numbered(prefix, 500)...)...)
		produced = append(produced, l.produce(1, numbered(prefix, 300)...)...)
	}
	noticed := func(state string) {
		t.Helper()
		l.eventually("noticing the "+state+" broker", func(context.Context) error {
			if r.Ready(t.Context()) == nil {
				return errors.New("it says that it is ready")
			}
			return nil
		})
	}
	add("a")
	if err := b.Kill(); err != nil {
		t.Fatal(err)
	}
	noticed("killed")
	if err := b.Restart(); err != nil {
		t.Fatal(err)
	}
	add("b")
	l.sink.untilLanded(t, len(produced))
	add("c")
	if err := b.Pause(); err != nil {
		t.Fatal(err)
	}
	noticed("frozen")
	if err := b.Continue(); err != nil {
		t.Fatal(err)
	}
	add("d")
	l.sink.untilLanded(t, len(produced))
	l.settled()
	l.sink.exactly(t, produced)
	l.ready(r)
}

// TestSessionsThatEnd: brokers that end sessions (connections.max.reauth.ms)
// cost connections, and no record.
func TestSessionsThatEnd(t *testing.T) {
	t.Parallel()
	ca := authority.New(t, "headway test authority")
	p := port{tls: true, user: true}
	l := newSecureLab(t, startSecure(t, ca, "connections.max.reauth.ms", "1500"), p, 2, newKeys(t, ca).security(p, mechanismSCRAM2))
	r := l.start()
	var produced []schema.Origin
	for i := range 16 {
		produced = append(produced, l.produce(int32(i%2), numbered(fmt.Sprint("s", i), 20)...)...)
		if err := pause(t.Context(), 300*time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
	l.sink.untilLanded(t, len(produced))
	l.settled()
	l.sink.exactly(t, produced)
	ended := r.counter(t, "headway_kafka_errors_total") + r.counter(t, "headway_group_generations_total") - 1
	t.Logf("%v requests or generations met an ended session", ended)
	if ended < 1 {
		t.Error("no session ended: nothing is tested")
	}
}
