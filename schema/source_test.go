package schema

import (
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// readFile decodes every row of a file of a source; the index of a record is
// its line less 2.
func readFile(t *testing.T, source, path string, change func(*Config)) []Record {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only read
	rows, err := NewRowReader(f, FormatAuto, 0)
	if err != nil {
		t.Fatal(err)
	}
	d := newTestDecoder(t, source, func(c *Config) {
		c.Retention = KeepForever
		if change != nil {
			change(c)
		}
	})
	var out []Record
	for {
		row, err := rows.Next()
		if err == io.EOF {
			return out
		}
		if err != nil || row.Reject != nil {
			t.Fatal(row.Line, err, row.Reject)
		}
		var rec Record
		if _, err := d.Decode(row.JSON, arrival, &rec); err != nil {
			t.Fatal(row.Line, err)
		}
		out = append(out, rec)
	}
}

func TestThefastestTraps(t *testing.T) {
	rows := readFile(t, "thefastest", "testdata/rows/thefastest.csv", nil)
	if len(rows) != 6 {
		t.Fatalf("%d rows, want 6", len(rows))
	}
	cf, bare, capped, plain, odd, zero := &rows[0], &rows[1], &rows[2], &rows[3], &rows[4], &rows[5]
	for _, c := range []struct {
		name            string
		got             *Record
		provider, model string
	}{
		{"cloudflare prefix", cf, "@cf", "meta/llama-2-7b-chat-fp16"},
		{"bare name", bare, "", "gpt-4-turbo"},
		{"provider and model", plain, "openai", "gpt-4-turbo"},
		{"written the wrong way round", odd, "eastus2", "azure"},
	} {
		if c.got.Provider != c.provider || c.got.Route != c.provider || c.got.Model != c.model {
			t.Errorf("%s: provider %q, route %q, model %q", c.name, c.got.Provider, c.got.Route, c.got.Model)
		}
	}
	if want := time.Date(2024, 4, 19, 4, 49, 49, 684e6, time.UTC); !plain.CreatedAt.Equal(want) {
		t.Errorf("time %s, want %s", plain.CreatedAt, want)
	}
	if plain.ClientRegion != "sea" || plain.Region != "" || plain.StartPoint != StartClient || plain.Stream != Some(true) || plain.Operation != "chat" {
		t.Errorf("probe's own place: %+v", plain)
	}
	want := Timing{UpstreamHeaders: Some(458831 * time.Microsecond), FirstTextDelta: Some(458939 * time.Microsecond), UpstreamDone: Some(992300 * time.Microsecond)}
	if plain.Timing != want || plain.Outcome != OutcomeCompleted || plain.OutputTokens != Some[int64](20) || plain.Derived.TPSBasis != TPSGiven {
		t.Errorf("times %+v, want %+v", plain.Timing, want)
	}
	if !capped.Flagged(FlagTPSCapped) || capped.Derived.TPS.Valid || capped.GivenTPS.Valid || !capped.Timing.FirstTextDelta.Valid {
		t.Errorf("a capped rate is no rate: %+v", capped)
	}
	if zero.Timing.FirstTextDelta.Valid || zero.Timing.UpstreamDone.Valid || zero.Outcome != "" || !zero.Timing.UpstreamHeaders.Valid {
		t.Errorf("ttft_s = 0 is missing: %+v", zero)
	}
	if w := FirstTokenWait(zero, MetricFirstText, true); w.State != WaitOutcomeUnknown {
		t.Errorf("ttft_s = 0 counts as %s", w.State)
	}
}

func TestThefastestOrderAndBadCells(t *testing.T) {
	base := `"time_utc":"2026-11-29T08:04:59","model":"a/b"`
	for _, c := range []struct {
		name, cells string
		flags       []string
	}{
		{"first token before headers", `"ttr_s":0.5,"ttft_s":0.3`, []string{"order:first_text_delta_ms"}},
		{"within a millisecond", `"ttr_s":0.5,"ttft_s":0.4991`, nil},
		{"above 24 h", `"ttr_s":"86400.1"`, []string{"bad_value:upstream_headers_ms"}},
		{"words for numbers", `"ttft_s":"fast","tps":"x","num_tokens":"1.5"`, []string{"bad_value:first_text_delta_ms", "bad_value:output_tokens", "bad_value:visible_output_tps"}},
		{"negative is missing", `"ttft_s":-1,"total_time_s":"-0.5"`, nil},
		{"blank, null and objects are absent", `"ttr_s":"","ttft_s":null,"tps":{},"num_tokens":" "`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var rec Record
			if _, err := newTestDecoder(t, "thefastest", nil).Decode([]byte(`{`+base+`,`+c.cells+`}`), arrival, &rec); err != nil {
				t.Fatal(err)
			}
			want := append(slices.Clone(c.flags), FlagIDMissing)
			slices.Sort(want)
			if !slices.Equal(rec.Flags, want) {
				t.Errorf("flags %v, want %v", rec.Flags, want)
			}
		})
	}
}

