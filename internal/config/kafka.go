package config

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"
)

// Kafka says where records arrive.
type Kafka struct {
	Brokers []string `yaml:"brokers"`
	Group   string   `yaml:"group"`
	Topics  []Topic  `yaml:"topics"`
	// UploadTopic is the topic that uploads are put on; one of Topics.
	UploadTopic string `yaml:"upload_topic"`
	// SessionTimeout is how long an ingester may be silent before its
	// partitions go to another; brokers bound it, Apache Kafka to 6s and more.
	SessionTimeout time.Duration `yaml:"session_timeout"`
	TLS            KafkaTLS      `yaml:"tls"`
	SASL           SASL          `yaml:"sasl"`
}

// Topic names a Kafka topic and the source whose adapter reads it.
type Topic struct {
	Name   string `yaml:"name"`
	Source string `yaml:"source"`
}

// KafkaTLS says how brokers and this process prove who they are. Files are
// PEM, and read again at each connection.
type KafkaTLS struct {
	Enabled    bool   `yaml:"enabled"`
	CAFile     string `yaml:"ca_file"`     // empty for the system's authorities
	CertFile   string `yaml:"cert_file"`   // client certificate; empty for none
	KeyFile    string `yaml:"key_file"`    // its key
	ServerName string `yaml:"server_name"` // name in brokers' certificates; empty for their own
}

// SASL says who this process is to Kafka. The password comes from the
// environment or a file, never from this file.
type SASL struct {
	Mechanism    string `yaml:"mechanism"` // PLAIN, SCRAM-SHA-256, SCRAM-SHA-512; empty for no user
	Username     string `yaml:"username"`
	PasswordFile string `yaml:"password_file"` // read again at each connection
	Password     string `yaml:"-"`
}

// ReadPassword returns the password: that of the environment, or else what
// the file holds now.
func (s SASL) ReadPassword() (string, error) {
	if s.Password != "" || s.PasswordFile == "" {
		return s.Password, nil
	}
	raw, err := os.ReadFile(s.PasswordFile)
	if err != nil {
		return "", fmt.Errorf("reading the Kafka password: %w; correct kafka.sasl.password_file or HEADWAY_KAFKA_PASSWORD_FILE", err)
	}
	return strings.TrimRight(string(raw), "\r\n"), nil
}

// validateSecurity checks what can be told without reading files.
func (k Kafka) validateSecurity() error {
	var errs []error
	bad := func(when bool, format string, args ...any) {
		if when {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	t, s := k.TLS, k.SASL
	bad(!t.Enabled && t != KafkaTLS{}, "kafka.tls: set enabled: true, or leave its other keys out")
	bad((t.CertFile == "") != (t.KeyFile == ""), "kafka.tls: a client certificate needs both cert_file and key_file")
	switch s.Mechanism {
	case "":
		bad(s != SASL{}, "kafka.sasl: a user or password without mechanism: use PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512")
		return errors.Join(errs...)
	case "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512":
	default:
		bad(true, "kafka.sasl.mechanism %q: use PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512", s.Mechanism)
	}
	bad(s.Username == "", "kafka.sasl.username: name the Kafka user")
	bad(s.Password == "" && s.PasswordFile == "", "kafka.sasl: give the password in HEADWAY_KAFKA_PASSWORD, or its file in kafka.sasl.password_file")
	if s.Mechanism == "PLAIN" && !t.Enabled {
		for i, b := range k.Brokers {
			bad(!isLoopback(b), "kafka.brokers[%d] %q: PLAIN without TLS would send the password in plain text; set kafka.tls.enabled, or use SCRAM-SHA-512", i, b)
		}
	}
	return errors.Join(errs...)
}

func isLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return true // refused elsewhere
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
