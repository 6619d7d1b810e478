package store_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"headway/query"
	"headway/store"
)

func someAdvice(id, key string, day int) query.StoredAdvice {
	to := base.Truncate(24*time.Hour).AddDate(0, 0, day)
	return query.StoredAdvice{ID: id, MadeAt: to.Add(20 * time.Minute), MadeBy: "o'brien\t\\", Key: key, Window: query.Window{From: to.AddDate(0, 0, -7), To: to},
		Horizon: to.Add(time.Millisecond), N: 12, Version: "v", Question: "by=model&where=a%3D'b'", Settings: `{"a":"\"\n"}`, Answer: `{"x":1e-9}`, Fingerprint: "f"}
}

func TestAdviceComesBack(t *testing.T) {
	t.Parallel()
	s, _ := migrated(t)
	ctx := t.Context()
	if got, err := s.Advice(ctx, []string{"x"}); err != nil || len(got) != 0 {
		t.Fatalf("from an empty table: %v, %v", got, err)
	}
	a, b, c := someAdvice("1", "route=a", 0), someAdvice("2", "route=a", 1), someAdvice("3", "route=b", 0)
	again := a
	again.MadeAt, again.Answer = a.MadeAt.Add(time.Second), "a double, made later"
	for _, batch := range [][]query.StoredAdvice{{a, c}, {again, b}} {
		if err := s.SaveAdvice(ctx, batch); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := s.Advice(ctx, []string{"1", "none"}); err != nil || !reflect.DeepEqual(got, []query.StoredAdvice{a}) {
		t.Errorf("by id: %+v, %v, want %+v", got, err, a)
	}
	for _, tc := range []struct {
		name      string
		since, to time.Time
		want      []query.StoredAdvice
	}{
		{"all", base.AddDate(0, 0, -9), base.AddDate(0, 0, 9), []query.StoredAdvice{b, c}},
		{"as of a day earlier", base.AddDate(0, 0, -9), a.Window.To, []query.StoredAdvice{again, c}},
		{"only the young", b.MadeAt, base.AddDate(0, 0, 9), []query.StoredAdvice{b}},
		{"none", base.AddDate(0, 0, 5), base.AddDate(0, 0, 9), nil},
	} {
		if got, err := s.LatestAdvice(ctx, tc.since, tc.to); err != nil || !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s: %+v, %v", tc.name, got, err)
		}
	}
}

func TestPolicyChangesComeBack(t *testing.T) {
	t.Parallel()
	s, _ := migrated(t)
	d, q := 1500*time.Microsecond, 0.25
	all := []query.PolicyChange{
		{ID: "a", At: base, Kind: query.ChangeOff, Who: "ops", Why: "it's \\ on\nfire", Until: base.Add(time.Hour)},
		{ID: "b", At: base.Add(time.Minute), Kind: query.ChangeOverride, Key: "route=a", Enabled: true, HedgeAfter: &d, Q: &q, Who: "ops", Why: "w", Until: base.Add(time.Hour)},
	}
	for i := range all {
		for range 2 { // a repeated try counts once
			if err := s.SavePolicyChange(t.Context(), all[i]); err != nil {
				t.Fatal(err)
			}
		}
	}
	w := query.Window{From: base.Add(-time.Hour), To: base.Add(time.Hour)}
	if got, err := s.PolicyChanges(t.Context(), w); err != nil || !reflect.DeepEqual(got, all) {
		t.Errorf("%s, %v", fmt.Sprintf("%+v", got), err)
	}
	w.From = base.Add(time.Second)
	if got, err := s.PolicyChanges(t.Context(), w); err != nil || len(got) != 1 {
		t.Errorf("of a window: %+v, %v", got, err)
	}
}

// TestAdviceNeedsItsTable names the remedy where the tables are of an older
// version.
func TestAdviceNeedsItsTable(t *testing.T) {
	t.Parallel()
	s, cfg := migrated(t)
	do(t, admin(t, cfg), "DROP TABLE advice SYNC")
	_, err := s.LatestAdvice(t.Context(), base, base.AddDate(0, 0, 1))
	var fault *store.Error
	if !errors.As(err, &fault) {
		t.Fatal(err)
	}
	if remedy, ok := fault.OperatorFault(); !ok || remedy == "" {
		t.Errorf("%v has remedy %q", err, remedy)
	}
}
