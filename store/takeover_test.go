package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"headway/query"
	"headway/schema"
	"headway/store"
)

// counting adds the rows that the server reads for a context's statements to
// n.
func counting(ctx context.Context, n *uint64) context.Context {
	return clickhouse.Context(ctx, clickhouse.WithProgress(func(p *clickhouse.Progress) { *n += p.Rows }))
}

// takeoverRows fills the table with n rows of four partitions, so many a
// second, merged as they are after a while.
func takeoverRows(t testing.TB, cfg store.Config, n, perSecond int) {
	t.Helper()
	const chunk = 500_000
	conn := admin(t, cfg)
	for at := 0; at < n; at += chunk {
		do(t, conn, fmt.Sprintf(`INSERT INTO requests (created_at, inserted_at, request_id, model, route, channel, source, role, topic, partition, offset)
			SELECT at - toIntervalMillisecond(rand(1) %% 5000), at, toString(number), 'm-' || toString(rand(2) %% 12), 'r-' || toString(rand(3) %% 4), 'ch-' || toString(rand(4) %% 36),
				'headway', 'primary', 't', number %% 4, intDiv(number, 4)
			FROM (SELECT number, toDateTime64('2026-11-02 03:00:00', 3, 'UTC') + toIntervalSecond(intDiv(number, %d)) AS at FROM numbers(%d, %d))`,
			perSecond, at, min(chunk, n-at)))
	}
	do(t, conn, "OPTIMIZE TABLE requests FINAL")
}

// takeovers are what a new owner of a partition of so many offsets asks.
func takeovers(s *store.Store, offsets int64) []struct {
	name string
	ask  func(context.Context) (int, error)
} {
	all := schema.Range{Topic: "t", Partition: 1, Last: offsets - 1}
	behind := schema.Range{Topic: "t", Partition: 1, First: max(0, offsets-200_000), Last: offsets - 1}
	return []struct {
		name string
		ask  func(context.Context) (int, error)
	}{
		{"how far", func(ctx context.Context) (int, error) {
			_, next, _, err := s.Last(ctx, "t", 1)
			return int(next), err
		}},
		{"all partitions", func(ctx context.Context) (int, error) {
			stored, err := s.Stored(ctx, "t")
			return len(stored), err
		}},
		{"newest row", func(ctx context.Context) (int, error) {
			rows, err := s.Recent(ctx, all, 0, 1)
			return len(rows), err
		}},
		{"last ten minutes", func(ctx context.Context) (int, error) {
			rows, err := s.Recent(ctx, behind, 10*time.Minute, 200_000)
			return len(rows), err
		}},
		{"all offsets", func(ctx context.Context) (int, error) {
			n := 0
			err := s.Runs(ctx, "t", []schema.Range{all}, func(query.StoredRun) { n++ })
			return n, err
		}},
	}
}

// TestTakeoverReadsFewRows has 56 hours of two rows a second. A new owner
// reads what its answers need, not the table.
func TestTakeoverReadsFewRows(t *testing.T) {
	t.Parallel()
	s, cfg := migrated(t)
	const n = 400_000
	takeoverRows(t, cfg, n, 2)
	want := map[string]struct{ answer, rows int }{
		"how far":          {n / 4, 100},                  // the projection's row a part
		"all partitions":   {4, 100},                      // the same
		"newest row":       {1, 4 * 8192},                 // the granules that the offset may be in
		"last ten minutes": {301, 4*8192 + 2*7200 + 8192}, // one slice of all partitions, and the hours it begins and ends in
		"all offsets":      {8, n + 100},
	}
	for _, q := range takeovers(s, n/4) {
		var read uint64
		got, err := q.ask(counting(t.Context(), &read))
		if w := want[q.name]; err != nil || got != w.answer || read > uint64(w.rows) {
			t.Errorf("%s: %d, %v, want %d; %d rows read, want at most %d", q.name, got, err, w.answer, read, w.rows)
		}
	}
}

// BenchmarkTakeover has five million rows, 700 a second: two hours.
func BenchmarkTakeover(b *testing.B) {
	s, cfg := migrated(b)
	const n = 5_000_000
	takeoverRows(b, cfg, n, 700)
	for _, q := range takeovers(s, n/4) {
		b.Run(q.name, func(b *testing.B) {
			var read uint64
			for b.Loop() {
				if _, err := q.ask(counting(b.Context(), &read)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(read)/float64(b.N), "rows_read/op")
		})
	}
}
