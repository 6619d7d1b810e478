package ingest

import (
	"crypto/tls"
	"errors"
	"net"

	kafka "github.com/segmentio/kafka-go"
)

// kafkaFault says what kind of trouble with Kafka an error is, and what a
// person can do. None of it is a reason to give up: all is asked again.
func kafkaFault(err error) (class, remedy string) {
	if class, remedy = refusal(err); class != "" {
		return class, remedy + "; reading goes on by itself"
	}
	return "unreachable", kafkaRemedy
}

const kafkaRemedy = "check kafka.brokers and that the cluster is up; reading goes on by itself"

// refusal is kafkaFault for what an operator must mend: settings, files,
// certificates, passwords and permissions. class is empty for all else.
func refusal(err error) (class, remedy string) {
	var credential *credentialError
	switch {
	case errors.As(err, &credential):
		return "credentials", "the files are read again at each connection" // the error names its remedy
	case errors.Is(err, errPlainText):
		return "plain_text", "set kafka.tls.enabled, or use SCRAM-SHA-512"
	}
	if class, remedy = connectionRefusal(err); class != "" {
		return class, remedy
	}
	for _, r := range refusals {
		if errors.Is(err, r.code) {
			return r.class, r.remedy
		}
	}
	return "", ""
}

// connectionRefusal tells apart why no protected connection comes about.
func connectionRefusal(err error) (class, remedy string) {
	var hangUp *hangUpError
	var untrusted *tls.CertificateVerificationError
	var alert *net.OpError // crypto/tls gives what the other side says no type of its own
	var handshake *handshakeError
	switch {
	case errors.As(err, &hangUp):
		switch hangUp.as {
		case hangUpTLS:
			return "tls_expected", "if the port is for TLS, set kafka.tls.enabled; else check that the broker is up"
		case hangUpUser:
			return "user_expected", "if the port is for users, set kafka.sasl.mechanism, username and password; else check that the broker is up"
		}
		return classAuthentication, remedyPassword
	case errors.As(err, &untrusted):
		return "certificate", "set kafka.tls.ca_file to the authority that signed the broker's certificate, or kafka.tls.server_name to a name in it"
	case errors.As(err, &alert) && alert.Op == "remote error":
		return "client_certificate", "the broker refused this side's certificate or protocol: set kafka.tls.cert_file and key_file to a certificate that it trusts"
	case errors.As(err, &handshake):
		return "tls", "check that the port of kafka.brokers is for TLS; else switch kafka.tls.enabled off or name the right port"
	}
	return "", ""
}

const (
	classAuthentication = "authentication"
	remedyPassword      = "correct kafka.sasl.username or its password; a changed kafka.sasl.password_file is read at the next connection, a changed HEADWAY_KAFKA_PASSWORD needs a restart"
)

var refusals = [...]struct {
	code          kafka.Error
	class, remedy string
}{
	{kafka.SASLAuthenticationFailed, classAuthentication, remedyPassword},
	{kafka.UnsupportedSASLMechanism, "mechanism", "the broker does not offer kafka.sasl.mechanism on this port: choose one that it does, or enable it there"},
	{kafka.IllegalSASLState, "mechanism", "the port of kafka.brokers is not for users: name the right port, or leave kafka.sasl out"},
	{kafka.TopicAuthorizationFailed, "topic_authorization", "allow the Kafka user Read and Describe on the topic (Write and Describe to send records)"},
	{kafka.GroupAuthorizationFailed, "group_authorization", "allow the Kafka user Read and Describe on the group kafka.group"},
	{kafka.ClusterAuthorizationFailed, "cluster_authorization", "allow the Kafka user what the broker's log says it asked for"},
}
