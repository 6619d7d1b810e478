package store_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"headway/schema"
	"headway/store"
)

func TestLandOnce(t *testing.T) {
	t.Parallel()
	s, cfg := migrated(t)
	conn := admin(t, cfg)
	batch := rows(1000, 0, rand.New(rand.NewPCG(1, 1)))
	r := rangeOf(batch)
	r.Last = 1001
	rejects := []schema.Reject{{Origin: schema.Origin{Topic: "t", Partition: 1, Offset: 1001}, Source: "headway", Reason: schema.ReasonNotJSON, Bytes: 17, ReceivedAt: base}}
	// The second time the server drops it as a duplicate, the third time the
	// check leaves everything out.
	for _, check := range []bool{false, false, true} {
		if err := s.Land(t.Context(), r, store.BlockOf(batch), rejects, check); err != nil {
			t.Fatal(err)
		}
		if n, d := ask[uint64](t, conn, "SELECT count() FROM requests"), ask[uint64](t, conn, "SELECT uniqExact(offset) FROM requests"); n != 1000 || d != 1000 {
			t.Fatalf("check %v: %d rows, %d offsets; want 1000", check, n, d)
		}
		if n := ask[uint64](t, conn, "SELECT count() FROM rejects WHERE reason = 'not_json' AND bytes = 17"); n != 1 {
			t.Fatalf("check %v: %d rejects; want 1", check, n)
		}
	}
}

// TestLandBurnedToken lands a range whose tokens the server knows already
// though none of its rows are in, as after a crash between the two. Here other
// rows came under these tokens. (Dropping the part would not do: the server
// then forgets its token.)
func TestLandBurnedToken(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		burned int
		check  bool
	}{{0, false}, {1, false}, {1, true}, {3, false}, {3, true}} {
		t.Run(fmt.Sprintf("%d burned, check %v", c.burned, c.check), func(t *testing.T) {
			t.Parallel()
			s, cfg := migrated(t)
			conn := admin(t, cfg)
			batch := rows(100, 0, rand.New(rand.NewPCG(1, 1)))
			for k := range c.burned {
				do(t, conn, fmt.Sprintf("INSERT INTO requests (created_at, topic, partition, offset) SETTINGS async_insert = 0, insert_deduplicate = 1, deduplicate_insert = 'enable', "+
					"insert_deduplication_token = 't/0/1/0-99/%s#%d' VALUES ('2026-11-02 03:00:00', 'other', 9, %d)", base.Format("2006-01-02"), k, k))
			}
			for range 2 { // the second time it is in
				if err := s.Land(t.Context(), rangeOf(batch), store.BlockOf(batch), nil, c.check); err != nil {
					t.Fatal(err)
				}
				if n, d := ask[uint64](t, conn, "SELECT count() FROM requests WHERE topic = 't'"), ask[uint64](t, conn, "SELECT uniqExact(offset) FROM requests WHERE topic = 't'"); n != 100 || d != 100 {
					t.Fatalf("%d rows, %d offsets; want 100", n, d)
				}
			}
			if n := ask[uint64](t, conn, "SELECT count() FROM requests WHERE topic = 'other'"); n != uint64(c.burned) {
				t.Fatalf("%d tokens were burned, want %d: the test proves nothing", n, c.burned)
			}
		})
	}
}

func TestLandManyDays(t *testing.T) {
	t.Parallel()
	s, cfg := migrated(t)
	conn := admin(t, cfg)
	batch := rows(150, 0, rand.New(rand.NewPCG(1, 1)))
	for i := range batch {
		batch[i].Record.CreatedAt = base.Add(-time.Duration(i) * 24 * time.Hour)
	}
	for range 2 {
		if err := s.Land(t.Context(), rangeOf(batch), store.BlockOf(batch), nil, false); err != nil {
			t.Fatal(err)
		}
	}
	if n, d := ask[uint64](t, conn, "SELECT count() FROM requests"), ask[uint64](t, conn, "SELECT uniqExact(toDate(created_at)) FROM requests"); n != 150 || d != 150 {
		t.Fatalf("%d rows on %d days; want 150 on 150", n, d)
	}
}

func BenchmarkLand(b *testing.B) {
	s, _ := migrated(b)
	batch := rows(65_536, 0, rand.New(rand.NewPCG(1, 1)))
	n := 0
	for b.Loop() {
		for i := range batch {
			batch[i].Record.Origin.Offset = int64(n)
			n++
		}
		if err := s.Land(b.Context(), rangeOf(batch), store.BlockOf(batch), nil, false); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "rows/s")
}

