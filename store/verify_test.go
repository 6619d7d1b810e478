package store_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"headway/classify"
	"headway/query"
	"headway/schema"
)

// TestRuns has rows over three runs, a gap and a double that cancel each other
// out, a reject, another partition and a former epoch.
func TestRuns(t *testing.T) {
	t.Parallel()
	s, cfg := migrated(t)
	const width = query.StoredRunOffsets
	rs := rows(300, width-100, rand.New(rand.NewPCG(1, 1)))
	landed(t, s, append(append([]classify.Row{}, rs[:50]...), rs[51:]...))
	landed(t, s, rs[60:61]) // again
	conn := admin(t, cfg)
	do(t, conn, "INSERT INTO rejects (topic, epoch, partition, offset, received_at) SELECT c.1, c.2, c.3, c.4, now64(3) FROM (SELECT arrayJoin([('t', 0, 1, 70000), ('t', 1, 1, 5), ('t', 0, 2, 5), ('other', 0, 1, 1)]) AS c)")
	part := func(epoch uint32, partition int32, first, last int64) schema.Range {
		return schema.Range{Topic: "t", Epoch: epoch, Partition: partition, First: first, Last: last}
	}
	var got []query.StoredRun
	err := s.Runs(t.Context(), "t", []schema.Range{part(0, 1, width-90, 69_999), part(0, 2, 0, -1)}, func(r query.StoredRun) { got = append(got, r) })
	if err != nil {
		t.Fatal(err)
	}
	want := []query.StoredRun{
		{Range: part(0, 1, width-100, width-91), Rows: 10, Different: 10},
		{Range: part(0, 1, width-90, width-1), Compared: true, Rows: 90, Different: 89},
		{Range: part(0, 1, width, width+199), Compared: true, Rows: 200, Different: 200},
		{Range: part(0, 1, 70_000, 70_000), Rejected: 1, Different: 1},
		{Range: part(0, 2, 5, 5), Rejected: 1, Different: 1},
		{Range: part(1, 1, 5, 5), Rejected: 1, Different: 1},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v, want\n%+v", got, want)
	}
	if err := s.Runs(t.Context(), "none", nil, func(r query.StoredRun) { t.Errorf("a run of a topic that is not stored: %+v", r) }); err != nil {
		t.Error(err)
	}
}
