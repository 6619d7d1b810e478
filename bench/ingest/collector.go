package main

import (
	"context"
	"os"
	"path/filepath"
)

// collectorPeer is the OpenTelemetry collector of bench/otelcol, with one of
// its two configurations.
func collectorPeer(set settings, name, configuration string) peer {
	return peer{
		name:  name,
		does:  configuration + "; stores the body as one text and parses nothing; at least once",
		table: "headway_otel.otel_logs", identity: "Body",
		prepare: func(ctx context.Context, s *site) error {
			_, err := s.db.ask(ctx, "CREATE DATABASE headway_otel")
			return err
		},
		begin: func(_ context.Context, s *site) (*client, error) {
			config := filepath.Join(s.dir, configuration)
			text := file(configuration, map[string]string{"broker": s.broker, "topic": s.topic, "group": s.group,
				"clickhouse": s.db.Addr, "user": s.db.User, "password": s.db.Password})
			if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
				return nil, err
			}
			return s.startClient(set.otelcol, nil, "--config", config)
		},
	}
}
