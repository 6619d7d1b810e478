//go:build kafka

package chaos

import (
	"testing"

	"headway/internal/testkit/kafka"
)

const (
	brokerName        = "Apache Kafka"
	brokerKeepsGhosts = false // whoever is silent for a session is expelled
)

// startBroker starts an Apache Kafka broker.
func startBroker(t *testing.T) broker { return kafka.Start(t, kafka.Options{}) }

// Apache Kafka is a program of its own.
func isBroker() bool  { return false }
func brokerMain() int { return 1 }
