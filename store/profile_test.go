package store_test

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"headway/engine"
	"headway/schema"
	"headway/store"
)

// hostile are settings that an account may have for other programs' sake, each
// of which would make a landing, or its check, mean something else.
var hostile = map[string][]string{
	"unsaid": {"send_profile_events=0", "use_query_cache=1", "query_cache_ttl=600", "query_cache_nondeterministic_function_handling=ignore",
		"query_cache_system_table_handling=ignore"},
	"cut short": {"max_rows_to_read=10", "read_overflow_mode=break", "max_result_rows=10", "result_overflow_mode=break", "limit=7", "offset=3"},
	"inserts": {"async_insert=1", "wait_for_async_insert=0", "insert_deduplicate=0", "deduplicate_insert=disable",
		"max_insert_block_size=10", "min_insert_block_size_rows=1", "min_insert_block_size_bytes=1"},
}

// withProfile starts an engine whose account has the settings.
func withProfile(t *testing.T, settings []string) store.Config {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "users.d"), 0o700); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, s := range settings {
		name, value, _ := strings.Cut(s, "=")
		fmt.Fprintf(&text, "<%s>%s</%s>", name, value, name)
	}
	xml := "<clickhouse><profiles><other>" + text.String() + `</other></profiles><users><headway><profile replace="1">other</profile></headway></users></clickhouse>`
	if err := os.WriteFile(filepath.Join(dir, "users.d", "profile.xml"), []byte(xml), 0o600); err != nil {
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
	return store.Config{Addr: db.NativeAddr(), User: db.User(), Password: db.Password(), Database: db.Database(), Retention: 3650 * 24 * time.Hour}
}

// TestLandWhateverTheAccountsSettings lands ranges, one of them with a burned
// token, and again, as an account whose profile is made for something else.
func TestLandWhateverTheAccountsSettings(t *testing.T) {
	t.Parallel()
	for name, settings := range hostile {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			landAs(t, withProfile(t, settings))
		})
	}
}

func landAs(t *testing.T, cfg store.Config) {
	s := open(t, cfg)
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	conn := admin(t, cfg)
	count := func(what string) uint64 {
		return ask[uint64](t, conn, "SELECT "+what+" FROM requests WHERE topic = 't' SETTINGS use_query_cache = 0, limit = 0, offset = 0, max_rows_to_read = 0, max_result_rows = 0")
	}
	do(t, conn, fmt.Sprintf("INSERT INTO requests (created_at, topic, partition, offset) SETTINGS async_insert = 0, insert_deduplicate = 1, deduplicate_insert = 'enable', "+
		"insert_deduplication_token = 't/0/1/0-99/%s#0' VALUES ('2026-11-02 03:00:00', 'other', 9, 0)", base.Format("2006-01-02")))
	all := rows(300, 0, rand.New(rand.NewPCG(1, 1)))
	for round, check := range []bool{true, false, true} {
		for at := 0; at < 300; at += 100 {
			batch := all[at : at+100]
			if err := s.Land(t.Context(), rangeOf(batch), store.BlockOf(batch), nil, check); err != nil {
				t.Fatal(err)
			}
			want := uint64(300)
			if round == 0 {
				want = uint64(at + 100)
			}
			if n, d := count("count()"), count("uniqExact(offset)"); n != want || d != want {
				t.Fatalf("round %d, from %d: %d rows, %d offsets; want %d", round, at, n, d, want)
			}
			if _, n, _, err := s.Last(t.Context(), "t", 1); err != nil || n != int64(want) {
				t.Fatalf("next %d, %v; want %d", n, err, want)
			}
		}
	}
	whole := schema.Range{Topic: "t", Partition: 1, Last: 299}
	if recent, err := s.Recent(t.Context(), whole, 0, 1000); err != nil || len(recent) != 300 {
		t.Errorf("%d recent rows, %v; want 300", len(recent), err)
	}
	if gaps, err := s.Gaps(t.Context(), whole); err != nil || len(gaps) != 0 {
		t.Errorf("gaps %v, %v", gaps, err)
	}
	if stored, err := s.Stored(t.Context(), "t"); err != nil || len(stored) != 1 || stored[0].Rows != 300 {
		t.Errorf("stored %v, %v", stored, err)
	}
}
