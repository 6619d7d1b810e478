package store_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"headway/schema"
)

// sqlType is the column type of a field.
func sqlType(f schema.Field) string {
	switch f.Value {
	case schema.ValueString:
		if f.Kind == schema.KindIdentity {
			return "String"
		}
		return "LowCardinality(String)"
	case schema.ValueBool:
		return "Nullable(Bool)"
	case schema.ValueInt:
		switch f.Name {
		case "attempt":
			return "UInt16"
		case "status":
			return "Nullable(UInt16)"
		}
		return "Nullable(UInt32)"
	case schema.ValueFloat:
		return "Nullable(Float64)"
	case schema.ValueDuration:
		return "Nullable(UInt64)"
	case schema.ValueTime:
		return "DateTime64(3, 'UTC')"
	}
	return "Array(LowCardinality(String))"
}

// provenance are the columns of the requests table that are no field.
func provenance() map[string]string {
	return map[string]string{
		"topic": "LowCardinality(String)", "epoch": "UInt32", "partition": "Int32", "offset": "Int64", "inserted_at": "DateTime64(3, 'UTC')",
		"rules_version": "LowCardinality(String)", "precision_us": "UInt32", "given_tps": "Nullable(Float64)",
		"evidence_label": "Array(LowCardinality(String))", "evidence_field": "Array(LowCardinality(String))",
		"evidence_value": "Array(Float64)", "evidence_threshold": "Array(Float64)", "evidence_marks": "Array(UInt8)",
	}
}

func columnTypes(t *testing.T, conn driver.Conn, table string) map[string]string {
	t.Helper()
	rows, err := conn.Query(t.Context(), "SELECT name, type FROM system.columns WHERE database = currentDatabase() AND table = '"+table+"'")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for rows.Next() {
		var name, kind string
		if err := rows.Scan(&name, &kind); err != nil {
			t.Fatal(err)
		}
		out[name] = kind
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestTableEqualsRegistry(t *testing.T) {
	t.Parallel()
	_, cfg := migrated(t)
	got := columnTypes(t, admin(t, cfg), "requests")
	want := provenance()
	for _, f := range schema.NewRegistry().Fields() {
		if f.Column != "" {
			want[f.Column] = sqlType(f)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got[name] != want[name] {
			t.Errorf("column %s is %q in the table, %q in the registry", name, got[name], want[name])
		}
	}
	for name := range got {
		if want[name] == "" {
			t.Errorf("column %s is in the table only", name)
		}
	}
}

func TestMigrateTwice(t *testing.T) {
	t.Parallel()
	cfg := config()
	s := open(t, cfg)
	first, err := s.Migrate(t.Context())
	if err != nil || !slices.Contains(first, "0001_requests.sql") {
		t.Fatalf("first: %v, %v", first, err)
	}
	if second, err := s.Migrate(t.Context()); err != nil || len(second) != 0 {
		t.Fatalf("second: %v, %v; want nothing to do", second, err)
	}
	if err := s.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestMigrateChangedFile(t *testing.T) {
	t.Parallel()
	s, cfg := migrated(t)
	do(t, admin(t, cfg), "ALTER TABLE schema_migrations UPDATE checksum = repeat('0', 64) WHERE version = 2 SETTINGS mutations_sync = 1")
	_, err := s.Migrate(t.Context())
	if err == nil || !strings.Contains(err.Error(), "0002_rejects.sql") || !strings.Contains(err.Error(), "new migration") {
		t.Fatalf("error %v; want the file and the remedy", err)
	}
}

func TestMigrateChangesRetention(t *testing.T) {
	t.Parallel()
	_, cfg := migrated(t)
	cfg.Retention = 30 * 24 * time.Hour
	s := open(t, cfg)
	changed, err := s.Migrate(t.Context())
	if err != nil || len(changed) != 2 {
		t.Fatalf("%v, %v; want both tables changed", changed, err)
	}
	for _, table := range []string{"requests", "rejects"} {
		if ddl := ask[string](t, admin(t, cfg), "SELECT create_table_query FROM system.tables WHERE database = currentDatabase() AND name = '"+table+"'"); !strings.Contains(ddl, "toIntervalDay(30)") {
			t.Errorf("%s: %s", table, ddl)
		}
	}
}
