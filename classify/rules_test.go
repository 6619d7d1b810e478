package classify_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"headway/classify"
	"headway/schema"
)

func TestMistakenRules(t *testing.T) {
	t.Parallel()
	one := func(name string, v float64) classify.Rules {
		return classify.Rules{Default: classify.Settings{name: v}}
	}
	cases := []struct {
		name  string
		rules classify.Rules
		want  []string
	}{
		{"zero", one("auth_slow_ms", 0), []string{"default.auth_slow_ms 0", "above 0", "default is 500"}},
		{"negative", one("generation_slow_tps", -1), []string{"default.generation_slow_tps -1", "above 0", "default is 15"}},
		{"not a number", one("auth_slow_ms", math.NaN()), []string{"default.auth_slow_ms NaN", "above 0"}},
		{"infinite", one("auth_slow_ms", math.Inf(1)), []string{"default.auth_slow_ms +Inf"}},
		{"beyond a day", one("auth_slow_ms", 86_400_001), []string{"no record lasts longer than 86400000 ms", "lower it"}},
		{"below a microsecond", one("auth_slow_ms", 0.0001), []string{"microseconds", "0.001"}},
		{"mistyped", one("upstream_header_slow_ms", 100), []string{"default.upstream_header_slow_ms", "use upstream_headers_slow_ms"}},
		{"unlike any", one("zzz", 100), []string{"default.zzz", "use one of upstream_headers_slow_ms, effective_output_slow_ms"}},
		{"of a route", classify.Rules{Routes: map[string]classify.Settings{"chat": {"auth_slow_ms": -5}}}, []string{"routes.chat.auth_slow_ms -5"}},
		{"of a model", classify.Rules{Models: map[string]classify.Settings{"m.1": {"auth_slow": 5}}}, []string{"models.m.1.auth_slow", "use auth_slow_ms"}},
		{"nameless route", classify.Rules{Routes: map[string]classify.Settings{"": {"auth_slow_ms": 5}}}, []string{"routes: an empty name"}},
		{"all at once", classify.Rules{Default: classify.Settings{"auth_slow_ms": 0, "nonsense": 1}, Models: map[string]classify.Settings{"m": {"visible_text_late_ms": -1}}},
			[]string{"default.auth_slow_ms", "default.nonsense", "models.m.visible_text_late_ms"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := classify.New(c.rules)
			if err == nil || got != nil {
				t.Fatalf("New accepted %+v", c.rules)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q; want it to say %q", err, want)
				}
			}
		})
	}
}

func TestMostSpecificThresholdWins(t *testing.T) {
	t.Parallel()
	c, err := classify.New(classify.Rules{
		Default: classify.Settings{"upstream_headers_slow_ms": 1000},
		Routes:  map[string]classify.Settings{"batch": {"upstream_headers_slow_ms": 9000, "auth_slow_ms": 100}, "core": {"upstream_headers_slow_ms": 500}},
		Models:  map[string]classify.Settings{"big": {"upstream_headers_slow_ms": 7000}},
	})
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		route, model  string
		headers, auth float64
	}{
		{"other", "small", 1000, 500}, {"", "", 1000, 500},
		{"batch", "small", 9000, 100}, {"core", "small", 500, 500},
		{"other", "big", 7000, 500}, {"batch", "big", 7000, 100}, {"core", "big", 7000, 500},
	}
	for _, k := range cases {
		t.Run(k.route+"/"+k.model, func(t *testing.T) {
			t.Parallel()
			at := func(headers, auth float64) []classify.Evidence {
				return c.Classify(&schema.Record{Route: k.route, Model: k.model, Timing: schema.Timing{UpstreamHeaders: ms(headers), Auth: ms(auth)}}).Evidence
			}
			if ev := at(k.headers-0.001, k.auth-0.001); len(ev) != 0 {
				t.Errorf("below both thresholds: %+v", ev)
			}
			ev := at(k.headers, k.auth)
			if len(ev) != 2 || ev[0].Threshold != k.headers || ev[1].Threshold != k.auth {
				t.Errorf("evidence %+v; want thresholds %v and %v", ev, k.headers, k.auth)
			}
		})
	}
}

