package main

import (
	"headway/internal/testkit/kafka"
)

// startKafka starts one Apache Kafka node; it needs Java and the jars of
// scripts/setup kafka.
func startKafka(dir string) (place, func() error, error) {
	b, err := kafka.New(dir, kafka.Options{})
	if err != nil {
		return place{}, nil, err
	}
	if err := b.Restart(); err != nil {
		return place{}, nil, err
	}
	return place{PIDs: []int{b.PID()}, Addr: b.Addr(), Version: "Apache Kafka, one node"}, b.Stop, nil
}