func TestLLMPerfTraps(t *testing.T) {
	base := arrival.Add(-time.Hour)
	rows := readFile(t, "llmperf", "testdata/rows/llmperf.csv", func(c *Config) { c.BaseTime = base; c.BaseStep = 2 * time.Second })
	byOutcome := map[Outcome]int{}
	for i := range rows {
		r := &rows[i]
		byOutcome[r.Outcome]++
		if !r.CreatedAt.Equal(base.Add(time.Duration(i)*2*time.Second)) || !r.Flagged(FlagTimeAssigned) || r.Route != r.Provider {
			t.Fatalf("row %d: time %s, flags %v", i, r.CreatedAt, r.Flags)
		}
		w := FirstTokenWait(r, MetricFirstText, true)
		switch r.Outcome {
		case OutcomeCompleted:
			if w.State != WaitObserved || w.Clock != ClockStart || w.Duration <= 0 || r.Status.Valid || !r.OutputTokens.Valid {
				t.Fatalf("completed row %d: %+v %+v", i, w, r)
			}
		default:
			if w.State != WaitFailed || r.Timing != (Timing{}) || r.OutputTokens.Valid {
				t.Fatalf("failed row %d counts as %+v: %+v", i, w, r)
			}
		}
		if (r.Outcome == OutcomeRateLimited) != (r.Status == Some[int32](429)) {
			t.Fatalf("row %d: outcome %s, status %v", i, r.Outcome, r.Status)
		}
	}
	if byOutcome[OutcomeRateLimited] == 0 || byOutcome[OutcomeError] != 1 || byOutcome[OutcomeCompleted] < 160 {
		t.Errorf("outcomes %v", byOutcome)
	}
	short := rows[slices.IndexFunc(rows, func(r Record) bool { return r.Provider == "bedrock" && r.OutputTokens == Some[int64](39) })]
	if short.Outcome != OutcomeCompleted || short.Timing.FirstTextDelta != Some(810184*time.Microsecond) {
		t.Errorf("code −100 has a real first token: %+v", short)
	}
}

// TestLLMPerfKnownAnswers: the published quantiles of anyscale 70b (type 7,
// milliseconds) come out of the decoded rows.
func TestLLMPerfKnownAnswers(t *testing.T) {
	var waits []float64
	for _, r := range readFile(t, "llmperf", "testdata/rows/llmperf.csv", func(c *Config) { c.BaseTime = arrival }) {
		if w := FirstTokenWait(&r, MetricFirstText, true); r.Provider == "anyscale" && r.Model == "70b" && w.State == WaitObserved {
			waits = append(waits, float64(w.Duration.Microseconds())/1000)
		}
	}
	slices.Sort(waits)
	if len(waits) != 150 {
		t.Fatalf("n = %d, want 150", len(waits))
	}
	for q, want := range map[float64]float64{0.90: 321.2, 0.95: 362.0, 0.99: 474.5} {
		h := q * float64(len(waits)-1)
		lo := int(h)
		got := waits[lo] + (h-float64(lo))*(waits[lo+1]-waits[lo])
		if got < want-0.05 || got > want+0.05 {
			t.Errorf("P%g = %.3f, want %.1f", 100*q, got, want)
		}
	}
}

func TestRowsWithoutClockNeedABaseTime(t *testing.T) {
	var rec Record
	_, err := newTestDecoder(t, "llmperf", nil).Decode([]byte(`{"provider":"p","model_size":"7b"}`), arrival, &rec)
	if err == nil || !strings.Contains(err.Error(), "base time") {
		t.Errorf("error %v names no base time", err)
	}
}

func TestShiftToNowBringsTheNewestRowToNow(t *testing.T) {
	const path = "testdata/rows/thefastest.csv"
	before := readFile(t, "thefastest", path, nil)
	newest := before[len(before)-1].CreatedAt
	shift := ShiftToNow(newest, arrival.Add(123*time.Microsecond))
	after := readFile(t, "thefastest", path, func(c *Config) { c.Shift = shift; c.Retention = 0 })
	for i := range after {
		if after[i].CreatedAt.Sub(before[i].CreatedAt) != shift || !after[i].Flagged(FlagTimeShifted) {
			t.Errorf("row %d: %s became %s, flags %v", i, before[i].CreatedAt, after[i].CreatedAt, after[i].Flags)
		}
	}
	if got := after[len(after)-1].CreatedAt; !got.Equal(arrival) {
		t.Errorf("newest row lies at %s, want %s", got, arrival)
	}
}

func TestUnknownSourceNamesTheKnownOnes(t *testing.T) {
	_, err := NewSources().Need("headwya")
	if err == nil || !strings.Contains(err.Error(), "headway, thefastest, llmperf") {
		t.Errorf("error %v", err)
	}
}
