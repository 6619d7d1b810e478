package store_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"headway/classify"
	"headway/query"
	"headway/store"
)

// type7 is the quantile rule by sorting: linear between closest ranks.
func type7(values []float64, q float64) float64 {
	v := slices.Sorted(slices.Values(values))
	h := q * float64(len(v)-1)
	i := int(math.Floor(h))
	if i+1 >= len(v) {
		return v[len(v)-1]
	}
	return v[i] + (h-float64(i))*(v[i+1]-v[i])
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(b)) }

// landed lands rows and returns the scope of the first hour.
func landed(t testing.TB, s *store.Store, rs []classify.Row) query.Scope {
	t.Helper()
	if err := s.Land(t.Context(), rangeOf(rs), store.BlockOf(rs), nil, false); err != nil {
		t.Fatal(err)
	}
	return query.Scope{Window: query.Window{From: base, To: base.Add(time.Hour)}}
}

func TestLatencyEqualsSort(t *testing.T) {
	t.Parallel()
	s, _ := migrated(t)
	all := rows(20_000, 0, rand.New(rand.NewPCG(5, 6)))
	for i := range all { // 20,000 rows over 100 minutes
		all[i].Record.CreatedAt = base.Add(time.Duration(i) * 300 * time.Millisecond)
	}
	sc := landed(t, s, all)
	quantiles := []float64{0.001, 0.5, 0.9, 0.999}
	a, err := s.Latency(t.Context(), query.Latency{Metric: "first_response_ms", Quantiles: quantiles, By: []string{"model", "stream"}, Step: time.Minute}, sc)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]map[time.Time][]float64{}
	n := int64(0)
	for _, r := range all {
		if !r.Record.CreatedAt.Before(sc.To) {
			continue
		}
		n++
		m := r.Record.Model
		if want[m] == nil {
			want[m] = map[time.Time][]float64{}
		}
		at := r.Record.CreatedAt.Truncate(time.Minute)
		want[m][at] = append(want[m][at], float64(r.Record.Timing.FirstResponse.Value.Microseconds())/1000)
	}
	if len(a.Series) != len(want) || a.Meta.N != n || a.Meta.Censored != 0 || a.Meta.KaplanMeier || a.Meta.Approximation != "exact" {
		t.Fatalf("%d series, meta %+v; want %d series of %d rows", len(a.Series), a.Meta, len(want), n)
	}
	for i, series := range a.Series {
		if i > 0 && series.N > a.Series[i-1].N {
			t.Errorf("series %d has more rows than the one before", i)
		}
		if series.Key["stream"] != "true" || len(series.Points) != 60 {
			t.Fatalf("series %v has %d points; want 60", series.Key, len(series.Points))
		}
		for _, p := range series.Points {
			values := want[series.Key["model"]][p.At]
			if p.N != int64(len(values)) {
				t.Fatalf("%v: n %d, want %d", p.At, p.N, len(values))
			}
			for k, q := range quantiles {
				if got := *p.Values[k]; !near(got, type7(values, q)) {
					t.Fatalf("%v q%v: %v, want %v", p.At, q, got, type7(values, q))
				}
			}
		}
	}
}

// TestQuestionReadsItsHours has three hours of rows in one day and asks for
// one of them.
func TestQuestionReadsItsHours(t *testing.T) {
	t.Parallel()
	s, _ := migrated(t)
	all := rows(90_000, 0, rand.New(rand.NewPCG(5, 6)))
	for i := range all {
		all[i].Record.CreatedAt = base.Add(time.Duration(i) * 120 * time.Millisecond)
	}
	landed(t, s, all)
	sc := query.Scope{Window: query.Window{From: base.Add(time.Hour), To: base.Add(time.Hour + 10*time.Minute)}}
	_, m, err := s.Waits(t.Context(), sc, field(t, "first_response_ms"), nil, query.WaitMetric)
	// Two statements, each twice over the hour's 30,000 rows (the second time
	// for unfinished ones) and the granules at its ends.
	if err != nil || m.N != 5000 || m.RowsRead > 2*2*(30_000+2*8192) {
		t.Errorf("%d rows read for %d, %v", m.RowsRead, m.N, err)
	}
}
