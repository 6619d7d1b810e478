package classify_test

import (
	"encoding/json"
	"math"
	"slices"
	"testing"
	"time"

	"headway/classify"
	"headway/schema"
)

func ms(v float64) schema.Opt[time.Duration] {
	return schema.Some(time.Duration(math.Round(v*1000)) * time.Microsecond)
}

func classifier(t testing.TB) *classify.Classifier {
	t.Helper()
	c, err := classify.New(classify.DefaultRules())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func derived(r *schema.Record) *schema.Record {
	r.Derived = schema.Derive(r)
	return r
}

// trace builds one of the reference traces of the record's specification.
func trace(headers, event, response, text, total, tps float64) *schema.Record {
	return derived(&schema.Record{Stream: schema.Some(true), GivenTPS: schema.Some(tps), Timing: schema.Timing{
		UpstreamHeaders: ms(headers), FirstSSEEvent: ms(event), FirstResponse: ms(response),
		FirstTextDelta: ms(text), TotalHandler: ms(total)}})
}

func TestReferenceTraces(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name   string
		record *schema.Record
		label  classify.Label
		stage  classify.Stage
		fields []string
		values []float64
		est    []bool
	}{
		{"A", trace(6100, 6300, 6350, 6400, 9200, 42), classify.UpstreamHeadersSlow, classify.StageHeaders,
			[]string{"upstream_headers_ms"}, []float64{6100}, []bool{false}},
		{"B", trace(240, 310, 2900, 8700, 10200, 55), classify.VisibleTextLate, classify.StageTextWait,
			[]string{"response_to_text_ms"}, []float64{5800}, []bool{false}},
		{"C", trace(260, 330, 420, 430, 20430, 9.8), classify.GenerationSlowTPS, classify.StageGeneration,
			[]string{"tps", "generation_window_ms", "visible_tokens"}, []float64{9.8, 20000, 196}, []bool{false, true, true}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			v := classifier(t).Classify(c.record)
			if !slices.Equal(v.Labels, []classify.Label{c.label}) || v.Primary != c.label || v.Stage != c.stage {
				t.Fatalf("labels %v, primary %s, stage %s; want only %s, stage %s", v.Labels, v.Primary, v.Stage, c.label, c.stage)
			}
			if len(v.Evidence) != len(c.fields) {
				t.Fatalf("evidence %+v; want the fields %v", v.Evidence, c.fields)
			}
			for i, e := range v.Evidence {
				if e.Field != c.fields[i] || math.Abs(e.Value-c.values[i]) > 1e-9 || e.Estimated != c.est[i] || e.Censored {
					t.Errorf("evidence %d: %s %v estimated %v censored %v; want %s %v %v false", i, e.Field, e.Value, e.Estimated, e.Censored, c.fields[i], c.values[i], c.est[i])
				}
			}
			want := []string{"auth_ms", "distribution_ms", "body_read_ms", "upstream_done_ms", "max_gap_ms"}
			if !slices.Equal(v.Unmeasured, want) || len(v.NotApplicable) != 0 {
				t.Errorf("unmeasured %v, not applicable %v; want %v and none", v.Unmeasured, v.NotApplicable, want)
			}
		})
	}
}

func TestVerdictJSON(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name   string
		record *schema.Record
		want   string
	}{
		{"nothing known", &schema.Record{}, `{"labels":[],"primary":"unknown","stage":"","evidence":[],"unmeasured":["auth_ms","distribution_ms","body_read_ms","upstream_headers_ms","first_sse_event_ms","first_response_ms","first_text_delta_ms","upstream_done_ms","total_handler_ms","max_gap_ms","tps"],"not_applicable":[],"rules_version":"VERSION"}`},
		{"healthy and complete", healthy(), `{"labels":[],"primary":"healthy","stage":"generation","evidence":[],"unmeasured":[],"not_applicable":[],"rules_version":"VERSION"}`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			v := classifier(t).Classify(c.record)
			if v.RulesVersion != classify.DefaultRules().Version() {
				t.Errorf("rules version %q; want that of the rules", v.RulesVersion)
			}
			v.RulesVersion = "VERSION"
			got, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// healthy is a complete streamed record in which nothing is slow: the
// canonical example of the record's specification.
func healthy() *schema.Record {
	return derived(&schema.Record{
		Model: "gpt-4o-mini", Route: "default", Channel: "ch-12", Outcome: schema.OutcomeCompleted, StartPoint: schema.StartHandler,
		Role: schema.RolePrimary, Stream: schema.Some(true), HasTools: schema.Some(false), Status: schema.Some(int32(200)),
		InputTokens: schema.Some(int64(812)), OutputTokens: schema.Some(int64(230)), ReasoningTokens: schema.Some(int64(0)),
		StreamEvents: schema.Some(int64(241)), TextDeltas: schema.Some(int64(230)), MaxGap: ms(310), GivenTPS: schema.Some(24.5),
		Timing: schema.Timing{UpstreamStart: ms(5.1), Auth: ms(1.2), Distribution: ms(0.4), BodyRead: ms(3.1), UpstreamHeaders: ms(240),
			FirstSSEEvent: ms(310), FirstResponse: ms(420), FirstTextDelta: ms(430), UpstreamDone: ms(9800), TotalHandler: ms(9810)},
	})
}
