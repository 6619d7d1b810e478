package store

import (
	"context"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"headway/query"
	"headway/schema"
)

// runsAtOnce bounds the offsets of all partitions that one statement counts,
// and with them the server's bitmaps: 16,384 runs of 8 KiB.
const runsAtOnce = 1 << 30

// Runs counts what is stored of a topic, in runs of offsets: by epoch and
// partition, then by offset, except that topics with more offsets than one
// statement may count come in several passes over rising offsets. Runs of
// which nothing is stored are left out. compared has one range for each
// partition that is compared with its log; runs are cut at its ends.
func (s *Store) Runs(ctx context.Context, topic string, compared []schema.Range, visit func(query.StoredRun)) error {
	stored, err := s.Stored(ctx, topic)
	if err != nil || len(stored) == 0 {
		return err
	}
	first, last := stored[0].Range.First, stored[0].Range.Last
	for _, st := range stored {
		first, last = min(first, st.Range.First), max(last, st.Range.Last)
	}
	step := max(query.StoredRunOffsets, int64(runsAtOnce/len(stored))/query.StoredRunOffsets*query.StoredRunOffsets)
	for at := first / query.StoredRunOffsets * query.StoredRunOffsets; at <= last; at += step {
		if err := s.runs(ctx, topic, compared, at, at+step-1, visit); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) runs(ctx context.Context, topic string, compared []schema.Range, first, last int64, visit func(query.StoredRun)) error {
	p := comparedParams(topic, compared)
	p.number("first", first)
	p.number("last", last)
	rows, err := s.conn.Query(s.consistent(p.attach(ctx)), file("runs.sql").render(nil))
	if err == nil {
		err = each(rows, func(d driver.Rows) error {
			r := query.StoredRun{Range: schema.Range{Topic: topic}}
			var inside uint8
			var run int64
			var n, rejected, different uint64
			err := d.Scan(&r.Range.Epoch, &r.Range.Partition, &inside, &run, &r.Range.First, &r.Range.Last, &n, &rejected, &different)
			r.Compared, r.Rows, r.Rejected, r.Different = inside != 0, int64(n), int64(rejected), int64(different)
			if err == nil {
				visit(r)
			}
			return err
		})
	}
	return s.fault("counting what of "+topic+" is stored", err)
}

func comparedParams(topic string, compared []schema.Range) *params {
	p := &params{}
	p.text("topic", topic)
	column := func(name string, of func(schema.Range) int64) {
		values := make([]int64, len(compared))
		for i, r := range compared {
			values[i] = of(r)
		}
		p.numbers(name, values)
	}
	column("partitions", func(r schema.Range) int64 { return int64(r.Partition) })
	column("epochs", func(r schema.Range) int64 { return int64(r.Epoch) })
	column("lows", func(r schema.Range) int64 { return r.First })
	column("highs", func(r schema.Range) int64 { return r.Last })
	return p
}

// Gaps returns the runs of a range's offsets that are neither among rows nor
// rejects, in order.
func (s *Store) Gaps(ctx context.Context, r schema.Range) (gaps []schema.Range, err error) {
	rows, err := s.conn.Query(s.consistent(rangeParams(r).attach(ctx)), file("gaps.sql").render(nil))
	if err == nil {
		err = each(rows, func(d driver.Rows) error {
			gap := schema.Range{Topic: r.Topic, Epoch: r.Epoch, Partition: r.Partition}
			err := d.Scan(&gap.First, &gap.Last)
			gaps = append(gaps, gap)
			return err
		})
	}
	return gaps, s.fault("looking for gaps in "+rangeText(r), err)
}

// Doubled returns the runs of a range's offsets that stand more than once
// among rows and rejects, in order.
func (s *Store) Doubled(ctx context.Context, r schema.Range) (doubled []schema.Range, err error) {
	rows, err := s.conn.Query(s.consistent(rangeParams(r).attach(ctx)), file("doubled.sql").render(nil))
	if err == nil {
		err = scanColumn(rows, func(offset int64) {
			if n := len(doubled); n > 0 && doubled[n-1].Last == offset-1 {
				doubled[n-1].Last = offset
				return
			}
			doubled = append(doubled, schema.Range{Topic: r.Topic, Epoch: r.Epoch, Partition: r.Partition, First: offset, Last: offset})
		})
	}
	return doubled, s.fault("looking for doubles in "+rangeText(r), err)
}

// Lost returns the ranges of a topic's offsets that were recorded as lost, by
// epoch, partition and first offset; they may overlap.
func (s *Store) Lost(ctx context.Context, topic string) (lost []schema.Range, err error) {
	p := &params{}
	p.text("topic", topic)
	rows, err := s.conn.Query(s.consistent(p.attach(ctx)), file("lost.sql").render(nil))
	if err == nil {
		err = each(rows, func(d driver.Rows) error {
			r := schema.Range{Topic: topic}
			err := d.Scan(&r.Epoch, &r.Partition, &r.First, &r.Last)
			lost = append(lost, r)
			return err
		})
	}
	return lost, s.fault("reading what of "+topic+" was lost", err)
}
