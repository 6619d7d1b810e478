package main

import (
	"context"
	"time"

	"headway/ingest"
	"headway/internal/config"
	"headway/internal/verify"
	"headway/query"
	"headway/schema"
)

// verifier compares topics of a node's Kafka with its store.
type verifier struct{ n *node }

// Topics are the configured ones: the server lets nobody name others.
func (v verifier) Topics() []string {
	var out []string
	for _, t := range v.n.cfg.Kafka.Topics {
		out = append(out, t.Name)
	}
	return out
}

// Verify compares one topic; of one that is not configured, messages without
// source header count as canonical.
func (v verifier) Verify(ctx context.Context, q query.Verify) (query.Verification, error) {
	cfg := v.n.cfg.Kafka
	topic := ingest.Topic{Name: q.Topic, Source: "headway"}
	for _, t := range cfg.Topics {
		if t.Name == q.Topic {
			topic.Source = t.Source
		}
	}
	log, err := ingest.NewLogReader(cfg.Brokers, kafkaSecurity(cfg), topic, v.n.decodeConfig(), time.Now)
	if err != nil {
		return query.Verification{}, err
	}
	out, err := verify.Run(ctx, topicLog{log, cfg, q.Topic}, v.n.store, q, cfg.Group)
	out.Brokers = cfg.Brokers
	if closed := log.Close(); err == nil {
		err = closed
	}
	return out, err
}

// topicLog lends ingest's view of the log to the comparison.
type topicLog struct {
	*ingest.LogReader
	kafka config.Kafka
	topic string
}

func (l topicLog) Partitions(ctx context.Context) ([]verify.Partition, error) {
	parts, err := ingest.Offsets(ctx, l.kafka.Brokers, kafkaSecurity(l.kafka), l.kafka.Group, l.topic)
	out := make([]verify.Partition, len(parts))
	for i, p := range parts {
		out[i] = verify.Partition{Partition: p.Partition, Epoch: p.Epoch, Start: p.Start, End: p.End, Committed: p.Committed, Landing: p.Landing}
	}
	return out, err
}

func (l topicLog) Messages(ctx context.Context, gaps []schema.Range, visit func(verify.Message)) (int64, error) {
	return l.LogReader.Messages(ctx, gaps, func(m ingest.Unstored) {
		visit(verify.Message(m))
	})
}
