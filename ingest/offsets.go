package ingest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	kafka "github.com/segmentio/kafka-go"
)

// PartitionOffsets tells where one partition and its consumer group stand.
type PartitionOffsets struct {
	Topic      string
	Partition  int32
	Start, End int64 // the log holds offsets Start to End-1
	Committed  int64 // offset the group goes on at; -1 where it has none
	Epoch      uint32
	// Landing is true where the group was landing offsets Committed to
	// LandingLast when asked.
	Landing     bool
	LandingLast int64
}

// Lag is the number of offsets that the group has not landed. Without a
// commit that is the whole log.
func (p PartitionOffsets) Lag() int64 {
	return p.End - min(max(p.Committed, p.Start), p.End)
}

// Offsets returns where every partition of a topic stands, by partition. Its
// errors tell an unreachable broker from a missing topic.
func Offsets(ctx context.Context, brokers []string, safe Security, group, topic string) ([]PartitionOffsets, error) {
	if err := safe.Check(); err != nil {
		return nil, err
	}
	b := newBroker(brokers, safe, group, []string{topic}, time.Second)
	defer b.close()
	found, refused, err := b.partitions(ctx)
	if err != nil {
		return nil, withRemedy(err, "check that a broker listens on "+strings.Join(brokers, ", "))
	}
	n, ok := found[topic]
	switch {
	case refused[topic] != nil:
		return nil, withRemedy(refused[topic], "")
	case !ok:
		return nil, fmt.Errorf("topic %s does not exist on %s: %w", topic, strings.Join(brokers, ", "), ErrNoTopic)
	}
	out := make([]PartitionOffsets, n)
	for i := range out {
		if out[i], err = b.patientOffsets(ctx, place{topic: topic, partition: int32(i)}); err != nil {
			return nil, withRemedy(err, "check the brokers, then ask again")
		}
	}
	return out, nil
}

// withRemedy adds what mends a refusal, or else what is given.
func withRemedy(err error, other string) error {
	if class, remedy := refusal(err); class != "" {
		other = remedy
	}
	return fmt.Errorf("%w; %s", err, other)
}

// offsetsPatience is how long a coordinator gets to load, as it must after a
// start and at a group's first use.
const offsetsPatience = 5 * time.Second

func (b *broker) patientOffsets(ctx context.Context, p place) (PartitionOffsets, error) {
	patience, cancel := context.WithTimeout(ctx, offsetsPatience)
	defer cancel()
	for {
		o, err := b.offsets(ctx, p)
		var said kafka.Error
		if !errors.As(err, &said) || !said.Temporary() || pause(patience, 100*time.Millisecond) != nil {
			return o, err
		}
	}
}

// ErrNoTopic is returned for a topic that does not exist.
var ErrNoTopic = errors.New("create it, or correct kafka.topics")

func (b *broker) offsets(ctx context.Context, p place) (PartitionOffsets, error) {
	o := PartitionOffsets{Topic: p.topic, Partition: p.partition}
	var err error
	if o.Start, o.End, err = b.bounds(ctx, p); err != nil {
		return o, err
	}
	var metadata string
	o.Committed, metadata, err = b.committed(ctx, p)
	switch {
	case errors.Is(err, kafka.GroupIdNotFound): // nobody has joined it yet: nothing is committed
		o.Committed = -1
	case err != nil:
		return o, err
	}
	if n, ok := parseNote(metadata); ok {
		o.Epoch, o.Landing, o.LandingLast = n.epoch, n.intent, n.last
	}
	return o, nil
}
