package store_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"headway/classify"
	"headway/engine"
	"headway/internal/testkit/trap"
	"headway/schema"
	"headway/store"
)

// trapped starts an engine that dies at the insert that trap.Set names.
func trapped(t *testing.T) (*engine.ClickHouse, string) {
	t.Helper()
	dir := t.TempDir()
	if err := trap.Set(dir, 0); err != nil {
		t.Fatal(err)
	}
	db, err := engine.StartClickHouse(t.Context(), engine.Options{DataDir: dir, NoFsync: true, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db, dir
}

// TestKilledBetweenTokenAndPart kills the real server when it has remembered
// a block's token and not yet published its part. Then the same token is
// answered with success and nothing goes in; Land gets every row in, once.
func TestKilledBetweenTokenAndPart(t *testing.T) {
	t.Parallel()
	db, dir := trapped(t)
	cfg := store.Config{Addr: db.NativeAddr(), User: db.User(), Password: db.Password(), Database: db.Database(), Retention: 3650 * 24 * time.Hour}
	s := open(t, cfg)
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	conn := admin(t, cfg)
	const kills = 6
	burned := 0
	for round := range kills {
		batch, rejects := threeDays(int64(round) * 100)
		r := rangeOf(batch)
		r.Last++ // the reject
		last := db.Restarts()
		deadly := round%4 + 1 // one of three days of rows, or the rejects
		if err := trap.Set(dir, deadly); err != nil {
			t.Fatal(err)
		}
		if err := s.Land(t.Context(), r, store.BlockOf(batch), rejects, false); err == nil {
			t.Fatalf("kill %d: the engine did not die", round)
		}
		if err := trap.Set(dir, 0); err != nil {
			t.Fatal(err)
		}
		await(t, db, last+1)
		if probe(t, conn, r, deadly) {
			burned++
		}
		landUntilIn(t, s, r, batch, rejects)
		inOnce(t, conn, r)
	}
	t.Logf("%d kills between token and part burned %d tokens; all %d records are in, once", kills, burned, kills*91)
	if burned == 0 {
		t.Error("no token was burned: the test shows nothing")
	}
}

// threeDays are 90 rows on three days and one reject, from an offset on.
func threeDays(from int64) ([]classify.Row, []schema.Reject) {
	var batch []classify.Row
	for i := range int64(90) {
		batch = append(batch, row(from+i, func(r *schema.Record) { r.CreatedAt = base.AddDate(0, 0, int(i)/30) }))
	}
	return batch, []schema.Reject{{Origin: schema.Origin{Topic: "t", Partition: 1, Offset: from + 90}, Source: "headway", Reason: schema.ReasonNotJSON, Bytes: 7, ReceivedAt: base}}
}

// await waits until the engine has been started again so often and serves.
func await(t *testing.T, db *engine.ClickHouse, restarts int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for db.Restarts() < restarts {
		select {
		case <-ctx.Done():
			t.Fatalf("the engine did not start again: %v", ctx.Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
	if err := db.Ready(ctx); err != nil {
		t.Fatal(err)
	}
}

// probe inserts another row with the token of the block at which the engine
// died, and reports whether the server took it for that block: it says that
// all went well, and neither row is in.
func probe(t *testing.T, conn driver.Conn, r schema.Range, deadly int) bool {
	t.Helper()
	token := fmt.Sprintf("%s/%d/%d/%d-%d/", r.Topic, r.Epoch, r.Partition, r.First, r.Last)
	settings := " SETTINGS async_insert = 0, insert_deduplicate = 1, deduplicate_insert = 'enable', insert_deduplication_token = '"
	if deadly == 4 {
		before := ask[uint64](t, conn, "SELECT count() FROM rejects WHERE topic = 'other'")
		do(t, conn, "INSERT INTO rejects (topic, partition, offset, received_at)"+settings+token+base.Format("2006-01-02")+"#0' VALUES ('other', 0, 0, '"+base.Format(time.DateTime)+"')")
		return ask[uint64](t, conn, "SELECT count() FROM rejects WHERE topic = 'other'") == before
	}
	day := base.AddDate(0, 0, deadly-1)
	before := ask[uint64](t, conn, "SELECT count() FROM requests WHERE topic = 'other'")
	do(t, conn, "INSERT INTO requests (created_at, topic, partition, offset)"+settings+token+day.Format("2006-01-02")+"#0' VALUES ('"+day.Format(time.DateTime)+"', 'other', 0, 0)")
	return ask[uint64](t, conn, "SELECT count() FROM requests WHERE topic = 'other'") == before
}

// landUntilIn lands as ingestion does after an error: with a check, until it
// is certain.
func landUntilIn(t *testing.T, s *store.Store, r schema.Range, batch []classify.Row, rejects []schema.Reject) {
	t.Helper()
	var err error
	for range 20 { // connections of before end one by one
		if err = s.Land(t.Context(), r, store.BlockOf(batch), rejects, true); err == nil {
			return
		}
	}
	t.Fatalf("landing again: %v", err)
}

// inOnce wants the range's 91 offsets among rows and rejects, each once.
func inOnce(t *testing.T, conn driver.Conn, r schema.Range) {
	t.Helper()
	from := fmt.Sprintf(" AS o FROM (SELECT offset, topic FROM requests UNION ALL SELECT offset, topic FROM rejects) WHERE topic = 't' AND offset BETWEEN %d AND %d", r.First, r.Last)
	if n, d := ask[uint64](t, conn, "SELECT count()"+from), ask[uint64](t, conn, "SELECT uniqExact(offset)"+from); n != 91 || d != 91 {
		t.Fatalf("%d records, %d offsets of %d to %d; want 91", n, d, r.First, r.Last)
	}
}
