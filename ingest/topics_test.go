package ingest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"headway/schema"
)

func topicAppearsLater(t *testing.T, l *lab) {
	r := l.start()
	p := untilReported(t, l, r, "missing")
	if !strings.Contains(p.What, l.topic) || !strings.Contains(p.Remedy, "create it") {
		t.Errorf("problem %+v names neither topic nor remedy", p)
	}
	l.createTopic(2)
	produced := l.produce(1, numbered("a", 40)...)
	l.sink.untilLanded(t, 40)
	l.settled()
	l.sink.exactly(t, produced)
	l.ready(r)
	if n := strings.Count(l.log.String(), "does not exist"); n != 1 {
		t.Errorf("%d lines say that the topic is missing", n)
	}
}

func addedPartitionsAreRead(t *testing.T, l *lab) {
	r := l.start()
	l.ready(r)
	req := kmsg.NewPtrCreatePartitionsRequest()
	topic := kmsg.NewCreatePartitionsRequestTopic()
	topic.Topic, topic.Count = l.topic, 3
	req.Topics, req.TimeoutMillis = append(req.Topics, topic), 5000
	l.eventually("adding partitions", func(ctx context.Context) error {
		res, err := req.RequestWith(ctx, l.kafka)
		if err == nil && res.Topics[0].ErrorCode != 0 {
			err = fmt.Errorf("code %d", res.Topics[0].ErrorCode)
		}
		return err
	})
	l.eventually("owning the new partitions", func(context.Context) error {
		if len(r.Status().Partitions) != 3 {
			return errors.New("not owned")
		}
		return nil
	})
	l.kafka.PurgeTopicsFromClient(l.topic) // forget that there was one
	produced := l.produce(2, numbered("a", 40)...)
	l.sink.untilLanded(t, 40)
	l.sink.exactly(t, produced)
}

// lostOffsets returns what the sink was told is lost.
func lostOffsets(l *lab) []string {
	l.sink.mu.Lock()
	defer l.sink.mu.Unlock()
	var out []string
	for _, x := range l.sink.losses {
		out = append(out, fmt.Sprintf("%s epoch %d partition %d: %d to %d", x.cause, x.span.Epoch, x.span.Partition, x.span.First, x.span.Last))
	}
	slices.Sort(out)
	return out
}

func retentionWhileStopped(t *testing.T, l *lab) {
	first := l.start()
	produced := l.produce(0, numbered("a", 100)...)
	l.sink.untilLanded(t, 100)
	l.settled()
	first.stop()
	later := l.produce(0, numbered("b", 200)...)
	l.expire(0, 250)
	second := l.start()
	l.sink.untilLanded(t, 150)
	l.settled()
	l.sink.exactly(t, append(produced, later[150:]...))
	if got, want := lostOffsets(l), []string{"retention epoch 0 partition 0: 100 to 249"}; !slices.Equal(got, want) {
		t.Errorf("losses %q, want %q", got, want)
	}
	if n := second.counter(t, "headway_records_lost_total", "cause=retention"); n != 150 {
		t.Errorf("%v lost records counted, want 150", n)
	}
	if !strings.Contains(l.log.String(), "100 to 249") {
		t.Error("the log does not say what was lost")
	}
}

func retentionWhileRunning(t *testing.T, l *lab) {
	block := make(chan struct{})
	l.sink.hooks(func(ctx context.Context, _ landCall) error {
		select {
		case <-block:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}, nil)
	r := l.start(func(c *Config) { c.MemoryBytes = 1 }) // so that one fetch is read ahead and no more
	first := l.produce(0, numbered("a", 50)...)
	l.sink.until(t, "landing under way", func() bool { return l.sink.busy == 1 })
	late := l.produce(0, numbered("b", 200)...)
	l.expire(0, 150)
	close(block)
	l.sink.untilLanded(t, 150)
	l.settled()
	if n := r.counter(t, "headway_records_lost_total", "cause=retention"); n != 100 {
		t.Errorf("%v lost records counted, want 100", n)
	}
	l.sink.exactly(t, append(first, late[100:]...))
	if got, want := lostOffsets(l), []string{"retention epoch 0 partition 0: 50 to 149"}; !slices.Equal(got, want) {
		t.Errorf("losses %q, want %q", got, want)
	}
}

// epoch gives origins another epoch.
func epoch(n uint32, origins []schema.Origin) []schema.Origin {
	out := slices.Clone(origins)
	for i := range out {
		out[i].Epoch = n
	}
	return out
}

func topicRecreatedWhileStopped(t *testing.T, l *lab) {
	first := l.start()
	old := append(l.produce(0, numbered("a", 100)...), l.produce(1, numbered("b", 40)...)...)
	l.sink.untilLanded(t, 140)
	first.stop()
	l.deleteTopic()
	l.createTopic(2)
	fresh := append(l.produce(0, numbered("c", 30)...), l.produce(1, numbered("d", 20)...)...)
	l.start()
	l.sink.untilLanded(t, 190)
	l.settled()
	l.sink.exactly(t, append(old, epoch(1, fresh)...))
	if !strings.Contains(l.log.String(), "re-created") {
		t.Error("the log does not say that the topic was re-created")
	}
}

// longerTopicRecreatedWhileStopped: offsets alone can't tell, the messages do.
func longerTopicRecreatedWhileStopped(t *testing.T, l *lab) {
	first := l.start()
	old := l.produce(0, numbered("a", 50)...)
	l.sink.untilLanded(t, 50)
	first.stop()
	l.deleteTopic()
	l.createTopic(1)
	payloads := numbered("c", 120)
	for i := range payloads { // other times, too
		payloads[i] = strings.Replace(payloads[i], `Z"`, `+00:30"`, 1)
	}
	fresh := l.produce(0, payloads...)
	second := l.start()
	l.sink.untilLanded(t, 170)
	l.settled()
	l.sink.exactly(t, append(old, epoch(1, fresh)...))
	// Once known, it stays known.
	second.stop()
	l.start()
	more := l.produce(0, numbered("e", 10)...)
	l.sink.untilLanded(t, 180)
	l.sink.exactly(t, slices.Concat(old, epoch(1, fresh), epoch(1, more)))
}

func topicRecreatedWhileRunning(t *testing.T, l *lab) {
	r := l.start()
	old := l.produce(0, numbered("a", 100)...)
	l.sink.untilLanded(t, 100)
	l.settled()
	l.deleteTopic()
	untilReported(t, l, r, "missing")
	l.createTopic(1)
	fresh := l.produce(0, numbered("c", 30)...)
	l.sink.untilLanded(t, 130)
	l.sink.exactly(t, append(old, epoch(1, fresh)...))
	l.ready(r)
}
