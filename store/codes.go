package store

import (
	"fmt"
	"slices"
)

const migrateRemedy = "run `headway migrate`"

// retryCodes are the server's errors that time may mend: overload, memory,
// disk, read-only replicas, too many parts, lost connections between servers.
var retryCodes = []int32{3, 159, 198, 201, 202, 203, 209, 210, 236, 241, 242, 243, 244, 252, 254, 265, 279, 285, 286, 289,
	290, 297, 319, 384, 425, 999, 1000}

// retryRemedies say what a person can do where time alone may not mend it.
var retryRemedies = map[int32]string{
	3:   "check ClickHouse's disk and log",
	75:  "free disk space on the ClickHouse server",
	76:  "free disk space on the ClickHouse server and check the rights of its data directory",
	202: "raise max_concurrent_queries on the ClickHouse server",
	241: "give the ClickHouse server or this user more memory, or lower ingest.batch_rows",
	242: "the table is read-only: check ClickHouse Keeper and system.replicas",
	243: "free disk space on the ClickHouse server",
	252: "let merges catch up: look at system.merges and the server's disk",
}

// dataCodes are the server's errors about values that it can't store:
// parsing, types, ranges, constraints.
var dataCodes = []int32{6, 26, 27, 38, 41, 53, 69, 70, 72, 117, 131, 190, 248, 321, 349, 407, 469}

// operatorRemedies are the server's errors that a person must mend.
func (s *Store) operatorRemedies() map[int32]string {
	login := fmt.Sprintf("check clickhouse.user and its password for %q", s.cfg.User)
	grants := fmt.Sprintf("grant user %q SELECT, INSERT, CREATE TABLE and ALTER on database %s", s.cfg.User, s.cfg.Database)
	writable := fmt.Sprintf("let user %q write: set readonly to 0 in its profile (2 is enough where it only reads)", s.cfg.User)
	unlock := fmt.Sprintf("make the tables of database %s writable: ALTER TABLE … MODIFY SETTING table_readonly = 0", s.cfg.Database)
	upgrade := "use ClickHouse 25.8 or later"
	return map[int32]string{
		516: login, 192: login, 193: login, 194: login,
		60: migrateRemedy, 81: migrateRemedy, 8: migrateRemedy, 10: migrateRemedy, 16: migrateRemedy, 47: migrateRemedy, 122: migrateRemedy,
		497: grants, 291: grants,
		246: "a part of a table is damaged, as after a full disk: restart ClickHouse, which sets it aside, then run `headway verify`",
		115: upgrade, 46: upgrade,
		164: writable,
		774: unlock,
		452: "the server's settings constraints forbid a setting; relax them for this user",
		701: "name a cluster of the server's remote_servers in clickhouse.cluster",
		170: "name a cluster of the server's remote_servers in clickhouse.cluster",
	}
}

// judge classes a server's error code. What is not known is tried again:
// nothing is ever dropped for an error that nobody understood.
func (s *Store) judge(code int32) (class, string) {
	if remedy, ok := s.operatorRemedies()[code]; ok {
		return classOperator, remedy
	}
	switch {
	case slices.Contains(dataCodes, code):
		return classData, "the rows are refused one by one"
	case retryRemedies[code] != "":
		return classRetry, retryRemedies[code] + "; it is tried again"
	case slices.Contains(retryCodes, code):
		return classRetry, "it is tried again"
	}
	return classRetry, "it is tried again; check the server's log if this lasts"
}

// limit is a bound of Config.Limits on the server.
type limit struct {
	setting string
	config  string
	value   string
}

// limitOf says which limit of a question an error code stands for.
func (s *Store) limitOf(code int32) (limit, bool) {
	l := s.cfg.Limits
	switch code {
	case 159, 160:
		return limit{"max_execution_time", "query.timeout", l.Time.String()}, true
	case 158:
		return limit{"max_rows_to_read", "query.max_rows", fmt.Sprint(l.Rows)}, true
	case 241:
		return limit{"max_memory_usage", "query.max_memory_mb", fmt.Sprint(l.MemoryMiB)}, true
	case 396:
		return limit{"max_result_rows", "query.max_values", fmt.Sprint(l.Values)}, true
	}
	return limit{}, false
}
