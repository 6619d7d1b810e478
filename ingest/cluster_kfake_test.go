//go:build !kafka

package ingest

import (
	"crypto/tls"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"

	"headway/internal/testkit/authority"
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

// startSecure returns protected brokers whose certificates ca signs. alice may
// do everything, bob what ACLs allow.
func startSecure(t *testing.T, ca *authority.Authority) secureCluster {
	t.Helper()
	server := ca.Sign(t, "broker.test")
	pair, err := tls.X509KeyPair(server.Cert, server.Key)
	if err != nil {
		t.Fatal(err)
	}
	return func(t *testing.T, p port) (addr, admin string, opts []kgo.Opt) {
		t.Helper()
		fake := []kfake.Opt{}
		if p.tls {
			c := &tls.Config{Certificates: []tls.Certificate{pair}}
			if p.cert {
				c.ClientAuth, c.ClientCAs = tls.RequireAndVerifyClientCert, ca.Pool()
			}
			fake = append(fake, kfake.TLS(c))
			opts = append(opts, kgo.DialTLSConfig(&tls.Config{RootCAs: ca.Pool(), Certificates: []tls.Certificate{pair}}))
		}
		if p.user {
			fake = append(fake, kfake.EnableSASL(), kfake.EnableACLs(), kfake.Superuser("PLAIN", "admin", "admin"))
			for _, m := range []string{mechanismPlain, mechanismSCRAM2, mechanismSCRAM5} {
				fake = append(fake, kfake.Superuser(m, "alice", alicePassword), kfake.User(m, "bob", bobPassword))
			}
			opts = append(opts, kgo.SASL(plain.Auth{User: "admin", Pass: "admin"}.AsMechanism()))
		}
		addr = startFake(t, fake...).ListenAddrs()[0]
		return addr, addr, opts
	}
}
