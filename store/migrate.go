package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// Migrate brings the database to this version's tables: it creates the
// database, applies every migration that was not applied yet, in order, makes
// tables and columns anew that were taken away since, and sets the retention.
// It may run at any time, again, and from several processes at once. Applied
// names what it did, nil where nothing was due.
func (s *Store) Migrate(ctx context.Context) (applied []string, err error) {
	if err := s.createDatabase(ctx); err != nil {
		return nil, err
	}
	if err := s.exec(ctx, "creating the table of migrations", file("schema_migrations.sql").render(s.cfg.placement("schema_migrations"))); err != nil {
		return nil, err
	}
	done, err := s.appliedMigrations(ctx)
	if err != nil {
		return nil, err
	}
	there, err := s.columns(ctx)
	if err != nil {
		return nil, err
	}
	for _, m := range migrations() {
		if sum, ok := done[m.version]; ok {
			if sum != m.checksum() {
				return applied, fmt.Errorf("migration %s was applied with another content (checksum %.12s…, now %.12s…): install the version of Headway that applied it, or restore the file; changes need a new migration", m.file.name, sum, m.checksum())
			}
			mended, err := s.mend(ctx, m, there)
			if applied = append(applied, mended...); err != nil {
				return applied, err
			}
			continue
		}
		if m.clusterOnly() && s.cfg.Cluster == "" {
			continue
		}
		if err := s.apply(ctx, m); err != nil {
			return applied, err
		}
		applied = append(applied, m.file.name)
	}
	changed, err := s.setRetention(ctx)
	return append(applied, changed...), err
}

// createDatabase uses a connection of its own: one that names a database
// which is not there is refused.
func (s *Store) createDatabase(ctx context.Context) error {
	conn, err := clickhouse.Open(s.cfg.options(""))
	if err != nil {
		return fmt.Errorf("preparing a connection to ClickHouse at %s: %w", s.cfg.Addr, err)
	}
	defer func() { _ = conn.Close() }() // an idle connection has nothing to lose
	text := file("create_database.sql").render(map[string]string{"database": s.cfg.Database, "cluster": s.cfg.onCluster()})
	return s.fault("creating the database", conn.Exec(ctx, text))
}

func (s *Store) exec(ctx context.Context, doing, text string) error {
	return s.fault(doing, s.conn.Exec(ctx, text))
}

func (s *Store) appliedMigrations(ctx context.Context) (map[uint32]string, error) {
	rows, err := s.conn.Query(ctx, file("migrations_applied.sql").render(nil))
	if err != nil {
		return nil, s.fault("reading the applied migrations", err)
	}
	out := map[uint32]string{}
	err = each(rows, func(r driver.Rows) error {
		var version uint32
		var name, sum string
		err := r.Scan(&version, &name, &sum)
		out[version] = sum
		return err
	})
	return out, s.fault("reading the applied migrations", err)
}

func (s *Store) apply(ctx context.Context, m migration) error {
	text := m.file.render(s.cfg.placement(m.table()))
	if err := s.exec(ctx, "applying migration "+m.file.name, text); err != nil {
		return err
	}
	p := params{}
	p.number("version", int64(m.version))
	p.text("name", m.file.name)
	p.text("checksum", m.checksum())
	p.time("at", s.cfg.Now())
	return s.fault("remembering migration "+m.file.name, s.conn.Exec(p.attach(ctx), file("insert_migration.sql").render(nil)))
}

// migration is one numbered file; its table is the name after the number.
type migration struct {
	version uint32
	file    sqlFile
}

// migrations are the embedded files in order.
func migrations() []migration {
	names, err := fs.Glob(sqlFiles, "migrations/*.sql")
	if err != nil {
		panic("store: pattern of migrations: " + err.Error())
	}
	var out []migration
	for _, path := range names { // Glob sorts, and the numbers have four digits
		b, err := sqlFiles.ReadFile(path)
		if err != nil {
			panic("store: embedded migration " + path + ": " + err.Error())
		}
		name := strings.TrimPrefix(path, "migrations/")
		version, err := strconv.ParseUint(name[:4], 10, 32)
		if err != nil {
			panic("store: migration " + name + " has no number")
		}
		out = append(out, migration{version: uint32(version), file: sqlFile{name: name, text: strings.TrimSpace(string(b))}})
	}
	return out
}

func (m migration) checksum() string {
	sum := sha256.Sum256([]byte(m.file.text))
	return hex.EncodeToString(sum[:])
}

func (m migration) table() string {
	return strings.TrimSuffix(m.file.name[len("0000_"):], ".sql")
}
