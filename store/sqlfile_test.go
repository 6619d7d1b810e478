package store_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// TestFilesRunAsTheyAre sends every embedded statement to the engine without
// filling a slot: what a person pastes into clickhouse-client.
func TestFilesRunAsTheyAre(t *testing.T) {
	t.Parallel()
	_, cfg := migrated(t)
	conn := admin(t, cfg)
	names, err := filepath.Glob("sql/*.sql")
	if err != nil || len(names) < 20 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	params := clickhouse.Parameters{"from": "2026-11-01 00:00:00.000", "to": "2026-11-02 00:00:00.000", "step_ms": "60000", "max_groups": "5",
		"topic": "t", "epoch": "0", "partition": "1", "first": "1", "last": "5", "since": "2026-11-01 00:00:00.000", "limit": "3",
		"after": "inf", "offset": "0", "id": "x", "value": "5", "prefix": "", "bands": "['0-1k']", "bounds": "[100]", "groups": "['a']",
		"low": "2026-11-01 00:00:00.000", "high": "2026-11-02 00:00:00.000", "topics": "['t']", "epochs": "[0]", "lows": "[0]", "highs": "[9]", "partitions": "[1]", "offsets": "[5]",
		"table": "requests", "version": "99", "name": "n", "checksum": strings.Repeat("0", 64), "at": "2026-11-01 00:00:00.000", "cause": "c",
		"ids": "[1]", "full": "[]", "part": "[]", "ones": "['a']", "twos": "['b']", "thin": "1",
		"advice": "['a']", "kind": "off", "key": "", "enabled": "false", "hedge_after": `\N`, "q": `\N`, "budget": `\N`, "who": "w", "why": "y", "until": "2026-11-02 00:00:00.000"}
	header := regexp.MustCompile(`^-- (question|what): .+\n`)
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			raw, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			text := string(raw)
			if !header.MatchString(text) {
				t.Error("the file does not begin with its question or purpose")
			}
			if strings.Contains(text, "-- question:") && (!strings.Contains(text, "\n-- tables: ") || !strings.Contains(text, "\n-- cost: ")) {
				t.Error("the header lacks tables or cost")
			}
			if strings.HasPrefix(filepath.Base(name), "insert_re") || filepath.Base(name) == "insert_advice.sql" { // they take a block: the landing tests send one
				return
			}
			ctx := clickhouse.Context(t.Context(), clickhouse.WithParameters(params))
			if err := conn.Exec(ctx, text); err != nil {
				t.Error(err)
			}
		})
	}
}
