//go:build !kafka

package ingest

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
)

// startCluster returns the address of a broker for the suite: kfake, in this
// process. With the build tag kafka it is Apache Kafka.
func startCluster(t *testing.T) string {
	t.Helper()
	return startFake(t).ListenAddrs()[0]
}

func startFake(t *testing.T, opts ...kfake.Opt) *kfake.Cluster {
	t.Helper()
	c, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1),
		kfake.BrokerConfigs(map[string]string{"message.max.bytes": "33554432"})}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}
