package store

import (
	"context"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"headway/schema"
)

// Stored is how much of one partition is among rows and rejects; First and
// Last of Range are its lowest and highest offset.
type Stored struct {
	Range          schema.Range
	Rows, Rejected int64
}

// Stored says for each epoch and partition of a topic how much of it is
// stored, from the tables' projections: no rows are read.
func (s *Store) Stored(ctx context.Context, topic string) ([]Stored, error) {
	p := &params{}
	p.text("topic", topic)
	var out []Stored
	rows, err := s.conn.Query(s.consistent(p.attach(ctx)), file("progress.sql").render(nil))
	if err == nil {
		err = each(rows, func(r driver.Rows) error {
			st := Stored{Range: schema.Range{Topic: topic}}
			var n, rejected uint64
			err := r.Scan(&st.Range.Epoch, &st.Range.Partition, &n, &rejected, &st.Range.First, &st.Range.Last)
			st.Rows, st.Rejected = int64(n), int64(rejected)
			out = append(out, st)
			return err
		})
	}
	return out, s.fault("reading what of "+topic+" is stored", err)
}
