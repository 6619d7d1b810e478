package store_test

import (
	"fmt"
	"strings"
	"testing"

	"headway/classify"
	"headway/schema"
	"headway/store"
)

// TestContentLeavesNoTrace feeds a record with marked content through decoder
// and store, and searches every table that the account can read.
func TestContentLeavesNoTrace(t *testing.T) {
	t.Parallel()
	const marked = "XYZZY-marked-content"
	s, cfg := migrated(t)
	conn := admin(t, cfg)
	source, err := schema.NewSources().Need("headway")
	if err != nil {
		t.Fatal(err)
	}
	d, err := schema.NewDecoder(schema.Config{Source: source, NewID: func() string { return "generated" }})
	if err != nil {
		t.Fatal(err)
	}
	rec := schema.Record{Origin: schema.Origin{Topic: "t", Offset: 1}}
	line := `{"v":1,"request_id":"a","created_at":"2026-11-02T03:00:00Z","model":"m","messages":[{"content":"` + marked + `"}],"api_key":"` + marked + `","other":{"prompt":"` + marked + `","timing":{"first_response_ms":5}}}`
	dropped, err := d.Decode([]byte(line), base, &rec)
	if err != nil || dropped == 0 {
		t.Fatalf("dropped %d, %v", dropped, err)
	}
	batch := []classify.Row{{Record: rec}}
	if err := s.Land(t.Context(), rangeOf(batch), store.BlockOf(batch), nil, false); err != nil {
		t.Fatal(err)
	}
	rows, err := conn.Query(t.Context(), "SELECT database, name FROM system.tables WHERE database = currentDatabase() OR database = 'system' AND name IN ('errors', 'processes', 'parts', 'text_log', 'query_log')")
	if err != nil {
		t.Fatal(err)
	}
	searched := 0
	for rows.Next() {
		var database, table string
		if err := rows.Scan(&database, &table); err != nil {
			t.Fatal(err)
		}
		var n uint64
		// The search's own text is in processes.
		text := fmt.Sprintf("SELECT countIf(position(toString(tuple(*)), concat('XYZZY', '-marked')) > 0) FROM %s.%s", database, table)
		if err := conn.QueryRow(t.Context(), text).Scan(&n); err != nil {
			if strings.Contains(err.Error(), "Not enough privileges") {
				continue
			}
			t.Fatalf("%s.%s: %v", database, table, err)
		}
		searched++
		if n > 0 {
			t.Errorf("%s.%s holds the marked content %d times", database, table, n)
		}
	}
	if err := rows.Err(); err != nil || searched < 5 {
		t.Fatalf("searched %d tables, %v", searched, err)
	}
	if n := ask[uint64](t, conn, "SELECT count() FROM requests WHERE position(toString(tuple(*)), 'first') >= 0 AND request_id = 'a'"); n != 1 {
		t.Errorf("%d rows: the search would find nothing", n)
	}
}
