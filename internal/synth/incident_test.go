package synth_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"headway/classify"
	"headway/internal/synth"
	"headway/schema"
)

// measure is what an incident raises, in the record's own terms.
type measure func(*schema.Record) (float64, bool)

func span(get func(*schema.Record) (schema.Opt[time.Duration], bool)) measure {
	return func(r *schema.Record) (float64, bool) {
		d, ok := get(r)
		return d.Value.Seconds(), ok && d.Valid
	}
}

// headersWait is the wait for headers of streams, ended or not.
func headersWait(r *schema.Record) (float64, bool) {
	wait := r.Timing.UpstreamHeaders
	if !wait.Valid {
		wait = r.Timing.UpstreamDone
	}
	return wait.Value.Seconds(), r.Stream.Value
}

func responseWait(r *schema.Record) (float64, bool) {
	wait := r.Timing.FirstResponse
	if !wait.Valid {
		wait = r.Timing.UpstreamDone
	}
	return (wait.Value - r.Timing.UpstreamHeaders.Value).Seconds(), r.Stream.Value && r.Timing.UpstreamHeaders.Valid
}

func failed(r *schema.Record) (float64, bool) {
	if r.Outcome == schema.OutcomeError {
		return 1, true
	}
	return 0.01, true
}

func gap(from, to func(*schema.Timing) schema.Opt[time.Duration]) measure {
	return func(r *schema.Record) (float64, bool) {
		a, b := from(&r.Timing), to(&r.Timing)
		return (b.Value - a.Value).Seconds(), a.Valid && b.Valid
	}
}

func measures() map[string]measure {
	type opt = schema.Opt[time.Duration]
	event := func(t *schema.Timing) opt { return t.FirstSSEEvent }
	response := func(t *schema.Timing) opt { return t.FirstResponse }
	text := func(t *schema.Timing) opt { return t.FirstTextDelta }
	done := func(t *schema.Timing) opt { return t.UpstreamDone }
	total := func(t *schema.Timing) opt { return t.TotalHandler }
	return map[string]measure{
		"upstream_admission": headersWait, "provider_outage": headersWait, "region_network": headersWait, "retry_storm": headersWait,
		"long_prompt_prefill": responseWait, "buffered_upstream": responseWait, "whale_key": responseWait, "hanging_streams": responseWait,
		"reasoning_phase": gap(response, text), "metadata_start": gap(event, response), "gateway_tail": gap(done, total),
		"slow_decode":  func(r *schema.Record) (float64, bool) { return 1 / r.Derived.TPS.Value, r.Derived.TPS.Valid },
		"stream_stall": span(func(r *schema.Record) (opt, bool) { return r.MaxGap, true }),
		"auth_slow":    span(func(r *schema.Record) (opt, bool) { return r.Timing.Auth, true }),
		"router_slow":  span(func(r *schema.Record) (opt, bool) { return r.Timing.Distribution, true }),
		"slow_upload":  span(func(r *schema.Record) (opt, bool) { return r.Timing.BodyRead, true }),
		"failing_fast": failed,
	}
}

// value reads the truth's dimension from a record, by the record alone.
func value(r *schema.Record, dimension string) string {
	return map[string]string{"channel": r.Channel, "provider": r.Provider, "region": r.Region, "model": r.Model, "route": r.Route,
		"gateway": r.Gateway, "client_region": r.ClientRegion, "input_band": classify.InputBand(r.InputTokens)}[dimension]
}

// split measures the records of a time by whether they have the truth's value.
func split(t *testing.T, cfg synth.Config, truth synth.Truth, m measure) (with, without []float64) {
	t.Helper()
	each(t, cfg, func(r *schema.Record) {
		v, ok := m(r)
		switch {
		case !ok || r.CreatedAt.Before(truth.From) || !r.CreatedAt.Before(truth.To):
		case value(r, truth.Dimension) == truth.Value:
			with = append(with, v)
		default:
			without = append(without, v)
		}
	})
	slices.Sort(with)
	slices.Sort(without)
	return with, without
}

// p95 is the nearest-rank quantile: good enough to see a shift by.
func p95(sorted []float64) float64 { return sorted[len(sorted)*95/100] }

func planted(incident string, severity synth.Severity) synth.Config {
	cfg := config(21, 60_000, 16*time.Hour)
	cfg.Incident, cfg.Severity = incident, severity
	return cfg
}

// TestIncidentShowsInTheNumbers compares the incident's hours with the same
// hours of quiet data: the P95 of what it raises must rise for its value, and
// stay where it was for all others.
func TestIncidentShowsInTheNumbers(t *testing.T) {
	t.Parallel()
	for _, name := range names() {
		for severity, least := range map[synth.Severity]float64{synth.Clear: 1.8, synth.Mild: 1.15} {
			t.Run(name+"/"+string(severity), func(t *testing.T) {
				t.Parallel()
				m, ok := measures()[name]
				if !ok {
					t.Fatal("the test lacks a measure for this incident")
				}
				cfg := planted(name, severity)
				g, err := synth.New(cfg)
				if err != nil {
					t.Fatal(err)
				}
				hit, spared := split(t, cfg, g.Truth(), m)
				cfg.Incident = ""
				before, others := split(t, cfg, g.Truth(), m)
				if len(hit) < 60 || len(before) < 60 {
					t.Fatalf("%d and %d affected records: too few to tell", len(hit), len(before))
				}
				if rise := p95(hit) / p95(before); rise < least {
					t.Errorf("P95 of %s %s: %.3f, %.3f when quiet; want at least %.2f times", g.Truth().Dimension, g.Truth().Value, p95(hit), p95(before), least)
				}
				if rise := p95(spared) / p95(others); rise > 1.3 || rise < 0.7 {
					t.Errorf("P95 of all others: %.3f, %.3f when quiet; want no change", p95(spared), p95(others))
				}
			})
		}
	}
}

