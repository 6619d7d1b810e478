package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	kafka "github.com/segmentio/kafka-go"

	"headway/schema"
)

// Producer puts canonical records on a topic. It is safe for concurrent use.
type Producer struct {
	writer    *kafka.Writer
	transport *kafka.Transport
}

// produceAttempts bounds how often a batch that met a passing fault (a leader
// that moved, a connection that broke) is sent. A broker that can't be
// reached at all is reported at once.
const produceAttempts = 5

// NewProducer returns a Producer for a topic, which must exist by the time of
// the first Produce. It connects to nothing.
func NewProducer(brokers []string, safe Security, topic string) (*Producer, error) {
	switch {
	case len(brokers) == 0:
		return nil, errors.New("no Kafka broker to send records to: give host:port of at least one")
	case topic == "":
		return nil, errors.New("no topic to send records to: name one")
	}
	if err := safe.Check(); err != nil {
		return nil, err
	}
	t := safe.transport([]string{topic}, 2*time.Second)
	return &Producer{transport: t, writer: &kafka.Writer{
		Addr: kafka.TCP(brokers...), Topic: topic, Transport: t,
		// The same hash as Java's producer, so that a request's attempts meet
		// in one partition whoever sends them.
		Balancer:     kafka.Murmur2Balancer{Consistent: true},
		RequiredAcks: kafka.RequireAll, Compression: kafka.Zstd,
		BatchSize: 10_000, BatchBytes: 1_000_000, BatchTimeout: 5 * time.Millisecond,
		MaxAttempts: produceAttempts, WriteBackoffMin: 100 * time.Millisecond, WriteBackoffMax: time.Second,
	}}, nil
}

// Produce writes records, each the canonical JSON of one (schema.AppendJSON),
// and returns nil only when every replica that is in sync has all of them.
// After an error some of them may be on the topic; to send them again flags
// what arrives twice as a duplicate.
func (p *Producer) Produce(ctx context.Context, records [][]byte) error {
	if len(records) == 0 {
		return nil
	}
	header := []kafka.Header{{Key: SourceHeader, Value: []byte("headway")}}
	msgs := make([]kafka.Message, len(records))
	for i, r := range records {
		msgs[i] = kafka.Message{Key: requestID(r), Value: r, Headers: header}
	}
	err := p.writer.WriteMessages(ctx, msgs...)
	if err == nil {
		return nil
	}
	failed, cause := firstCause(err, len(records))
	return fmt.Errorf("sending %d of %d records to topic %s on %s: %w%s", failed, len(records), p.writer.Topic, p.writer.Addr, cause, produceRemedy(cause))
}

// requestID returns the id in canonical JSON as it is written there: good
// enough to partition by.
func requestID(record []byte) []byte {
	_, rest, found := bytes.Cut(record, []byte(`"request_id":"`))
	if !found {
		return nil
	}
	id, _, _ := bytes.Cut(rest, []byte{'"'})
	return id[:min(len(id), schema.MaxID)]
}

// firstCause takes kafka-go's error for each message apart.
func firstCause(err error, n int) (failed int, cause error) {
	var each kafka.WriteErrors
	if !errors.As(err, &each) {
		return n, err
	}
	for _, e := range each {
		if e != nil {
			failed++
			if cause == nil {
				cause = e
			}
		}
	}
	return failed, cause
}

func produceRemedy(cause error) string {
	var tooLarge kafka.MessageTooLargeError
	if class, remedy := refusal(cause); class != "" {
		return "; " + remedy
	}
	switch {
	case isMissing(cause):
		return "; create the topic first"
	case errors.As(cause, &tooLarge), errors.Is(cause, kafka.MessageSizeTooLarge):
		return "; one record is larger than the broker takes: raise message.max.bytes, or leave it out"
	case errors.Is(cause, context.Canceled), errors.Is(cause, context.DeadlineExceeded):
		return "; it may be sent again"
	case strings.Contains(cause.Error(), "connection refused"), strings.Contains(cause.Error(), "no such host"):
		return "; no broker listens there: start it, or correct the address"
	}
	return "; check the brokers, then send again"
}

// Close sends what is on its way and closes the connections.
func (p *Producer) Close() error {
	err := p.writer.Close()
	p.transport.CloseIdleConnections()
	if err != nil {
		return fmt.Errorf("closing the producer of topic %s: %w", p.writer.Topic, err)
	}
	return nil
}
