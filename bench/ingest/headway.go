package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// headwayPeer is the product's own binary, run as an operator runs it.
func headwayPeer(set settings) peer {
	return peer{
		name:  "Headway",
		does:  fmt.Sprintf("batches of %d; decodes and validates every field, flags, rejects, classifies, and delivers exactly once", set.batchRows),
		table: "headway.requests", identity: "(partition, offset)", sameTable: true,
		prepare: func(ctx context.Context, s *site) error { return s.migrate(ctx, "headway") },
		begin: func(_ context.Context, s *site) (*client, error) {
			config := filepath.Join(s.dir, "headway.yaml")
			text := fmt.Sprintf("ingest:\n  batch_rows: %d\n", s.set.batchRows)
			if s.set.memoryMB > 0 {
				text += fmt.Sprintf("  memory_mb: %d\n", s.set.memoryMB)
			}
			if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
				return nil, err
			}
			return s.startClient(s.set.headway, s.headwayEnv("headway"), "ingest", "--config", config, "--listen", "127.0.0.1:0")
		},
	}
}

// migrate makes Headway's tables in a database.
func (s *site) migrate(ctx context.Context, database string) error {
	cmd := exec.CommandContext(ctx, s.set.headway, "migrate")
	cmd.Env = append(os.Environ(), s.headwayEnv(database)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	return nil
}

func (s *site) headwayEnv(database string) []string {
	return []string{"HEADWAY_CLICKHOUSE_ADDR=" + s.db.Addr, "HEADWAY_CLICKHOUSE_USER=" + s.db.User,
		"HEADWAY_CLICKHOUSE_PASSWORD=" + s.db.Password, "HEADWAY_CLICKHOUSE_DATABASE=" + database,
		"HEADWAY_KAFKA_BROKERS=" + s.broker, "HEADWAY_KAFKA_TOPIC=" + s.topic, "HEADWAY_KAFKA_GROUP=" + s.group}
}
