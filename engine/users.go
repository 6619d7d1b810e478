package engine

// usersConfig is users.xml: two accounts and what they may do.
//
// "default" is the session that opens the listeners; libchdb gives it no
// password, and a rule about networks would lock that session out as well. It
// may start listeners and nothing else, and it may have one session, which is
// taken before the first listener opens: so nobody can log in as default.
//
// User is the working account.
func usersConfig(password string, grants []string) element {
	return branch("clickhouse",
		branch("profiles",
			branch("default", leaf("fsync_metadata", "1"), leaf("cancel_http_readonly_queries_on_client_close", "1")),
			branch("listener", leaf("max_sessions_for_user", "1"))),
		branch("quotas", branch("default")),
		branch("users",
			account("default", "listener", leaf("password", ""), []string{"GRANT SYSTEM LISTEN ON *.*"}),
			account(User, "default", leaf("password_sha256_hex", passwordHash(password)), grants)))
}

func account(name, profile string, secret element, grants []string) element {
	g := branch("grants")
	for _, q := range grants {
		g.children = append(g.children, leaf("query", q))
	}
	return branch(name, secret, leaf("profile", profile), leaf("quota", "default"),
		branch("networks", leaf("ip", "::/0")), g)
}

// workingGrants is all that the working account may do: anything inside
// databases named headway…, with table engines that keep their data in the
// data directory; and reading the system tables that say how that goes. No
// files, no URLs, no other accounts, no shutting down, no changing of limits
// for others. READ and WRITE ON REMOTE, which Distributed tables need, are
// given only where a cluster is configured.
func workingGrants(cluster bool) []string {
	grants := []string{
		"GRANT SELECT, INSERT, ALTER, CREATE DATABASE, CREATE TABLE, CREATE VIEW, DROP, TRUNCATE, OPTIMIZE, SHOW ON " + Database + "*.*",
		"GRANT SYSTEM MERGES, SYSTEM TTL MERGES, SYSTEM FLUSH DISTRIBUTED, SYSTEM DISTRIBUTED SENDS ON " + Database + "*.*",
		"GRANT CREATE TEMPORARY TABLE ON *.*",
	}
	for _, e := range tableEngines {
		grants = append(grants, "GRANT TABLE ENGINE ON "+e)
	}
	for _, t := range systemTables {
		grants = append(grants, "GRANT SELECT ON system."+t)
	}
	if cluster {
		grants = append(grants, "GRANT TABLE ENGINE ON Distributed", "GRANT READ, WRITE ON REMOTE", "GRANT CLUSTER ON *.*")
	}
	return grants
}

// tableEngines keep their data in the data directory, in memory or in another
// table.
var tableEngines = [...]string{
	"MergeTree", "ReplacingMergeTree", "SummingMergeTree", "AggregatingMergeTree", "CollapsingMergeTree",
	"VersionedCollapsingMergeTree", "Memory", "Null", "Buffer", "Merge", "View", "MaterializedView",
}

// systemTables tell about data and load, not about other accounts. Those that
// list objects show only what the account may see anyway.
var systemTables = [...]string{
	"build_options", "clusters", "columns", "data_skipping_indices", "databases",
	"detached_parts", "disks", "distribution_queue", "dropped_tables", "errors", "events", "functions", "macros",
	"merge_tree_settings", "merges", "metrics", "mutations", "numbers", "numbers_mt", "one", "parts",
	"parts_columns", "processes", "projection_parts", "projection_parts_columns", "projections",
	"server_settings", "settings", "tables", "zeros", "zeros_mt",
}
