//go:build kafka

package e2e

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"headway/engine"
	"headway/internal/testkit/binary"
	"headway/internal/testkit/kafka"
)

// TestFromApacheKafkaToAnswer is TestFromProducerToAnswer on Apache Kafka and
// a ClickHouse of its own, as production runs: migrate, then one process that
// reads Kafka and one that serves.
func TestFromApacheKafkaToAnswer(t *testing.T) {
	broker := kafka.Start(t, kafka.Options{})
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	createTopic(ctx, t, broker.Addr(), "llm-timing")
	db, err := engine.StartClickHouse(ctx, engine.Options{DataDir: t.TempDir(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	env := []string{"HEADWAY_CLICKHOUSE_ADDR=" + db.NativeAddr(), "HEADWAY_CLICKHOUSE_USER=" + db.User(),
		"HEADWAY_CLICKHOUSE_PASSWORD=" + db.Password(), "HEADWAY_CLICKHOUSE_DATABASE=" + db.Database(), "HEADWAY_KAFKA_BROKERS=" + broker.Addr()}
	if out, errs, code := binary.Run(t, headway, env, "", "migrate"); code != 0 {
		t.Fatalf("headway migrate: exit code %d\n%s%s", code, out, errs)
	}
	binary.Start(t, headway, env, "ingest", "--listen", "127.0.0.1:0")
	p := binary.Start(t, headway, env, "serve", "--listen", "127.0.0.1:0")
	checkPath(t, p, broker.Addr())
	importText(t, p, leaky("uploaded"))
	awaitRows(t, p, 20_001)
	if out, errs, code := binary.Run(t, headway, env, "", "doctor"); code != 0 {
		t.Errorf("headway doctor: exit code %d\n%s%s", code, out, errs)
	}
}

func createTopic(ctx context.Context, t *testing.T, broker, topic string) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(broker))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := kadm.NewClient(client).CreateTopic(ctx, 4, 1, nil, topic); err != nil {
		t.Fatal(err)
	}
}
