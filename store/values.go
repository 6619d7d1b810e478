package store

import (
	"context"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"headway/query"
	"headway/schema"
)

// defaultValues is how many values are shown unless asked otherwise.
const defaultValues = 50

// Values returns the most frequent values of one dimension, "" for rows where
// it was not recorded. Of lists, each element counts for its row. Ids are
// refused: they are looked up, never listed.
func (s *Store) Values(ctx context.Context, vq query.Values, sc query.Scope) (query.ValuesAnswer, error) {
	f, err := s.dimension(vq.Field)
	if err != nil {
		return query.ValuesAnswer{}, query.Errors{{Param: "name", Message: "no dimension has this name", Nearest: query.Nearest(vq.Field, s.reg.Names(schema.KindDimension))}}
	}
	q := s.ask("values")
	p, where, err := q.scope(sc)
	if err != nil {
		return query.ValuesAnswer{}, err
	}
	limit := vq.Limit
	or(&limit, defaultValues)
	p.text("prefix", vq.Prefix)
	p.number("limit", int64(limit))
	value := asText(f)
	if f.Value == schema.ValueStrings {
		value = "arrayJoin(if(empty(" + f.Column + "), [''], " + f.Column + "))"
	}
	a := query.ValuesAnswer{Field: f.Name}
	err = q.run(ctx, file("values.sql"), map[string]string{"value": value, "filter": where}, p, func(r driver.Rows) error {
		var v query.ValueCount
		var n uint64
		err := r.Scan(&v.Value, &n)
		v.N = int64(n)
		a.Values = append(a.Values, v)
		return err
	})
	if err != nil {
		return a, err
	}
	a.Meta, err = q.counted(ctx, sc, vq.Explain)
	return a, err
}

// Newest returns when the newest stored record was made, nil where the store
// is empty. It reads no rows.
func (s *Store) Newest(ctx context.Context) (*time.Time, error) { return s.ask("newest").newest(ctx) }
