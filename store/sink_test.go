package store_test

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"headway/classify"
	"headway/query"
	"headway/schema"
	"headway/store"
)

// TestRecent has rows over more than an hour whose order of arrival is not
// that of their times: each ten arrived a minute after those before.
func TestRecent(t *testing.T) {
	t.Parallel()
	s, cfg := migrated(t)
	rs := rows(50, 0, rand.New(rand.NewPCG(1, 1)))
	for i := range rs {
		rs[i].Record.CreatedAt = base.Add(time.Duration(i*7%50) * 2 * time.Minute)
	}
	landed(t, s, rs)
	arrival := "toDateTime64('2026-11-02 06:00:00', 3, 'UTC') + toIntervalMinute(intDiv(offset, 10))"
	do(t, admin(t, cfg), "ALTER TABLE requests UPDATE inserted_at = "+arrival+" WHERE 1 SETTINGS mutations_sync = 1")
	cases := []struct {
		name       string
		from, last int64
		within     time.Duration
		limit      int
		first      int64
		n          int
	}{
		{"all", 0, 99, 0, 100, 0, 50},
		{"newest", 0, 99, 0, 5, 45, 5},
		{"a range", 20, 24, 0, 100, 20, 5},
		{"newest of a range", 3, 9, 0, 3, 7, 3},
		{"arrived with the newest", 0, 99, time.Millisecond, 100, 40, 10},
		{"arrived within two minutes", 0, 99, 2 * time.Minute, 100, 20, 30},
		{"arrived within two minutes, the newest", 0, 99, 2 * time.Minute, 12, 38, 12},
		{"arrived within a minute of a range's newest", 5, 29, time.Minute, 100, 10, 20},
		{"none", 50, 99, time.Minute, 5, 0, 0},
		{"empty range", 0, -1, time.Minute, 5, 0, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := s.Recent(t.Context(), schema.Range{Topic: "t", Partition: 1, First: c.from, Last: c.last}, c.within, c.limit)
			if err != nil || len(got) != c.n {
				t.Fatalf("%d records, %v; want %d", len(got), err, c.n)
			}
			for i, r := range got {
				want := rs[c.first+int64(i)].Record
				if r.Origin != want.Origin || r.RequestID != want.RequestID || r.Source != want.Source || r.Role != want.Role || !r.CreatedAt.Equal(want.CreatedAt) {
					t.Fatalf("record %d: %+v, want that at offset %d", i, r, want.Origin.Offset)
				}
			}
		})
	}
}

func TestLastAndLose(t *testing.T) {
	t.Parallel()
	s, _ := migrated(t)
	expect := func(epoch uint32, next int64, found bool) {
		t.Helper()
		if e, n, f, err := s.Last(t.Context(), "t", 1); err != nil || e != epoch || n != next || f != found {
			t.Fatalf("last %d %d %v, %v; want %d %d %v", e, n, f, err, epoch, next, found)
		}
	}
	expect(0, 0, false)
	rs := rows(10, 100, rand.New(rand.NewPCG(1, 1)))
	landed(t, s, rs)
	expect(0, 110, true)
	reject := schema.Reject{Origin: schema.Origin{Topic: "t", Partition: 1, Offset: 110}, Reason: schema.ReasonEmpty, ReceivedAt: base}
	if err := s.Land(t.Context(), schema.Range{Topic: "t", Partition: 1, First: 110, Last: 110}, store.BlockOf(nil), []schema.Reject{reject}, false); err != nil {
		t.Fatal(err)
	}
	expect(0, 111, true)
	// 95 to 104 overlaps with rows, and is told twice; 100 to 119 overlaps with it.
	for _, r := range []schema.Range{{Topic: "t", Partition: 1, First: 95, Last: 104}, {Topic: "t", Partition: 1, First: 95, Last: 104}, {Topic: "t", Partition: 1, First: 100, Last: 119}} {
		if err := s.Lose(t.Context(), r, "retention", base.Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	expect(0, 120, true)
	a, err := s.Quality(t.Context(), query.Quality{}, hour())
	if err != nil {
		t.Fatal(err)
	}
	lost := int64(0)
	for _, l := range a.Lost {
		lost += l.Messages
	}
	if len(a.Lost) != 2 || lost != 5+9 || a.Lost[0].Cause != "retention" {
		t.Errorf("lost %+v; want 5 before the rows and 9 behind them", a.Lost)
	}
	if err := s.Lose(t.Context(), schema.Range{Topic: "t", Epoch: 1, Partition: 1, First: 0, Last: 3}, "retention", base); err != nil {
		t.Fatal(err)
	}
	expect(1, 4, true)
}

func TestGapsDoublesAndStored(t *testing.T) {
	t.Parallel()
	s, _ := migrated(t)
	rs := rows(20, 0, rand.New(rand.NewPCG(1, 1)))
	some := append(append([]classify.Row{}, rs[2:5]...), rs[8:18]...)
	if err := s.Land(t.Context(), rangeOf(rs), store.BlockOf(some), nil, false); err != nil {
		t.Fatal(err)
	}
	if err := s.Land(t.Context(), rangeOf(rs[8:11]), store.BlockOf(rs[8:11]), nil, false); err != nil { // another range: another token
		t.Fatal(err)
	}
	part := func(first, last int64) schema.Range {
		return schema.Range{Topic: "t", Partition: 1, First: first, Last: last}
	}
	gaps, err := s.Gaps(t.Context(), part(0, 19))
	if want := []schema.Range{part(0, 1), part(5, 7), part(18, 19)}; err != nil || !reflect.DeepEqual(gaps, want) {
		t.Errorf("gaps %v, %v; want %v", gaps, err, want)
	}
	doubled, err := s.Doubled(t.Context(), part(0, 19))
	if want := []schema.Range{part(8, 10)}; err != nil || !reflect.DeepEqual(doubled, want) {
		t.Errorf("doubled %v, %v; want %v", doubled, err, want)
	}
	stored, err := s.Stored(t.Context(), "t")
	if err != nil || len(stored) != 1 || stored[0].Rows != 16 || stored[0].Range != part(2, 17) {
		t.Errorf("stored %+v, %v", stored, err)
	}
	if gaps, err := s.Gaps(t.Context(), part(12, 15)); err != nil || gaps != nil {
		t.Errorf("gaps of a whole range: %v, %v", gaps, err)
	}
	if doubled, err := s.Doubled(t.Context(), part(12, 15)); err != nil || doubled != nil {
		t.Errorf("doubles of a whole range: %v, %v", doubled, err)
	}
}
