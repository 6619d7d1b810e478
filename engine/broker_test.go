package engine_test

import (
	"net"
	"testing"

	"headway/engine"
)

func TestBrokerAcceptsConnections(t *testing.T) {
	t.Parallel()
	b, err := engine.StartBroker(t.Context(), engine.BrokerOptions{DataDir: t.TempDir(), Topics: []engine.Topic{{Name: "a", Partitions: 3}}})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	c, err := net.Dial("tcp", b.Addr())
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}
