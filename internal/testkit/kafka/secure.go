package kafka

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"headway/internal/testkit/authority"
)

// The listeners of Secure.
const (
	ListenerTLS        = "TLS"        // TLS, no user
	ListenerClientCert = "CLIENTCERT" // TLS, client certificate required
	ListenerUser       = "USER"       // a user, no TLS
	ListenerTLSUser    = "TLSUSER"    // both
)

// Mechanisms are those that the listeners with users offer.
var Mechanisms = []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"}

// Secure returns the options of a broker with protected listeners beside the
// open one, whose client (User:ANONYMOUS) may do everything. So may whoever
// has a client certificate that ca signed for trusted. Users with PLAIN
// passwords may do what ACLs allow; AddUser gives them SCRAM.
func Secure(t testing.TB, ca *authority.Authority, trusted string, users map[string]string) Options {
	t.Helper()
	server := ca.Sign(t, "broker.test")
	plain := "org.apache.kafka.common.security.plain.PlainLoginModule required"
	for name, password := range users {
		plain += fmt.Sprintf(" user_%s=%q", name, password)
	}
	o := Options{
		Listeners: map[string]string{ListenerTLS: "SSL", ListenerClientCert: "SSL", ListenerUser: "SASL_PLAINTEXT", ListenerTLSUser: "SASL_SSL"},
		Properties: map[string]string{
			"authorizer.class.name":       "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
			"super.users":                 "User:ANONYMOUS;User:CN=" + trusted,
			"sasl.enabled.mechanisms":     strings.Join(Mechanisms, ","),
			"auto.create.topics.enable":   "false",
			"ssl.keystore.type":           "PEM",
			"ssl.keystore.key":            oneLine(server.Key),
			"ssl.truststore.type":         "PEM",
			"ssl.truststore.certificates": oneLine(ca.PEM()),

			"ssl.keystore.certificate.chain":                                            oneLine(server.Cert),
			"listener.name." + strings.ToLower(ListenerClientCert) + ".ssl.client.auth": "required",
		},
	}
	for _, l := range []string{ListenerUser, ListenerTLSUser} {
		prefix := "listener.name." + strings.ToLower(l) + "."
		o.Properties[prefix+"plain.sasl.jaas.config"] = plain + ";"
		for _, m := range Mechanisms[1:] {
			o.Properties[prefix+strings.ToLower(m)+".sasl.jaas.config"] = "org.apache.kafka.common.security.scram.ScramLoginModule required;"
		}
	}
	return o
}

// oneLine writes PEM as a value of server.properties.
func oneLine(pem []byte) string { return strings.ReplaceAll(string(pem), "\n", `\n`) }

// AddUser gives a user a SCRAM password, for both mechanisms.
func (b *Broker) AddUser(t testing.TB, name, password string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	client, err := kgo.NewClient(kgo.SeedBrokers(b.Addr()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	// A request may name a user once.
	for _, m := range []kadm.ScramMechanism{kadm.ScramSha256, kadm.ScramSha512} {
		res, err := kadm.NewClient(client).AlterUserSCRAMs(ctx, nil, []kadm.UpsertSCRAM{{User: name, Mechanism: m, Iterations: 4096, Password: password}})
		if err != nil {
			t.Fatal(err)
		}
		if err := res.Error(); err != nil {
			t.Fatal(err)
		}
	}
}
