package store_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"headway/query"
	"headway/schema"
)

func TestHeadline(t *testing.T) {
	t.Parallel()
	s, _ := migrated(t)
	all := rows(2000, 0, rand.New(rand.NewPCG(5, 6)))
	var now, before []float64
	for i := range all {
		r := &all[i].Record
		r.CreatedAt = base.Add(time.Duration(i) * time.Second)
		ms := float64(r.Timing.FirstResponse.Value.Microseconds()) / 1000
		if i%2 == 1 {
			r.CreatedAt = r.CreatedAt.Add(-7 * 24 * time.Hour)
			before = append(before, ms)
			continue
		}
		if i < 20 { // of the newer ones, 10 of 1,000 failed
			r.Outcome, r.Timing.FirstResponse = schema.OutcomeError, schema.Opt[time.Duration]{}
			continue
		}
		now = append(now, ms)
	}
	sc := landed(t, s, all)
	a, err := s.Headline(t.Context(), query.Headline{}, sc)
	if err != nil {
		t.Fatal(err)
	}
	f := a.Figures[1]
	if f.Name != "first_response_ms" || f.Quantile != 0.95 || !near(*f.Now, type7(now, 0.95)) || f.NowN != 990 ||
		!near(*f.Before, type7(before, 0.95)) || f.BeforeN != 1000 || f.Unit != schema.UnitMillis || f.End != "t4" {
		t.Errorf("figure %+v", f)
	}
	if a.Requests != 1000 || a.RequestsWas != 1000 || !near(*a.FailureShare, 0.01) || *a.FailureWas != 0 || !near(a.RatePerSec, 1000./3600) {
		t.Errorf("traffic %d, %d, %v, %v, %v", a.Requests, a.RequestsWas, *a.FailureShare, *a.FailureWas, a.RatePerSec)
	}
	if want := base.Add(1998 * time.Second); !a.Newest.Equal(want) || len(a.Spark) < 30 || a.Meta.N != 990 || a.Meta.LeftOut["failed"] != 10 || a.Meta.SQL != nil {
		t.Errorf("newest %v, %d spark points, meta %+v", a.Newest, len(a.Spark), a.Meta)
	}
}

func TestHeadlineOfEmptyStore(t *testing.T) {
	t.Parallel()
	s, _ := migrated(t)
	a, err := s.Headline(t.Context(), query.Headline{Explain: true}, query.Scope{Window: query.Window{From: base, To: base.Add(time.Hour)}})
	if err != nil {
		t.Fatal(err)
	}
	if a.Newest != nil || a.FailureShare != nil || a.RateWas != nil || len(a.Figures) != 8 || len(a.Meta.SQL) < 10 {
		t.Errorf("answer %+v", a)
	}
	for _, f := range a.Figures {
		if f.Now != nil || f.Before != nil || f.Unit == "" || f.End == "" {
			t.Errorf("figure %+v", f)
		}
	}
}

// TestHeadlineCensored has the values behind a figure handed over where some
// are censored, each once.
func TestHeadlineCensored(t *testing.T) {
	t.Parallel()
	s, _ := migrated(t)
	all := rows(10, 0, rand.New(rand.NewPCG(1, 1)))
	for i := range all { // 1 2 3* 4 5* 6 7 8 9 10
		r := &all[i].Record
		r.Timing = schema.Timing{FirstResponse: ms(float64(i + 1))}
		if i == 2 || i == 4 {
			unfinished(r, schema.OutcomeTimeout, ms(float64(i+1)))
		}
	}
	sc := landed(t, s, all)
	a, err := s.Headline(t.Context(), query.Headline{}, sc)
	if err != nil {
		t.Fatal(err)
	}
	f := a.Figures[0]
	if f.Now != nil || f.NowN != 10 || f.NowRaw == nil || len(f.NowRaw.Micros) != 10 || f.BeforeRaw != nil {
		t.Fatalf("figure %+v", f)
	}
	if p50, ok := kaplanMeier(*f.NowRaw, 0.5); !ok || p50 < 6985.7 || p50 > 6985.8 {
		t.Errorf("P50 %v µs, want 6,985.7", p50)
	}
	if !near(*a.FailureShare, 0.2) {
		t.Errorf("failure share %v, want the two time-outs of ten", *a.FailureShare)
	}
}
