// Package config reads the one configuration file, its environment variables
// and its defaults into a checked Config; it starts nothing.
package config

import (
	"time"

	"headway/classify"
)

// Config is everything that can be set. Durations are written like "1s".
type Config struct {
	Listen     string     `yaml:"listen"`   // HTTP address, host:port; port 0 picks a free one
	DataDir    string     `yaml:"data_dir"` // where the embedded engines keep their files
	Log        Log        `yaml:"log"`
	ClickHouse ClickHouse `yaml:"clickhouse"`
	Kafka      Kafka      `yaml:"kafka"`
	Ingest     Ingest     `yaml:"ingest"`
	Records    Records    `yaml:"records"`
	Query      Query      `yaml:"query"`
	Access     Access     `yaml:"access"`
	Hedge      Hedge      `yaml:"hedge"`
	// Classify holds the thresholds of slow stages, for all records, by route
	// and by model.
	Classify classify.Rules `yaml:"classify"`
}

// Log says what is logged and how.
type Log struct {
	Level  string `yaml:"level"`  // debug, info, warn, error
	Format string `yaml:"format"` // text, json
}

// ClickHouse says where rows are kept. The password comes from the
// environment or a file, never from this file.
type ClickHouse struct {
	Addr          string `yaml:"addr"` // native protocol, host:port
	User          string `yaml:"user"`
	Database      string `yaml:"database"`
	Cluster       string `yaml:"cluster"` // empty for a single node
	TLS           bool   `yaml:"tls"`
	RetentionDays int    `yaml:"retention_days"`
	Password      string `yaml:"-"`
}

// Ingest bounds the batches that are written.
type Ingest struct {
	BatchRows int           `yaml:"batch_rows"`
	BatchAge  time.Duration `yaml:"batch_age"`
	MemoryMB  int           `yaml:"memory_mb"` // messages and rows held at once, over all partitions
}

// Records says what is accepted.
type Records struct {
	MaxBytes int    `yaml:"max_bytes"`
	Content  string `yaml:"content"` // drop or reject records that carry content
	// DailyModels and DailyChannels bound new dimension values a day.
	DailyModels   int `yaml:"daily_models"`
	DailyChannels int `yaml:"daily_channels"`
}

// Query limits what one question may cost.
type Query struct {
	Timeout     time.Duration `yaml:"timeout"`
	MaxRows     int64         `yaml:"max_rows"`
	MaxMemoryMB int           `yaml:"max_memory_mb"`
	MaxValues   int64         `yaml:"max_values"` // values that one statement may bring into this process
	Concurrency int           `yaml:"concurrency"`
	Metric      string        `yaml:"metric"` // what a bare "ttft" means
}

// Access says who may ask. Tokens are needed beyond loopback.
type Access struct {
	Tokens []Token `yaml:"tokens"`
	// Hosts are names that requests may address, without port; empty means
	// loopback names while no tokens are set, and any name otherwise.
	Hosts []string `yaml:"hosts"`
}

// Token is one bearer token; only its SHA-256 in hexadecimal is written down.
type Token struct {
	Name string `yaml:"name"`
	Hash string `yaml:"sha256"`
	Role string `yaml:"role"` // read, ingest or admin
}

// Default returns the configuration of a single machine on loopback.
func Default() Config {
	return Config{
		Listen:     "127.0.0.1:8080",
		Log:        Log{Level: "info", Format: "text"},
		ClickHouse: ClickHouse{Addr: "127.0.0.1:9000", User: "default", Database: "headway", RetentionDays: 90},
		Kafka: Kafka{Brokers: []string{"127.0.0.1:9092"}, Group: "headway",
			Topics: []Topic{{Name: "llm-timing", Source: "headway"}}, UploadTopic: "llm-timing", SessionTimeout: 10 * time.Second},
		Ingest:  Ingest{BatchRows: 65_536, BatchAge: time.Second, MemoryMB: 128},
		Records: Records{MaxBytes: 1 << 20, Content: "drop", DailyModels: 5000, DailyChannels: 5000},
		Query:   Query{Timeout: 30 * time.Second, MaxRows: 500_000_000, MaxMemoryMB: 4096, MaxValues: 5_000_000, Concurrency: 8, Metric: "first_response_ms"},
		Hedge: Hedge{Default: Route{Tier: "other", Floor: 100 * time.Millisecond}, Rho: 0.6, HoldoutShare: 0.05, ValidFor: 8 * 24 * time.Hour,
			Schedule: Schedule{Every: "off", At: "00:20"}},
		Classify: classify.DefaultRules(),
	}
}
