package store

import (
	"context"
	"regexp"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// columns returns the names of the columns of every table of the database.
func (s *Store) columns(ctx context.Context) (map[string]map[string]bool, error) {
	out := map[string]map[string]bool{}
	rows, err := s.conn.Query(ctx, file("columns.sql").render(nil))
	if err == nil {
		err = each(rows, func(r driver.Rows) error {
			var table, name string
			err := r.Scan(&table, &name)
			if out[table] == nil {
				out[table] = map[string]bool{}
			}
			out[table][name] = true
			return err
		})
	}
	return out, s.fault("reading which tables are there", err)
}

// definition is a line of a migration that defines a column.
var definition = regexp.MustCompile(`(?m)^ {4}([a-z_0-9]+) +([A-Z].*?),?$`)

// mend makes anew what an applied migration made and is not there any more:
// its table, or columns of it. The rows that went with them are gone.
func (s *Store) mend(ctx context.Context, m migration, there map[string]map[string]bool) (mended []string, err error) {
	if m.clusterOnly() && s.cfg.Cluster == "" {
		return nil, nil
	}
	fill := s.cfg.placement(m.table())
	table := fill["table"]
	if there[table] == nil {
		if err := s.exec(ctx, "applying migration "+m.file.name, m.file.render(fill)); err != nil {
			return nil, err
		}
		return []string{m.file.name}, nil
	}
	if m.clusterOnly() {
		return nil, nil // it has the columns of the table below it
	}
	for _, d := range definition.FindAllStringSubmatch(m.file.text, -1) {
		if there[table][d[1]] {
			continue
		}
		text := file("add_column.sql").render(map[string]string{"table": table, "cluster": s.cfg.onCluster(), "column": d[1] + " " + d[2]})
		what := "column " + d[1] + " of " + table
		if err := s.exec(ctx, "adding "+what, text); err != nil {
			return mended, err
		}
		mended = append(mended, what)
	}
	return mended, nil
}
