package store

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestClusterStatements compares the cluster's migrations with testdata: no
// engine here has a keeper to run them.
func TestClusterStatements(t *testing.T) {
	t.Parallel()
	cfg, err := Config{Addr: "h:9000", Database: "headway", Cluster: "fleet", Retention: 30 * 24 * time.Hour}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	add := func(name, text string) {
		all.WriteString("== " + name + "\n" + text + "\n")
	}
	add("create_database.sql", file("create_database.sql").render(map[string]string{"database": cfg.Database, "cluster": cfg.onCluster()}))
	add("schema_migrations.sql", file("schema_migrations.sql").render(cfg.placement("schema_migrations")))
	for _, m := range migrations() {
		add(m.file.name, m.file.render(cfg.placement(m.table())))
	}
	compare(t, "testdata/sql/cluster.sql", all.String())
	if got := cfg.writeTable("requests"); got != "requests_local" {
		t.Errorf("rows go to %s", got)
	}
}

// compare compares with a file, or writes it with -update.
func compare(t *testing.T, path, got string) {
	t.Helper()
	if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" {
		if err := os.WriteFile(filepath.FromSlash(path), []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(filepath.FromSlash(path))
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; run go test -update and read the difference. got\n%s", path, got)
	}
}
