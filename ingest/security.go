package ingest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"time"

	kafka "github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/sasl"
	"github.com/segmentio/kafka-go/sasl/plain"
	"github.com/segmentio/kafka-go/sasl/scram"
)

// Security says how connections to Kafka are protected. The zero value is
// plain text without a user. Files and password are read anew for each
// connection, so that they can be replaced while the process runs.
type Security struct {
	TLS        bool
	CAFile     string // PEM; empty for the system's authorities
	CertFile   string // PEM of the client's certificate and its chain; empty for none
	KeyFile    string // PEM of its key
	ServerName string // name that brokers' certificates must carry; empty for the broker's own

	Mechanism string // PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512; empty for no user
	Username  string
	// Password returns the user's password. Its errors name the remedy.
	Password func() (string, error)
}

// Mechanisms of Security.
const (
	mechanismPlain  = "PLAIN"
	mechanismSCRAM2 = "SCRAM-SHA-256"
	mechanismSCRAM5 = "SCRAM-SHA-512"
)

// Check returns what is wrong with the settings, the files they name and the
// password's source. It connects to nothing.
func (s Security) Check() error {
	var errs []error
	if _, err := s.config(""); err != nil {
		errs = append(errs, err)
	}
	if !s.TLS && (s.CAFile != "" || s.CertFile != "" || s.KeyFile != "" || s.ServerName != "") {
		errs = append(errs, errors.New("files or a server name for TLS without TLS: set kafka.tls.enabled, or leave them out"))
	}
	if s.Mechanism == "" {
		if s.Username != "" {
			errs = append(errs, errors.New("a Kafka user without a mechanism: set kafka.sasl.mechanism to PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512"))
		}
		return errors.Join(errs...)
	}
	if _, err := s.client(); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// credentialError is a file or a password that can't be used.
type credentialError struct{ cause error }

func (e *credentialError) Error() string { return e.cause.Error() }
func (e *credentialError) Unwrap() error { return e.cause }

func badCredential(format string, args ...any) error {
	return &credentialError{fmt.Errorf(format, args...)}
}

// config reads the files and returns the TLS settings for a broker, nil
// without TLS.
func (s Security) config(host string) (*tls.Config, error) {
	if !s.TLS {
		return nil, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: s.ServerName}
	if c.ServerName == "" {
		c.ServerName = host
	}
	if s.CAFile != "" {
		raw, err := os.ReadFile(s.CAFile)
		if err != nil {
			return nil, badCredential("reading Kafka's authorities: %w; correct kafka.tls.ca_file", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(raw) {
			return nil, badCredential("%s holds no certificate in PEM: correct kafka.tls.ca_file", s.CAFile)
		}
	}
	switch {
	case s.CertFile == "" && s.KeyFile == "":
		return c, nil
	case s.CertFile == "" || s.KeyFile == "":
		return nil, badCredential("a client certificate needs both kafka.tls.cert_file and kafka.tls.key_file: give both, or neither")
	}
	pair, err := tls.LoadX509KeyPair(s.CertFile, s.KeyFile)
	if err != nil {
		return nil, badCredential("reading the client certificate for Kafka: %w; correct kafka.tls.cert_file and kafka.tls.key_file", err)
	}
	c.Certificates = []tls.Certificate{pair}
	return c, nil
}

// client reads the password and returns kafka-go's side of the mechanism.
func (s Security) client() (sasl.Mechanism, error) {
	if s.Username == "" || s.Password == nil {
		return nil, badCredential("%s needs a user and a password: set kafka.sasl.username, and HEADWAY_KAFKA_PASSWORD or kafka.sasl.password_file", s.Mechanism)
	}
	password, err := s.Password()
	switch {
	case err != nil:
		return nil, &credentialError{err}
	case password == "":
		return nil, badCredential("the password of Kafka user %s is empty: set HEADWAY_KAFKA_PASSWORD or kafka.sasl.password_file", s.Username)
	}
	switch s.Mechanism {
	case mechanismPlain:
		return plain.Mechanism{Username: s.Username, Password: password}, nil
	case mechanismSCRAM2, mechanismSCRAM5:
		algorithm := scram.SHA256
		if s.Mechanism == mechanismSCRAM5 {
			algorithm = scram.SHA512
		}
		m, err := scram.Mechanism(algorithm, s.Username, password)
		if err != nil {
			// The cause may quote what it can't prepare.
			return nil, badCredential("user or password hold characters that %s can't carry (control characters, unassigned code points): choose others", s.Mechanism)
		}
		return m, nil
	}
	return nil, badCredential("kafka.sasl.mechanism %q: use PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512", s.Mechanism)
}

// transport returns what requests for the topics go through; they are named so
// that the metadata of a large cluster stays small.
func (s Security) transport(topics []string, ttl time.Duration) *kafka.Transport {
	return &kafka.Transport{MetadataTopics: topics, MetadataTTL: ttl, ClientID: "headway", Dial: s.dial(dialTCP), SASL: s.mechanism()}
}

// mechanism returns what kafka-go starts for each connection, nil without a
// user.
func (s Security) mechanism() sasl.Mechanism {
	if s.Mechanism == "" {
		return nil
	}
	return login{s}
}

// login reads the password at each start.
type login struct{ security Security }

// Name is what is sent to the broker.
func (l login) Name() string { return l.security.Mechanism }

// Start begins one exchange.
func (l login) Start(ctx context.Context) (sasl.StateMachine, []byte, error) {
	m, err := l.security.client()
	if err != nil {
		return nil, nil, err
	}
	machine, first, err := m.Start(ctx)
	if err != nil {
		return nil, nil, err
	}
	return exchange{machine}, first, nil
}

// exchange makes one error of all that a broker's side of the exchange may
// get wrong: what SCRAM says of it may quote the exchange.
type exchange struct{ sasl.StateMachine }

// Next answers a challenge.
func (e exchange) Next(ctx context.Context, challenge []byte) (bool, []byte, error) {
	done, answer, err := e.StateMachine.Next(ctx, challenge)
	if err != nil {
		return false, nil, errExchange
	}
	return done, answer, nil
}

// errExchange is what is left of an exchange's error.
var errExchange = fmt.Errorf("%w: the broker's part of the exchange does not fit the password", kafka.SASLAuthenticationFailed)