// TestLandRejectedAfterKept lands a message as a row, and again as a reject
// (it expired meanwhile): with a check it stays the row it is.
func TestLandRejectedAfterKept(t *testing.T) {
	t.Parallel()
	s, cfg := migrated(t)
	conn := admin(t, cfg)
	batch := rows(10, 0, rand.New(rand.NewPCG(1, 1)))
	r := rangeOf(batch)
	if err := s.Land(t.Context(), r, store.BlockOf(batch), nil, false); err != nil {
		t.Fatal(err)
	}
	reject := schema.Reject{Origin: batch[9].Record.Origin, Reason: schema.ReasonExpired, ReceivedAt: base}
	if err := s.Land(t.Context(), r, store.BlockOf(batch[:9]), []schema.Reject{reject}, true); err != nil {
		t.Fatal(err)
	}
	if n, d := ask[uint64](t, conn, "SELECT count() FROM requests"), ask[uint64](t, conn, "SELECT count() FROM rejects"); n != 10 || d != 0 {
		t.Errorf("%d rows, %d rejects; want 10 and none", n, d)
	}
}

// TestLandPartly finds some of a range's days in already, under another
// token.
func TestLandPartly(t *testing.T) {
	t.Parallel()
	s, cfg := migrated(t)
	batch := rows(40, 0, rand.New(rand.NewPCG(1, 1)))
	for i := range batch {
		batch[i].Record.CreatedAt = base.Add(time.Duration(i%4) * 24 * time.Hour)
	}
	if err := s.Land(t.Context(), rangeOf(batch[:25]), store.BlockOf(batch[:25]), nil, false); err != nil {
		t.Fatal(err)
	}
	if err := s.Land(t.Context(), rangeOf(batch), store.BlockOf(batch), nil, true); err != nil {
		t.Fatal(err)
	}
	conn := admin(t, cfg)
	if n, d := ask[uint64](t, conn, "SELECT count() FROM requests"), ask[uint64](t, conn, "SELECT uniqExact(offset) FROM requests"); n != 40 || d != 40 {
		t.Errorf("%d rows, %d offsets; want 40", n, d)
	}
}

// TestLandByTwoOwners lands the same range from several stores at once, as a
// stalled owner and its successor do.
func TestLandByTwoOwners(t *testing.T) {
	t.Parallel()
	s, cfg := migrated(t)
	batch := rows(5000, 0, rand.New(rand.NewPCG(1, 1)))
	failed := make(chan error, 6)
	for i := range cap(failed) {
		owner := s
		if i%2 == 1 {
			owner = open(t, cfg)
		}
		go func() { failed <- owner.Land(t.Context(), rangeOf(batch), store.BlockOf(batch), nil, i > 2) }()
	}
	for range cap(failed) {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
	conn := admin(t, cfg)
	if n, d := ask[uint64](t, conn, "SELECT count() FROM requests"), ask[uint64](t, conn, "SELECT uniqExact(offset) FROM requests"); n != 5000 || d != 5000 {
		t.Errorf("%d rows, %d offsets; want 5000", n, d)
	}
}

// TestProgressReadsNoRows wants the projection to answer how far a partition
// has come.
func TestProgressReadsNoRows(t *testing.T) {
	t.Parallel()
	s, cfg := migrated(t)
	batch := rows(30_000, 0, rand.New(rand.NewPCG(1, 1)))
	if err := s.Land(t.Context(), rangeOf(batch), store.BlockOf(batch), nil, false); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile("sql/last.sql")
	if err != nil {
		t.Fatal(err)
	}
	read := uint64(0)
	ctx := clickhouse.Context(t.Context(), clickhouse.WithParameters(clickhouse.Parameters{"topic": "t", "partition": "1"}),
		clickhouse.WithProgress(func(p *clickhouse.Progress) { read += p.Rows }))
	var epoch uint32
	var last int64
	if err := admin(t, cfg).QueryRow(ctx, string(raw)).Scan(&epoch, &last); err != nil || last != 29_999 || read > 100 {
		t.Errorf("last %d after reading %d rows, %v", last, read, err)
	}
}

// TestLandLateWithOtherVerdicts lands a range again with other values in it,
// as an owner does that stalled before the thresholds changed: the token
// stands for the range, whatever is in it.
func TestLandLateWithOtherVerdicts(t *testing.T) {
	t.Parallel()
	s, cfg := migrated(t)
	batch := rows(10, 0, rand.New(rand.NewPCG(1, 1)))
	if err := s.Land(t.Context(), rangeOf(batch), store.BlockOf(batch), nil, false); err != nil {
		t.Fatal(err)
	}
	for i := range batch {
		batch[i].Verdict.RulesVersion = "rules-2"
	}
	if err := s.Land(t.Context(), rangeOf(batch), store.BlockOf(batch), nil, false); err != nil {
		t.Fatal(err)
	}
	if n := ask[uint64](t, admin(t, cfg), "SELECT countIf(rules_version = 'rules-1') * 1000 + count() FROM requests"); n != 10_010 {
		t.Errorf("%d; want the 10 rows that came first", n)
	}
}
