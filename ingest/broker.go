package ingest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	kafka "github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
)

// requestLimit bounds one request, so that a frozen broker holds up nothing
// for longer.
const requestLimit = 10 * time.Second

// broker makes the requests that ingestion needs of a Kafka cluster. It is
// safe for concurrent use.
type broker struct {
	addr      net.Addr
	transport *kafka.Transport
	client    *kafka.Client
	group     string
	topics    []string
}

// newBroker connects lazily. ttl is how old knowledge of topics and leaders
// may get.
func newBroker(brokers []string, safe Security, group string, topics []string, ttl time.Duration) *broker {
	addr := kafka.TCP(brokers...)
	t := safe.transport(topics, ttl)
	return &broker{addr: addr, transport: t, group: group, topics: topics,
		client: &kafka.Client{Addr: addr, Transport: t}}
}

func (b *broker) close() { b.transport.CloseIdleConnections() }

// partitions returns how many partitions each topic has; topics that do not
// exist are left out, and so are those that the user must not see, for which
// refused has the broker's answer. It never creates a topic. Answers are up to
// ttl old, and an unreachable cluster that was once reached goes unnoticed.
func (b *broker) partitions(ctx context.Context) (found map[string]int, refused map[string]error, err error) {
	ctx, cancel := context.WithTimeout(ctx, requestLimit)
	defer cancel()
	m, err := b.client.Metadata(ctx, &kafka.MetadataRequest{Topics: b.topics})
	if err != nil {
		return nil, nil, fmt.Errorf("looking up topics %s: %w", strings.Join(b.topics, ", "), err)
	}
	found, refused = map[string]int{}, map[string]error{}
	for _, t := range m.Topics {
		switch {
		case errors.Is(t.Error, kafka.UnknownTopicOrPartition):
		case errors.Is(t.Error, kafka.TopicAuthorizationFailed):
			refused[t.Name] = fmt.Errorf("looking up topic %s: %w", t.Name, t.Error)
		case t.Error != nil:
			return nil, nil, fmt.Errorf("looking up topic %s: %w", t.Name, t.Error)
		default:
			found[t.Name] = len(t.Partitions)
		}
	}
	return found, refused, nil
}

// bounds returns the first offset of a partition's log and the one after its
// last.
func (b *broker) bounds(ctx context.Context, p place) (start, end int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, requestLimit)
	defer cancel()
	res, err := b.client.ListOffsets(ctx, &kafka.ListOffsetsRequest{Topics: map[string][]kafka.OffsetRequest{
		p.topic: {kafka.FirstOffsetOf(int(p.partition)), kafka.LastOffsetOf(int(p.partition))}}})
	if err != nil {
		return 0, 0, fmt.Errorf("asking for the bounds of %s: %w", p, err)
	}
	for _, o := range res.Topics[p.topic] {
		if o.Partition != int(p.partition) {
			continue
		}
		// Where a request did not come through, kafka-go gives offset 0 beside
		// the error.
		if o.Error != nil || o.FirstOffset < 0 || o.LastOffset < 0 {
			return 0, 0, fmt.Errorf("asking for the bounds of %s: %w", p, errors.Join(o.Error, errNoAnswer))
		}
		return o.FirstOffset, o.LastOffset, nil
	}
	return 0, 0, fmt.Errorf("asking for the bounds of %s: %w", p, errNoAnswer)
}

var errNoAnswer = errors.New("the broker's answer lacks the partition")

// committed returns the group's offset, -1 where it has none, and its
// metadata.
func (b *broker) committed(ctx context.Context, p place) (offset int64, metadata string, err error) {
	ctx, cancel := context.WithTimeout(ctx, requestLimit)
	defer cancel()
	res, err := b.client.OffsetFetch(ctx, &kafka.OffsetFetchRequest{GroupID: b.group,
		Topics: map[string][]int{p.topic: {int(p.partition)}}})
	if err != nil {
		return 0, "", fmt.Errorf("reading the committed offset of %s: %w", p, err)
	}
	if res.Error != nil {
		return 0, "", fmt.Errorf("reading the committed offset of %s: %w", p, res.Error)
	}
	for _, o := range res.Topics[p.topic] {
		if o.Partition != int(p.partition) {
			continue
		}
		if o.Error != nil {
			return 0, "", fmt.Errorf("reading the committed offset of %s: %w", p, o.Error)
		}
		return o.CommittedOffset, o.Metadata, nil
	}
	return 0, "", fmt.Errorf("reading the committed offset of %s: %w", p, errNoAnswer)
}

// member is a generation's proof of ownership: the coordinator refuses commits
// of a generation that has passed.
type member struct {
	generation int
	id         string
}

// commit stores offset and note as m. errFenced is in the error's chain where
// m no longer owns the partition.
func (b *broker) commit(ctx context.Context, m member, p place, offset int64, n note) error {
	ctx, cancel := context.WithTimeout(ctx, requestLimit)
	defer cancel()
	res, err := b.client.OffsetCommit(ctx, &kafka.OffsetCommitRequest{
		GroupID: b.group, GenerationID: m.generation, MemberID: m.id,
		Topics: map[string][]kafka.OffsetCommit{p.topic: {{Partition: int(p.partition), Offset: offset, Metadata: n.String()}}},
	})
	if err == nil {
		err = errNoAnswer
		for _, o := range res.Topics[p.topic] {
			if o.Partition == int(p.partition) {
				err = o.Error
			}
		}
	}
	switch {
	case err == nil:
		return nil
	case isFence(err):
		err = errors.Join(errFenced, err)
	}
	return fmt.Errorf("committing offset %d of %s: %w", offset, p, err)
}

var errFenced = errors.New("this member no longer owns the partition")

func isFence(err error) bool {
	for _, e := range [...]kafka.Error{kafka.IllegalGeneration, kafka.UnknownMemberId, kafka.RebalanceInProgress, kafka.FencedInstanceID} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// isMissing reports whether the topic or partition does not exist, as far as
// the cluster or kafka-go's picture of it says.
func isMissing(err error) bool {
	return errors.Is(err, kafka.UnknownTopicOrPartition) || errors.Is(err, protocol.ErrNoTopic) || errors.Is(err, protocol.ErrNoPartition)
}
