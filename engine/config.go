package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

// element is one element of a ClickHouse configuration file: a name with
// either text or children.
type element struct {
	name     string
	text     string
	children []element
}

func leaf(name, text string) element { return element{name: name, text: text} }
func number[T int | int64](name string, n T) element {
	return leaf(name, strconv.FormatInt(int64(n), 10))
}
func branch(name string, children ...element) element { return element{name: name, children: children} }

func (e element) write(b *strings.Builder, indent string) {
	b.WriteString(indent + "<" + e.name + ">")
	if len(e.children) == 0 {
		// A strings.Builder takes every write, so escaping can't go wrong.
		_ = xml.EscapeText(b, []byte(e.text))
	} else {
		b.WriteString("\n")
		for _, c := range e.children {
			c.write(b, indent+"  ")
		}
		b.WriteString(indent)
	}
	b.WriteString("</" + e.name + ">\n")
}

func (e element) String() string {
	var b strings.Builder
	e.write(&b, "")
	return b.String()
}

// boot is what differs from one start of the engine to the next.
type boot struct {
	tcpPort, httpPort int
	// nonce is what the engine says at bootPath: so the parent knows that the
	// listener is its own child and not something else on the same port.
	nonce string
}

const (
	bootPath = "/headway-boot"
	loopback = "127.0.0.1"
)

// serverConfig is config.xml: the listeners, on the loopback only because the
// gate stands before them, the places for files, limits and durability.
func serverConfig(o Options, dir string, b boot) element {
	at := func(name string) string { return filepath.Join(dir, name) + "/" }
	c := branch("clickhouse",
		branch("logger", leaf("level", "warning"), leaf("console", "1")),
		leaf("listen_host", loopback),
		number("tcp_port", b.tcpPort),
		number("http_port", b.httpPort),
		leaf("path", at("store")),
		leaf("tmp_path", at("tmp")),
		leaf("user_files_path", at("user_files")),
		leaf("format_schema_path", at("format_schemas")),
		leaf("users_config", filepath.Join(dir, "users.xml")),
		leaf("timezone", "UTC"),
		// Ready must mean that every table can be read.
		leaf("async_load_databases", "false"),
		leaf("max_connections", "1024"),
		number("mark_cache_size", int64(256<<20)),
		// An empty list allows no host: nothing here reads from the network,
		// and the members of a cluster are not subject to it.
		leaf("remote_url_allow_hosts", ""),
		accessRules(),
		mergeTree(o.NoFsync),
		branch("storage_configuration", branch("disks", branch("default", number("keep_free_space_bytes", keptFree)))),
		branch("http_handlers",
			branch("rule", leaf("url", bootPath), leaf("methods", "GET"),
				branch("handler", leaf("type", "static"), leaf("status", "200"), leaf("response_content", b.nonce))),
			leaf("defaults", "")),
	)
	if o.MaxMemory > 0 {
		c.children = append(c.children, number("max_server_memory_usage", o.MaxMemory))
	} else {
		c.children = append(c.children, leaf("max_server_memory_usage_to_ram_ratio", "0.5"))
	}
	c.children = append(c.children, macros(o.Macros)...)
	if len(o.Clusters) > 0 {
		c.children = append(c.children, remoteServers(o.Clusters))
	}
	return c
}

// keptFree is how much of the disk neither inserts nor merges may use, in
// bytes. ClickHouse 26.7 publishes parts whose last bytes did not fit, and
// acknowledges the insert: it must refuse before the disk is full.
const keptFree = int64(256 << 20)

// accessRules turns on every rule that newer servers have by default and older
// ones do not.
func accessRules() element {
	return branch("access_control_improvements",
		leaf("select_from_system_db_requires_grant", "true"),
		leaf("select_from_information_schema_requires_grant", "true"),
		leaf("table_engines_require_grant", "true"),
		leaf("on_cluster_queries_require_cluster_grant", "true"),
		leaf("settings_constraints_replace_previous", "true"))
}

// mergeTree makes an acknowledged insert survive a power loss: the part's
// files and its directory are on disk before the client hears of it, and a
// merged part is there before its sources go.
func mergeTree(noFsync bool) element {
	on, rows := "1", "1"
	if noFsync {
		on, rows = "0", "0"
	}
	return branch("merge_tree",
		leaf("fsync_after_insert", on),
		leaf("fsync_part_directory", on),
		leaf("min_rows_to_fsync_after_merge", rows))
}

func macros(values map[string]string) []element {
	if len(values) == 0 {
		return nil
	}
	m := branch("macros")
	for name, value := range values {
		m.children = append(m.children, leaf(name, value))
	}
	sort.Slice(m.children, func(i, j int) bool { return m.children[i].name < m.children[j].name })
	return []element{m}
}

func remoteServers(clusters []Cluster) element {
	all := branch("remote_servers")
	for _, c := range clusters {
		e := branch(c.Name)
		for _, s := range c.Shards {
			e.children = append(e.children, branch("shard", leaf("internal_replication", "true"),
				branch("replica", leaf("host", s.Host), number("port", s.Port), leaf("user", s.User), leaf("password", s.Password))))
		}
		all.children = append(all.children, e)
	}
	return all
}

// passwordHash is what users.xml holds instead of the password. The password
// is 256 random bits, so a plain hash can't be searched.
func passwordHash(password string) string {
	sum := sha256.Sum256([]byte(password))
	return hex.EncodeToString(sum[:])
}
