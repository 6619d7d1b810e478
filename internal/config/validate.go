package config

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"headway/schema"
)

// maxRetentionDays is a hundred years: more does not fit a duration.
const maxRetentionDays = 36500

// Validate returns every mistake of the configuration at once, each with its
// key and the remedy.
func (c Config) Validate() error {
	rules := c.Classify.Validate()
	if rules != nil {
		rules = fmt.Errorf("classify: %w", rules)
	}
	return errors.Join(c.validateAddresses(), c.Kafka.validateSecurity(), c.validateLimits(), c.Hedge.validate(), rules)
}

func (c Config) validateAddresses() error {
	var errs []error
	addresses := [][2]string{{"listen", c.Listen}, {"clickhouse.addr", c.ClickHouse.Addr}}
	for i, b := range c.Kafka.Brokers {
		addresses = append(addresses, [2]string{fmt.Sprintf("kafka.brokers[%d]", i), b})
	}
	for _, a := range addresses {
		if err := CheckAddress(a[1]); err != nil {
			errs = append(errs, fmt.Errorf("%s %w", a[0], err))
		}
	}
	if len(c.Kafka.Brokers) == 0 {
		errs = append(errs, errors.New("kafka.brokers: name at least one broker as host:port"))
	}
	if c.ClickHouse.Database == "" || c.ClickHouse.Database == "default" {
		errs = append(errs, fmt.Errorf("clickhouse.database %q: name a database of its own, for example headway", c.ClickHouse.Database))
	}
	if len(c.Kafka.Topics) == 0 {
		errs = append(errs, errors.New("kafka.topics: name at least one topic with its source"))
	}
	upload := false
	for i, t := range c.Kafka.Topics {
		if t.Name == "" || t.Source == "" {
			errs = append(errs, fmt.Errorf("kafka.topics[%d]: give both name and source", i))
		}
		upload = upload || t.Name == c.Kafka.UploadTopic && t.Source == "headway"
	}
	if c.Kafka.UploadTopic != "" && !upload {
		errs = append(errs, fmt.Errorf("kafka.upload_topic %q: it must be one of kafka.topics with source headway", c.Kafka.UploadTopic))
	}
	if c.Kafka.SessionTimeout < minSession {
		errs = append(errs, fmt.Errorf("kafka.session_timeout %s: give at least %s, so that a busy moment does not expel an ingester", c.Kafka.SessionTimeout, minSession))
	}
	return errors.Join(errs...)
}

// minSession is the shortest silence that tells a dead ingester from a busy
// one.
const minSession = time.Second

// CheckAddress refuses what is no host:port with a port from 0 to 65535.
func CheckAddress(addr string) error {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("%q: write host:port, for example 127.0.0.1:8080", addr)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return fmt.Errorf("%q: the port must be a number from 0 to 65535", addr)
	}
	return nil
}

func (c Config) validateLimits() error {
	var errs []error
	positive := func(name string, v int64) {
		if v <= 0 {
			errs = append(errs, fmt.Errorf("%s %d: give a number above 0", name, v))
		}
	}
	positive("ingest.batch_rows", int64(c.Ingest.BatchRows))
	positive("ingest.batch_age", int64(c.Ingest.BatchAge))
	positive("ingest.memory_mb", int64(c.Ingest.MemoryMB))
	positive("records.max_bytes", int64(c.Records.MaxBytes))
	positive("records.daily_models", int64(c.Records.DailyModels))
	positive("records.daily_channels", int64(c.Records.DailyChannels))
	positive("clickhouse.retention_days", int64(c.ClickHouse.RetentionDays))
	positive("query.timeout", int64(c.Query.Timeout))
	positive("query.max_rows", c.Query.MaxRows)
	positive("query.max_memory_mb", int64(c.Query.MaxMemoryMB))
	positive("query.max_values", c.Query.MaxValues)
	positive("query.concurrency", int64(c.Query.Concurrency))
	if c.ClickHouse.RetentionDays > maxRetentionDays {
		errs = append(errs, fmt.Errorf("clickhouse.retention_days %d: give at most %d", c.ClickHouse.RetentionDays, maxRetentionDays))
	}
	if f, ok := schema.NewRegistry().Lookup(c.Query.Metric); !ok || f.Kind != schema.KindMeasure {
		errs = append(errs, fmt.Errorf("query.metric %q: name a measure, for example first_response_ms", c.Query.Metric))
	}
	if c.Records.Content != "drop" && c.Records.Content != "reject" {
		errs = append(errs, fmt.Errorf("records.content %q: use drop or reject", c.Records.Content))
	}
	return errors.Join(errs...)
}
