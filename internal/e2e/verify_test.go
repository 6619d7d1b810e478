package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"headway/engine"
	"headway/internal/testkit/binary"
)

// TestVerifyOnTheEmbeddedBroker runs the suite on kfake.
func TestVerifyOnTheEmbeddedBroker(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	b, err := engine.StartBroker(ctx, engine.BrokerOptions{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	verifySuite(t, newPlant(t, b.Addr()))
}

// verifySuite shows that verify names exactly what was taken away or put in
// twice, and nothing else.
func verifySuite(t *testing.T, p *plant) {
	damaged := p.fill(t, "damaged", 3, 1000)
	p.transactions(t, "transactions")
	p.fill(t, "removed", 1, 50)
	for topic, want := range map[string]answer{
		"damaged":      {Produced: damaged, Rows: damaged - 30, Rejected: 30},
		"transactions": {Produced: 60, Rows: 60, Empty: 40 + 5},
		"removed":      {Produced: 50, Rows: 49, Rejected: 1},
	} {
		p.verify(t, 0, want, "--topic", topic, "--wait", "1m")
	}
	t.Run("damaged rows are named", func(t *testing.T) { damagedRowsAreNamed(t, p) })
	t.Run("log start passes stored rows", func(t *testing.T) { logStartPasses(t, p) })
	t.Run("a former epoch holds its part", func(t *testing.T) { formerEpochHolds(t, p) })
	t.Run("reading again brings missing rows back", func(t *testing.T) { readingAgainMends(t, p) })
	t.Run("what waits is not missing", func(t *testing.T) { waitingIsNotMissing(t, p) })
	t.Run("errors name the remedy", func(t *testing.T) { verifyErrors(t, p) })
}

func damagedRowsAreNamed(t *testing.T, p *plant) {
	p.do(t, "ALTER TABLE requests DELETE WHERE topic = 'damaged' AND (partition = 0 AND offset IN (10, 11, 12, 500) OR partition = 1 AND offset = 0 OR partition = 2 AND offset = 998) SETTINGS mutations_sync = 1")
	p.do(t, "ALTER TABLE rejects DELETE WHERE topic = 'damaged' AND partition = 1 AND offset = 399 SETTINGS mutations_sync = 1")
	// As many doubled as missing in partition 0: counts alone would not tell.
	p.do(t, "INSERT INTO requests SELECT * FROM requests WHERE topic = 'damaged' AND partition = 0 AND offset IN (20, 21, 23, 700)")
	p.do(t, "INSERT INTO rejects SELECT * FROM rejects WHERE topic = 'damaged' AND partition = 2 AND offset = 99")
	p.do(t, "INSERT INTO rejects (topic, epoch, partition, offset, source, reason, bytes, received_at) VALUES ('damaged', 0, 2, 5, 'headway', 'not_json', 1, now64(3))")
	want := answer{Produced: 3000, Rows: 3000 - 30 - 6 + 4, Rejected: 30 - 1 + 2, MissingMessages: 7, DoubledMessages: 6,
		Missing: []offsets{{0, 0, 10, 12}, {0, 0, 500, 500}, {1, 0, 0, 0}, {1, 0, 399, 399}, {2, 0, 998, 998}},
		Doubled: []offsets{{0, 0, 20, 21}, {0, 0, 23, 23}, {0, 0, 700, 700}, {2, 0, 5, 5}, {2, 0, 99, 99}}}
	p.verify(t, 1, want, "--topic", "damaged")
	p.verify(t, 1, want, "--topic", "damaged", "--server", p.server.URL)
	want.Missing, want.Doubled, want.Truncated = want.Missing[:2], want.Doubled[:2], true
	p.verify(t, 1, want, "--topic", "damaged", "--limit", "2")
	text, _, code := binary.Run(t, headway, p.env, "", "verify", "--config", p.config, "--topic", "damaged")
	t.Logf("headway verify --topic damaged: exit code %d\n%s", code, text)
	for _, line := range []string{"missing  damaged/0 epoch 0 offsets 10-12\n", "doubled  damaged/2 epoch 0 offsets 5\n"} {
		if !strings.Contains(text, line) {
			t.Errorf("the table lacks %q", line)
		}
	}
}

// logStartPasses removes messages from the log whose rows stay.
func logStartPasses(t *testing.T, p *plant) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err := kadm.NewClient(p.kafka).DeleteRecords(ctx, kadm.Offsets{"removed": {0: {Topic: "removed", Partition: 0, At: 20}}})
	if err != nil {
		t.Fatal(err)
	}
	p.verify(t, 0, answer{Produced: 30, Rows: 30}, "--topic", "removed")
	p.do(t, "ALTER TABLE requests DELETE WHERE topic = 'removed' AND offset IN (19, 20) SETTINGS mutations_sync = 1")
	p.verify(t, 1, answer{Produced: 30, Rows: 29, MissingMessages: 1, Missing: []offsets{{0, 0, 20, 20}}}, "--topic", "removed")
}

// formerEpochHolds gives the rows from offset 40 on another epoch, as after a
// broker lost its log's tail; then it makes the former rows those of another
// log. The log begins at 20, whose row is missing.
func formerEpochHolds(t *testing.T, p *plant) {
	const mutate, of = " SETTINGS mutations_sync = 1", "topic = 'removed' AND epoch = 0 AND partition = 0"
	p.do(t, "ALTER TABLE requests UPDATE epoch = 1 WHERE topic = 'removed' AND offset >= 40"+mutate)
	p.verify(t, 1, answer{Produced: 30, Rows: 10, Former: 19, MissingMessages: 1, Missing: []offsets{{0, 1, 20, 20}}}, "--topic", "removed")
	p.do(t, "INSERT INTO requests SELECT * REPLACE('x' AS request_id, created_at - toIntervalMinute(1) AS created_at) FROM requests WHERE "+of)
	p.do(t, "ALTER TABLE requests DELETE WHERE "+of+" AND request_id != 'x'"+mutate)
	p.verify(t, 1, answer{Produced: 30, Rows: 10, MissingMessages: 20, Missing: []offsets{{0, 1, 20, 39}}}, "--topic", "removed")
}

// readingAgainMends does what docs/operating.md says to do about missing rows.
func readingAgainMends(t *testing.T, p *plant) {
	p.server.Stop(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	back := kadm.Offsets{}
	for part := range int32(3) {
		back.Add(kadm.Offset{Topic: "damaged", Partition: part, At: 0, LeaderEpoch: -1})
	}
	if _, err := kadm.NewClient(p.kafka).CommitOffsets(ctx, "headway", back); err != nil {
		t.Fatal(err)
	}
	p.start(t)
	p.verify(t, 1, answer{Produced: 3000, Rows: 3000 - 30 + 4, Rejected: 30 + 2, DoubledMessages: 6,
		Doubled: []offsets{{0, 0, 20, 21}, {0, 0, 23, 23}, {0, 0, 700, 700}, {2, 0, 5, 5}, {2, 0, 99, 99}}}, "--topic", "damaged", "--wait", "1m")
}

// waitingIsNotMissing asks while nobody ingests.
func waitingIsNotMissing(t *testing.T, p *plant) {
	p.server.Stop(t)
	p.fill(t, "transactions", 1, 100)
	p.verify(t, 0, answer{Produced: 160, Rows: 60, Empty: 45, Waiting: 100}, "--topic", "transactions")
	p.createTopic(t, "new", 2, nil)
	p.verify(t, 0, answer{}, "--topic", "new")
	p.fill(t, "new", 2, 100)
	p.verify(t, 0, answer{Produced: 200, Waiting: 200}, "--topic", "new")
}

func verifyErrors(t *testing.T, p *plant) {
	for _, c := range []struct {
		name string
		args []string
		code int
		said string
	}{
		{"no topic", nil, 2, "--topic"},
		{"topic missing", []string{"--topic", "absent"}, 3, "create it"},
		{"no broker", []string{"--topic", "damaged", "--kafka", "127.0.0.1:1"}, 3, "check that a broker listens on 127.0.0.1:1"},
		{"no server", []string{"--topic", "damaged", "--server", "http://127.0.0.1:1"}, 3, "headway up"},
		{"no output", []string{"--topic", "damaged", "-o", "xml"}, 2, "table or json"},
		{"no limit", []string{"--topic", "damaged", "--limit", "0"}, 2, "--limit"},
	} {
		out, errs, code := binary.Run(t, headway, p.env, "", append([]string{"verify", "--config", p.config}, c.args...)...)
		if code != c.code || !strings.Contains(errs, c.said) || out != "" {
			t.Errorf("%s: exit code %d, want %d with %q\n%s%s", c.name, code, c.code, c.said, out, errs)
		}
	}
	env := append([]string{"HEADWAY_CLICKHOUSE_ADDR=127.0.0.1:1"}, p.env[1:]...)
	out, errs, code := binary.Run(t, headway, env, "", "verify", "--config", p.config, "--topic", "damaged")
	if code != 3 || !strings.Contains(errs, "check that ClickHouse runs") {
		t.Errorf("no ClickHouse: exit code %d\n%s%s", code, out, errs)
	}
}

// TestVerifyAsksUp verifies through the API of headway up.
func TestVerifyAsksUp(t *testing.T) {
	t.Parallel()
	p := up(t)
	produceRaw(t, p.Kafka, "llm-timing", "not json")
	ok(t, "gen", "--records", "2000", "--seed", "3", "--from", "now-1h", "--to", "now", "--out", "kafka://"+p.Kafka+"/llm-timing")
	var a answer
	text := ok(t, "verify", "--kafka", p.Kafka, "--topic", "llm-timing", "--server", p.URL, "--wait", "1m", "-o", "json")
	if err := json.Unmarshal([]byte(text), &a); err != nil || a.Produced != 2001 || a.Rows != 2000 || a.Rejected != 1 {
		t.Errorf("%v\n%s", err, text)
	}
	for _, args := range [][]string{{"--topic", "llm-timings"}, {"--topic", "llm-timing", "--kafka", "127.0.0.1:1"}, {"--topic", "llm-timing", "--group", "other"}} {
		if out, errs, code := run(t, "", append([]string{"verify", "--server", p.URL}, args...)...); code != 2 || out != "" {
			t.Errorf("verify %v: exit code %d\n%s%s", args, code, out, errs)
		}
	}
}

// answer is what the tests read of headway verify -o json.
type answer struct {
	Produced        int64     `json:"produced"`
	Rows            int64     `json:"rows"`
	Rejected        int64     `json:"rejected"`
	Waiting         int64     `json:"waiting"`
	Expired         int64     `json:"expired"`
	Lost            int64     `json:"lost"`
	Empty           int64     `json:"empty"`
	Former          int64     `json:"former"`
	MissingMessages int64     `json:"missing_messages"`
	DoubledMessages int64     `json:"doubled_messages"`
	Missing         []offsets `json:"missing"`
	Doubled         []offsets `json:"doubled"`
	Truncated       bool      `json:"truncated"`
}

type offsets struct {
	Partition int32  `json:"partition"`
	Epoch     uint32 `json:"epoch"`
	First     int64  `json:"first"`
	Last      int64  `json:"last"`
}

// plant is a broker, an engine and one process that ingests and serves.
type plant struct {
	env    []string // the first is the database's address
	config string
	kafka  *kgo.Client
	db     driver.Conn
	server *binary.Process
}

func newPlant(t *testing.T, broker string) *plant {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	db, err := engine.StartClickHouse(ctx, engine.Options{DataDir: t.TempDir(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	p := &plant{env: []string{"HEADWAY_CLICKHOUSE_ADDR=" + db.NativeAddr(), "HEADWAY_CLICKHOUSE_USER=" + db.User(),
		"HEADWAY_CLICKHOUSE_PASSWORD=" + db.Password(), "HEADWAY_CLICKHOUSE_DATABASE=" + db.Database()}, config: filepath.Join(t.TempDir(), "headway.yaml")}
	text := "kafka:\n  brokers: [" + broker + "]\n  upload_topic: damaged\n  topics:\n"
	for _, topic := range []string{"damaged", "transactions", "removed", "compacted"} {
		text += "    - {name: " + topic + ", source: headway}\n"
	}
	if err := os.WriteFile(p.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if p.db, err = clickhouse.Open(&clickhouse.Options{Addr: []string{db.NativeAddr()},
		Auth: clickhouse.Auth{Database: db.Database(), Username: db.User(), Password: db.Password()}}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.db.Close() }) // the test is over
	if p.kafka, err = kgo.NewClient(kgo.SeedBrokers(broker), kgo.RecordPartitioner(kgo.ManualPartitioner())); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kafka.Close)
	if out, errs, code := binary.Run(t, headway, p.env, "", "migrate", "--config", p.config); code != 0 {
		t.Fatalf("headway migrate: exit code %d\n%s%s", code, out, errs)
	}
	for topic, partitions := range map[string]int32{"damaged": 3, "transactions": 1, "removed": 1} {
		p.createTopic(t, topic, partitions, nil)
	}
	p.createTopic(t, "compacted", 1, compaction())
	p.start(t)
	return p
}

func (p *plant) start(t *testing.T) {
	t.Helper()
	p.server = binary.Start(t, headway, p.env, "serve", "--ingest", "--listen", "127.0.0.1:0", "--config", p.config)
}

func (p *plant) createTopic(t *testing.T, topic string, partitions int32, configs map[string]*string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := kadm.NewClient(p.kafka).CreateTopic(ctx, partitions, 1, configs, topic); err != nil {
		t.Fatal(err)
	}
}

// compaction are the settings of a topic that is compacted at once.
func compaction() map[string]*string {
	return map[string]*string{"cleanup.policy": kadm.StringPtr("compact"), "segment.ms": kadm.StringPtr("100"),
		"min.cleanable.dirty.ratio": kadm.StringPtr("0.001"), "min.compaction.lag.ms": kadm.StringPtr("0")}
}

// fill puts n messages on each partition, of which each hundredth is no
// record, and returns how many that are.
func (p *plant) fill(t *testing.T, topic string, partitions int32, n int) int64 {
	t.Helper()
	var recs []*kgo.Record
	for part := range partitions {
		for i := range n {
			value := line(fmt.Sprintf("%s-%d-%d", topic, part, i))
			if i%100 == 99 || n < 100 && i == 0 {
				value = "not json"
			}
			recs = append(recs, &kgo.Record{Topic: topic, Partition: part, Value: []byte(value)})
		}
	}
	p.send(t, p.kafka, recs)
	return int64(len(recs))
}

func (p *plant) send(t *testing.T, client *kgo.Client, recs []*kgo.Record) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := client.ProduceSync(ctx, recs...).FirstErr(); err != nil {
		t.Fatal(err)
	}
}

func line(id string) string {
	return fmt.Sprintf(`{"v":1,"request_id":%q,"created_at":%q,"model":"m","stream":true,"status":200,"outcome":"completed","other":{"timing":{"first_response_ms":420,"total_handler_ms":9810}}}`,
		id, time.Now().UTC().Format("2006-01-02T15:04:05.000Z07:00"))
}

// transactions puts five transactions of twenty messages on a topic, of which
// two are aborted.
func (p *plant) transactions(t *testing.T, topic string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	client, err := kgo.NewClient(kgo.SeedBrokers(p.kafka.OptValue(kgo.SeedBrokers).([]string)...), kgo.TransactionalID(topic), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for i, end := range []kgo.TransactionEndTry{kgo.TryCommit, kgo.TryAbort, kgo.TryCommit, kgo.TryAbort, kgo.TryCommit} {
		if err := client.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		var recs []*kgo.Record
		for k := range 20 {
			recs = append(recs, &kgo.Record{Topic: topic, Value: []byte(line(fmt.Sprintf("tx-%d-%d", i, k)))})
		}
		p.send(t, client, recs)
		if err := client.EndTransaction(ctx, end); err != nil {
			t.Fatal(err)
		}
	}
}

func (p *plant) do(t *testing.T, statement string) {
	t.Helper()
	if err := p.db.Exec(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// verify runs headway verify -o json and compares its answer.
func (p *plant) verify(t *testing.T, code int, want answer, args ...string) {
	t.Helper()
	out, errs, got := binary.Run(t, headway, p.env, "", append([]string{"verify", "--config", p.config, "-o", "json"}, args...)...)
	var a answer
	if err := json.Unmarshal([]byte(out), &a); err != nil {
		t.Fatalf("verify %v: exit code %d, %v\n%s%s", args, got, err, out, errs)
	}
	if a.Missing == nil || a.Doubled == nil {
		t.Errorf("verify %v: a list is null\n%s", args, out)
	}
	if len(want.Missing) == 0 {
		want.Missing = []offsets{}
	}
	if len(want.Doubled) == 0 {
		want.Doubled = []offsets{}
	}
	if got != code || !reflect.DeepEqual(a, want) {
		t.Errorf("verify %v: exit code %d, want %d\ngot  %+v\nwant %+v\n%s%s", args, got, code, a, want, p.server.Log(), errs)
	}
}
