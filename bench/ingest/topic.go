package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"

	kafka "github.com/segmentio/kafka-go"
)

// fill makes a topic with the records of `headway gen`: an hour of a fleet,
// the same for every peer.
func fill(ctx context.Context, s settings, broker, topic string, partitions int) error {
	client := &kafka.Client{Addr: kafka.TCP(broker)}
	answer, err := client.CreateTopics(ctx, &kafka.CreateTopicsRequest{
		Topics: []kafka.TopicConfig{{Topic: topic, NumPartitions: partitions, ReplicationFactor: 1}}})
	if err != nil {
		return fmt.Errorf("creating topic %s on %s: %w", topic, broker, err)
	}
	if err := answer.Errors[topic]; err != nil {
		return fmt.Errorf("creating topic %s on %s: %w", topic, broker, err)
	}
	cmd := exec.CommandContext(ctx, s.headway, "gen", "--records", fmt.Sprint(s.records), "--seed", "1",
		"--out", "kafka://"+broker+"/"+topic)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", cmd, err)
	}
	return nil
}

// meanSize is the mean size of the records that gen makes, in bytes.
func meanSize(ctx context.Context, s settings) (int, error) {
	const n = 20_000
	out, err := exec.CommandContext(ctx, s.headway, "gen", "--records", fmt.Sprint(n), "--seed", "1").Output()
	if err != nil {
		return 0, fmt.Errorf("headway gen: %w", err)
	}
	return len(out)/n - 1, nil // without the line end
}

// brokerPlace starts a broker of a kind.
func brokerPlace(kind, dir string) (place, func() error, error) {
	if kind == brokerKafka {
		return startKafka(dir)
	}
	h, err := startRole(roleBroker)
	if err != nil {
		return place{}, nil, err
	}
	if _, _, err := net.SplitHostPort(h.Addr); err != nil {
		return place{}, nil, err
	}
	return h.place, h.stop, nil
}
