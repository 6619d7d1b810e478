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
	rows, err := s.conn.Query(p.attach(ctx), file("progress.sql").render(nil))
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

// Verify compares a range of offsets with rows and rejects: missing are the
// runs of offsets that are in neither table, doubled those that stand more
// than once. Offsets that the log itself lacks (transaction markers,
// compaction) are among the missing.
func (s *Store) Verify(ctx context.Context, r schema.Range) (missing, doubled []schema.Range, err error) {
	doing := "verifying " + rangeText(r)
	part := schema.Range{Topic: r.Topic, Epoch: r.Epoch, Partition: r.Partition}
	rows, err := s.conn.Query(s.consistent(rangeParams(r).attach(ctx)), file("gaps.sql").render(s.writeTables()))
	if err == nil {
		err = each(rows, func(d driver.Rows) error {
			gap := part
			err := d.Scan(&gap.First, &gap.Last)
			missing = append(missing, gap)
			return err
		})
	}
	if err != nil {
		return nil, nil, s.fault(doing, err)
	}
	rows, err = s.conn.Query(s.consistent(rangeParams(r).attach(ctx)), file("doubled.sql").render(s.writeTables()))
	if err == nil {
		err = scanColumn(rows, func(offset int64) {
			if n := len(doubled); n > 0 && doubled[n-1].Last == offset-1 {
				doubled[n-1].Last = offset
				return
			}
			run := part
			run.First, run.Last = offset, offset
			doubled = append(doubled, run)
		})
	}
	return missing, doubled, s.fault(doing, err)
}
