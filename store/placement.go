package store

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// localSuffix is what the table of one shard has behind its name on a
// cluster; the bare name is then the Distributed table over all shards.
const localSuffix = "_local"

// placement fills a migration's slots for a single node or a cluster.
func (c Config) placement(table string) map[string]string {
	days := strconv.Itoa(int(c.Retention / day))
	if c.Cluster == "" {
		return map[string]string{"table": table, "days": days}
	}
	fill := map[string]string{
		"cluster": c.onCluster(), "days": days, "name": c.Cluster,
		"table":  c.writeTable(table),
		"engine": "ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/" + table + "', '{replica}')",
	}
	switch {
	case table == "schema_migrations", table == "advice", table == "policy_changes": // one list for all shards
		fill["table"] = table
		fill["engine"] = "ReplicatedMergeTree('/clickhouse/tables/{database}/" + table + "', '{shard}-{replica}')"
	case strings.HasSuffix(table, "_distributed"):
		fill["table"] = strings.TrimSuffix(table, "_distributed")
	}
	return fill
}

func (c Config) onCluster() string {
	if c.Cluster == "" {
		return ""
	}
	return "ON CLUSTER " + c.Cluster
}

// writeTable is where rows are inserted and checked: on a cluster the local
// table, so that checks and tokens see what the insert saw.
func (c Config) writeTable(table string) string {
	if c.Cluster == "" {
		return table
	}
	return table + localSuffix
}

// clusterOnly tells the migrations that a single node has no use for.
func (m migration) clusterOnly() bool { return strings.HasSuffix(m.table(), "_distributed") }

// setRetention changes the tables' TTL where it is not the configured one.
func (s *Store) setRetention(ctx context.Context) (changed []string, err error) {
	want := fmt.Sprintf("toIntervalDay(%d)", s.cfg.Retention/day)
	for _, t := range []struct{ table, column string }{{"requests", "created_at"}, {"rejects", "received_at"}} {
		p := params{}
		p.text("table", s.cfg.writeTable(t.table))
		var ddl string
		if err := s.conn.QueryRow(p.attach(ctx), file("table_ddl.sql").render(nil)).Scan(&ddl); err != nil {
			return changed, s.fault("reading the retention of "+t.table, err)
		}
		if strings.Contains(ddl, want) {
			continue
		}
		text := file("modify_ttl.sql").render(map[string]string{"table": s.cfg.writeTable(t.table), "column": t.column,
			"cluster": s.cfg.onCluster(), "days": strconv.Itoa(int(s.cfg.Retention / day))})
		if err := s.exec(ctx, "changing the retention of "+t.table, text); err != nil {
			return changed, err
		}
		changed = append(changed, fmt.Sprintf("retention of %s: %s", t.table, s.cfg.Retention))
	}
	return changed, nil
}

// timeText writes a time as DateTime64(3) parameters take it.
func timeText(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05.000") }
