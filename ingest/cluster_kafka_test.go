//go:build kafka

package ingest

import (
	"context"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"headway/internal/testkit/authority"
	"headway/internal/testkit/kafka"
)

// startCluster returns the address of an Apache Kafka broker for the suite.
func startCluster(t *testing.T) string {
	t.Helper()
	return kafka.Start(t, kafka.Options{Properties: map[string]string{
		"message.max.bytes": "33554432", "auto.create.topics.enable": "false",
		"delete.topic.enable": "true", "socket.request.max.bytes": "104857600"}}).Addr()
}

// startSecure returns a broker with protected ports whose certificates ca
// signs. alice may do everything, bob what ACLs allow. settings are further
// names and values of its configuration.
func startSecure(t *testing.T, ca *authority.Authority, settings ...string) secureCluster {
	t.Helper()
	users := map[string]string{"alice": alicePassword, "bob": bobPassword}
	o := kafka.Secure(t, ca, clientName, users)
	for i := 0; i+1 < len(settings); i += 2 {
		o.Properties[settings[i]] = settings[i+1]
	}
	b := kafka.Start(t, o)
	for name, password := range users {
		b.AddUser(t, name, password)
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(b.Addr()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	all := kadm.NewACLs().Topics("*").Groups("*").Clusters().Allow("User:alice").AllowHosts("*").Operations(kadm.OpAll).ResourcePatternType(kadm.ACLPatternLiteral)
	if _, err := kadm.NewClient(client).CreateACLs(ctx, all); err != nil {
		t.Fatal(err)
	}
	return func(t *testing.T, p port) (addr, admin string, opts []kgo.Opt) {
		name := map[port]string{{}: "", {tls: true}: kafka.ListenerTLS, {tls: true, cert: true}: kafka.ListenerClientCert,
			{user: true}: kafka.ListenerUser, {tls: true, user: true}: kafka.ListenerTLSUser}[p]
		if name == "" {
			return b.Addr(), b.Addr(), nil
		}
		return b.Listener(name), b.Addr(), nil
	}
}
