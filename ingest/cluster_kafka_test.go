//go:build kafka

package ingest

import (
	"testing"

	"headway/internal/testkit/kafka"
)

// startCluster returns the address of an Apache Kafka broker for the suite.
func startCluster(t *testing.T) string {
	t.Helper()
	return kafka.Start(t, kafka.Options{Properties: map[string]string{
		"message.max.bytes": "33554432", "auto.create.topics.enable": "false",
		"delete.topic.enable": "true", "socket.request.max.bytes": "104857600"}}).Addr()
}