func TestRulesVersion(t *testing.T) {
	t.Parallel()
	base := classify.DefaultRules().Version()
	if (classify.Rules{}).Version() != base {
		t.Error("rules that change nothing must have the version of the defaults")
	}
	seen := map[string]string{base: "defaults"}
	for _, s := range classify.Thresholds() {
		for level, r := range map[string]classify.Rules{
			"default": {Default: classify.Settings{s.Name: s.Default + 1}},
			"route":   {Routes: map[string]classify.Settings{"x": {s.Name: s.Default + 1}}},
			"model":   {Models: map[string]classify.Settings{"x": {s.Name: s.Default + 1}}},
		} {
			v := r.Version()
			if other, taken := seen[v]; taken {
				t.Errorf("%s %s has the version of %s", level, s.Name, other)
			}
			seen[v] = level + " " + s.Name
			if r.Version() != v {
				t.Errorf("%s %s: two calls, two versions", level, s.Name)
			}
		}
	}
	c := classifier(t)
	if c.RulesVersion() != base || !strings.HasPrefix(base, "1-") || len(base) != 10 {
		t.Errorf("version %q of the classifier; want %q as 1-<8 hex digits>", c.RulesVersion(), base)
	}
}

// TestDefaults holds the defaults against the specification's table.
func TestDefaults(t *testing.T) {
	t.Parallel()
	want := map[string]float64{"upstream_headers_slow_ms": 3000, "effective_output_slow_ms": 5000, "metadata_only_start_ms": 3000,
		"visible_text_late_ms": 3000, "generation_slow_tps": 15, "generation_slow_min_tokens": 50, "generation_slow_min_window_ms": 2000,
		"stream_stalled_ms": 10000, "auth_slow_ms": 500, "distribution_slow_ms": 500, "body_read_slow_ms": 3000,
		"handler_tail_slow_ms": 1000, "no_first_token_fast_failure_ms": 1000}
	got := classify.Thresholds()
	if len(got) != len(want) {
		t.Errorf("%d thresholds; want %d", len(got), len(want))
	}
	for _, s := range got {
		if s.Default != want[s.Name] || s.Doc == "" {
			t.Errorf("%s: default %v, doc %q; want %v and a sentence", s.Name, s.Default, s.Doc, want[s.Name])
		}
	}
}

func TestLabelRegistry(t *testing.T) {
	t.Parallel()
	want := []classify.Label{"upstream_headers_slow", "effective_output_slow", "metadata_only_start", "visible_text_late", "generation_slow_tps",
		"stream_stalled", "auth_slow", "distribution_slow", "body_read_slow", "handler_tail_slow", "no_first_token"}
	var got []classify.Label
	for _, l := range classify.Labels() {
		got = append(got, l.Label)
		if l.Text == "" || l.Fires == "" || l.LookAt == "" || l.NextCheck == "" || strings.Count(l.Caveat, ".") != 1 {
			t.Errorf("%s lacks a text, or its caveat is not one sentence: %+v", l.Label, l)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("labels %v; want %v", got, want)
	}
}

func TestInputBand(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{-1: "", 0: "0-1k", 999: "0-1k", 1000: "1-4k", 3999: "1-4k", 4000: "4-16k", 15999: "4-16k", 16000: "16-64k", 63999: "16-64k", 64000: "64k+", 1 << 40: "64k+"} {
		if got := classify.InputBand(schema.Some(n)); got != want {
			t.Errorf("%d tokens: band %q; want %q", n, got, want)
		}
		if want != "" && !slices.Contains(classify.InputBands(), want) {
			t.Errorf("band %q is not listed", want)
		}
	}
	if got := classify.InputBand(schema.Opt[int64]{}); got != "" {
		t.Errorf("unknown tokens: band %q; want none", got)
	}
}

func BenchmarkClassify(b *testing.B) {
	rules := classify.DefaultRules()
	rules.Models = map[string]classify.Settings{"gpt-4o": {"upstream_headers_slow_ms": 2000}}
	rules.Routes = map[string]classify.Settings{"batch": {"upstream_headers_slow_ms": 9000}}
	c, err := classify.New(rules)
	if err != nil {
		b.Fatal(err)
	}
	for name, r := range map[string]*schema.Record{"healthy": healthy(), "traceC": trace(260, 330, 420, 430, 20430, 9.8)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if c.Classify(r).Primary == "" {
					b.Fatal("no primary")
				}
			}
		})
	}
}