// TestClearIncidentsAreLabelled classifies the streams of each incident: most
// of those with its value must carry the truth's label, few others.
func TestClearIncidentsAreLabelled(t *testing.T) {
	t.Parallel()
	c, err := classify.New(classify.DefaultRules())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := planted(name, synth.Clear)
			g, err := synth.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			truth := g.Truth()
			var hits, others, hitLabels, otherLabels float64
			for r := range g.All() {
				if r.CreatedAt.Before(truth.From) || !r.CreatedAt.Before(truth.To) || !r.Stream.Value || textless(r, name) {
					continue
				}
				has := 0.0
				if slices.Contains(c.Classify(r).Labels, classify.Label(truth.Label)) {
					has = 1
				}
				if value(r, truth.Dimension) == truth.Value {
					hits, hitLabels = hits+1, hitLabels+has
				} else {
					others, otherLabels = others+1, otherLabels+has
				}
			}
			if truth.Label == "" {
				if hitLabels+otherLabels != 0 {
					t.Error("an incident that slows nothing has a label")
				}
				return
			}
			if share := hitLabels / hits; share < 0.6 {
				t.Errorf("%.3f of %.0f affected streams are labelled %s; want most", share, hits, truth.Label)
			}
			if share := otherLabels / others; share > 0.05 {
				t.Errorf("%.3f of %.0f other streams are labelled %s; want few", share, others, truth.Label)
			}
		})
	}
}

// textless leaves out what can't be labelled: answers without text, or too
// short for a rate, where the incident is about text.
func textless(r *schema.Record, incident string) bool {
	return (incident == "slow_decode" || incident == "reasoning_phase") && (!r.Timing.FirstTextDelta.Valid || r.Derived.VisibleTokens.Value < 50)
}

func TestQuietDataIsMostlyHealthy(t *testing.T) {
	t.Parallel()
	c, err := classify.New(classify.DefaultRules())
	if err != nil {
		t.Fatal(err)
	}
	n, healthy := 0.0, 0.0
	g := each(t, config(22, 50_000, week), func(r *schema.Record) {
		n++
		if c.Classify(r).Primary == classify.Healthy {
			healthy++
		}
	})
	if share := healthy / n; share < 0.88 || share > 0.98 {
		t.Errorf("%.3f of quiet records are healthy; want most, not all", share)
	}
	if g.Incident != "" || g.Label != "" || !g.From.Equal(monday) || !g.To.Equal(monday.Add(week)) {
		t.Errorf("truth of quiet data: %+v; want no incident over the whole span", g)
	}
}

func TestTruth(t *testing.T) {
	t.Parallel()
	stages := []classify.Stage{"", classify.StageLocal, classify.StageHeaders, classify.StageEventWait, classify.StageEffectiveWait, classify.StageTextWait, classify.StageGeneration, classify.StageTail}
	labels := []classify.Label{""}
	for _, l := range classify.Labels() {
		labels = append(labels, l.Label)
	}
	values := map[string]map[string]bool{}
	for _, name := range names() {
		for seed := range uint64(20) {
			cfg := planted(name, synth.Mild)
			cfg.Seed = seed
			g, err := synth.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			truth := g.Truth()
			half := cfg.From.Add(cfg.To.Sub(cfg.From) / 2)
			if truth.Incident != name || truth.From.Before(half) || truth.To.After(cfg.To) || truth.To.Sub(truth.From) != 2*time.Hour {
				t.Errorf("%+v; want %s in the second half, for 2 hours", truth, name)
			}
			if !slices.Contains(stages, classify.Stage(truth.Stage)) || !slices.Contains(labels, classify.Label(truth.Label)) {
				t.Errorf("%+v names a stage or label that the classifier does not have", truth)
			}
			if values[name] == nil {
				values[name] = map[string]bool{}
			}
			values[name][truth.Value] = true
		}
		if len(values[name]) < 2 && name != "long_prompt_prefill" && name != "reasoning_phase" {
			t.Errorf("%s always hits %v", name, values[name])
		}
	}
	got, err := json.Marshal(synth.Truth{Incident: "i", From: monday, To: monday, Stage: "s", Dimension: "d", Value: "v", Label: "l"})
	if want := `{"incident":"i","from":"2026-11-02T00:00:00Z","to":"2026-11-02T00:00:00Z","stage":"s","dimension":"d","value":"v","label":"l"}`; err != nil || string(got) != want {
		t.Errorf("truth file %s, %v; want %s", got, err, want)
	}
}
