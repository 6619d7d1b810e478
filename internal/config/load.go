package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
)

// Load returns the defaults, overridden by the YAML file at path (none where
// path is empty) and then by environment variables. Unknown keys are errors
// that name line and key.
func Load(path string, getenv func(string) string) (Config, error) {
	c, err := load(path, getenv)
	if err != nil {
		return c, err
	}
	return c, c.Validate()
}

func load(path string, getenv func(string) string) (Config, error) {
	c := Default()
	if path != "" {
		raw, err := os.ReadFile(path)
		if err != nil {
			return c, fmt.Errorf("reading the configuration: %w; name an existing file with --config", err)
		}
		if err := decode(raw, &c); err != nil {
			return c, fmt.Errorf("configuration %s: %w", path, err)
		}
	}
	return c, fromEnvironment(&c, getenv)
}

// LoadKafka is Load for a command that talks to another broker than the
// configured ones, with their TLS and user.
func LoadKafka(path string, getenv func(string) string, broker string) (Kafka, error) {
	c, err := load(path, getenv)
	if err != nil {
		return c.Kafka, err
	}
	c.Kafka.Brokers = []string{broker}
	return c.Kafka, c.Kafka.validateSecurity()
}

func decode(raw []byte, c *Config) error {
	err := yaml.NewDecoder(bytes.NewReader(raw), yaml.Strict()).Decode(c)
	if err == nil || errors.Is(err, io.EOF) {
		return nil
	}
	// Without the lines of the file: a password may stand there by mistake.
	return errors.New(strings.TrimSpace(yaml.FormatError(err, false, false)))
}

// Environment lists the variables that Load reads, with what each sets.
func Environment() [][2]string {
	return [][2]string{
		{"HEADWAY_LISTEN", "HTTP address, host:port"},
		{"HEADWAY_DATA_DIR", "folder of the embedded engines"},
		{"HEADWAY_CLICKHOUSE_ADDR", "ClickHouse native address, host:port"},
		{"HEADWAY_CLICKHOUSE_USER", "ClickHouse user"},
		{"HEADWAY_CLICKHOUSE_PASSWORD", "ClickHouse password"},
		{"HEADWAY_CLICKHOUSE_PASSWORD_FILE", "file that holds the ClickHouse password"},
		{"HEADWAY_CLICKHOUSE_DATABASE", "ClickHouse database"},
		{"HEADWAY_KAFKA_BROKERS", "Kafka brokers, comma-separated"},
		{"HEADWAY_KAFKA_TOPIC", "one topic of canonical records, instead of kafka.topics"},
		{"HEADWAY_KAFKA_GROUP", "consumer group"},
		{"HEADWAY_KAFKA_TLS", "true: the brokers speak TLS"},
		{"HEADWAY_KAFKA_CA_FILE", "file with the authorities that signed the brokers' certificates"},
		{"HEADWAY_KAFKA_SASL", "mechanism: PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512"},
		{"HEADWAY_KAFKA_USER", "Kafka user"},
		{"HEADWAY_KAFKA_PASSWORD", "Kafka password"},
		{"HEADWAY_KAFKA_PASSWORD_FILE", "file that holds the Kafka password"},
	}
}

func fromEnvironment(c *Config, getenv func(string) string) error {
	set := func(name string, to *string) {
		if v := getenv(name); v != "" {
			*to = v
		}
	}
	set("HEADWAY_LISTEN", &c.Listen)
	set("HEADWAY_DATA_DIR", &c.DataDir)
	set("HEADWAY_CLICKHOUSE_ADDR", &c.ClickHouse.Addr)
	set("HEADWAY_CLICKHOUSE_USER", &c.ClickHouse.User)
	set("HEADWAY_CLICKHOUSE_PASSWORD", &c.ClickHouse.Password)
	set("HEADWAY_CLICKHOUSE_DATABASE", &c.ClickHouse.Database)
	set("HEADWAY_KAFKA_GROUP", &c.Kafka.Group)
	set("HEADWAY_KAFKA_CA_FILE", &c.Kafka.TLS.CAFile)
	set("HEADWAY_KAFKA_SASL", &c.Kafka.SASL.Mechanism)
	set("HEADWAY_KAFKA_USER", &c.Kafka.SASL.Username)
	set("HEADWAY_KAFKA_PASSWORD", &c.Kafka.SASL.Password)
	set("HEADWAY_KAFKA_PASSWORD_FILE", &c.Kafka.SASL.PasswordFile)
	if v := getenv("HEADWAY_KAFKA_TLS"); v != "" {
		on, err := strconv.ParseBool(v)
		if err != nil {
			return fmt.Errorf("HEADWAY_KAFKA_TLS %q: write true or false", v)
		}
		c.Kafka.TLS.Enabled = on
	}
	if v := getenv("HEADWAY_KAFKA_BROKERS"); v != "" {
		c.Kafka.Brokers = strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ' ' })
	}
	if v := getenv("HEADWAY_KAFKA_TOPIC"); v != "" {
		c.Kafka.Topics = []Topic{{Name: v, Source: "headway"}}
		c.Kafka.UploadTopic = v
	}
	return passwordFromFile(c, getenv("HEADWAY_CLICKHOUSE_PASSWORD_FILE"))
}

func passwordFromFile(c *Config, path string) error {
	if path == "" {
		return nil
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading the ClickHouse password: %w; correct HEADWAY_CLICKHOUSE_PASSWORD_FILE", err)
	}
	c.ClickHouse.Password = strings.TrimRight(string(raw), "\r\n")
	return nil
}

// Dump writes the configuration as YAML, without secrets.
func (c Config) Dump(w io.Writer) error {
	raw, err := yaml.Marshal(c)
	if err != nil {
		return fmt.Errorf("writing the configuration: %w", err)
	}
	_, err = w.Write(raw)
	return err
}
