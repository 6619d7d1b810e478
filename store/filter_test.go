package store_test

import (
	"testing"

	"headway/classify"
	"headway/query"
	"headway/schema"
)

func TestFilters(t *testing.T) {
	t.Parallel()
	s, _ := migrated(t)
	nasty := "a'b\\c\t\"d`e\n{x:String}%_--/*"
	set := func(with func(*schema.Record)) func(*schema.Record) { return with }
	changes := []func(*schema.Record){
		set(func(r *schema.Record) { r.Model = nasty }),
		set(func(r *schema.Record) { r.Model = "plain" }),
		set(func(r *schema.Record) { r.Route = "" }),
		set(func(r *schema.Record) { r.Stream = schema.Some(false) }),
		set(func(r *schema.Record) { r.Stream = schema.Opt[bool]{} }),
		set(func(r *schema.Record) { r.Status = schema.Some[int32](429) }),
		set(func(r *schema.Record) { r.Status = schema.Opt[int32]{} }),
		set(func(r *schema.Record) { r.AddFlag("clock_skew") }),
		set(func(r *schema.Record) { r.InputTokens = schema.Opt[int64]{} }),
	}
	var all []classify.Row
	for i, c := range changes {
		all = append(all, row(int64(i), c))
	}
	all[1].Verdict.Labels, all[1].Verdict.Primary = []classify.Label{classify.AuthSlow}, classify.AuthSlow
	sc := landed(t, s, all)
	n := int64(len(all))
	cases := []struct {
		name   string
		dim    string
		op     query.Op
		values []string
		want   int64
	}{
		{"nasty text", "model", query.OpIn, []string{nasty}, 1},
		{"set", "model", query.OpIn, []string{nasty, "plain"}, 2},
		{"not", "model", query.OpNotIn, []string{nasty}, n - 1},
		{"missing text", "route", query.OpIn, []string{query.Missing}, 1},
		{"not missing", "route", query.OpNotIn, []string{query.Missing}, n - 1},
		{"missing text or value", "route", query.OpIn, []string{query.Missing, "default"}, n},
		{"false", "stream", query.OpIn, []string{"false"}, 1},
		{"missing bool", "stream", query.OpIn, []string{query.Missing}, 1},
		{"not true keeps missing", "stream", query.OpNotIn, []string{"true"}, 2},
		{"number", "status", query.OpIn, []string{"429"}, 1},
		{"missing number", "status", query.OpIn, []string{query.Missing}, 1},
		{"flag", "flags", query.OpIn, []string{"clock_skew"}, 1},
		{"no flag", "flags", query.OpIn, []string{query.Missing}, n - 1},
		{"flag or none", "flags", query.OpIn, []string{query.Missing, "clock_skew"}, n},
		{"not a flag", "flags", query.OpNotIn, []string{"clock_skew"}, n - 1},
		{"label in list", "labels", query.OpIn, []string{"auth_slow"}, 1},
		{"first label", "label", query.OpIn, []string{"auth_slow"}, 1},
		{"missing band", "input_band", query.OpIn, []string{query.Missing}, 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			scope := sc
			scope.Where = []query.Condition{{Dimension: c.dim, Op: c.op, Values: c.values}}
			a, err := s.Requests(t.Context(), query.Requests{Limit: 100}, scope)
			if err != nil || int64(len(a.Attempts)) != c.want || a.Meta.N != c.want {
				t.Errorf("%d attempts, n %d, %v; want %d", len(a.Attempts), a.Meta.N, err, c.want)
			}
		})
	}
	t.Run("group by nasty text", func(t *testing.T) {
		waits, _, err := s.Waits(t.Context(), sc, field(t, "first_response_ms"), []string{"model", "status"}, query.WaitMetric)
		found := false
		for _, w := range waits {
			found = found || w.Key["model"] == nasty && w.Key["status"] == "200" && len(w.Micros) == 1
		}
		if err != nil || !found {
			t.Errorf("%+v, %v", waits, err)
		}
	})
	t.Run("unknown dimension", func(t *testing.T) {
		scope := sc
		scope.Where = []query.Condition{{Dimension: "modell", Op: query.OpIn, Values: []string{"x"}}}
		if _, err := s.Requests(t.Context(), query.Requests{}, scope); err == nil {
			t.Error("it was taken")
		}
	})
}

func field(t testing.TB, name string) schema.Field {
	t.Helper()
	f, ok := schema.NewRegistry().Lookup(name)
	if !ok {
		t.Fatalf("no field %s", name)
	}
	return f
}
