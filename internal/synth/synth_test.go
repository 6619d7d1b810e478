package synth_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"headway/internal/synth"
	"headway/schema"
)

// monday is the start of a week.
var monday = time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC)

func config(seed uint64, n int64, span time.Duration) synth.Config {
	return synth.Config{Seed: seed, From: monday, To: monday.Add(span), N: n}
}

// each generates and hands every record to visit; it returns the truth.
func each(t testing.TB, cfg synth.Config, visit func(*schema.Record)) synth.Truth {
	t.Helper()
	g, err := synth.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for r := range g.All() {
		visit(r)
	}
	return g.Truth()
}

func digest(t *testing.T, cfg synth.Config) string {
	t.Helper()
	h := sha256.New()
	each(t, cfg, func(r *schema.Record) {
		fmt.Fprintln(h, r.RequestID, r.Attempt, r.CreatedAt.UnixMilli(), r.Gateway, r.Model, r.Route, r.Channel, r.ClientRegion,
			r.Outcome, r.Status, r.Stream, r.InputTokens, r.OutputTokens, r.StreamEvents, r.MaxGap, r.Timing)
	})
	return hex.EncodeToString(h.Sum(nil)[:8])
}

func TestSameSeedSameRecords(t *testing.T) {
	t.Parallel()
	quiet := config(1, 5000, 24*time.Hour)
	planted := quiet
	planted.Incident = "upstream_admission"
	cases := []struct {
		name string
		cfg  synth.Config
		want string // changes only with a deliberate change of the generator
	}{{"quiet", quiet, "e12a50dc48db3c5a"}, {"planted", planted, "6252a1eeed1a505e"}}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := digest(t, c.cfg); got != c.want {
				t.Errorf("digest %s; want %s", got, c.want)
			}
			other := c.cfg
			other.Seed++
			if digest(t, other) == c.want {
				t.Error("another seed gives the same records")
			}
		})
	}
}

func TestCountOrderAndSpan(t *testing.T) {
	t.Parallel()
	byRate := config(3, 0, 3*time.Hour)
	byRate.Rate = 1.5
	cases := []struct {
		name string
		cfg  synth.Config
		n    int
	}{
		{"one record", config(1, 1, time.Hour), 1},
		{"a day", config(2, 20_000, 24*time.Hour), 20_000},
		{"by rate", byRate, 16_200},
		{"less than a minute", config(4, 500, 7*time.Second), 500},
		{"many in a millisecond", config(5, 500, time.Millisecond), 500},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			n, last := 0, c.cfg.From
			each(t, c.cfg, func(r *schema.Record) {
				n++
				if r.CreatedAt.Before(last) || !r.CreatedAt.Before(c.cfg.To) {
					t.Fatalf("record %d at %s; want from %s to before %s", n, r.CreatedAt, last, c.cfg.To)
				}
				last = r.CreatedAt
			})
			if n != c.n {
				t.Errorf("%d records; want %d", n, c.n)
			}
		})
	}
}

func TestEndsWhereTheReaderStops(t *testing.T) {
	t.Parallel()
	g, err := synth.New(config(1, 1000, time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for range g.All() {
		if n++; n == 10 {
			break
		}
	}
	if n != 10 {
		t.Errorf("%d records; want 10", n)
	}
}

// TestRecordsSurviveTheirJSON decodes what was encoded: a record that the
// decoder would mend or flag otherwise could not be real.
func TestRecordsSurviveTheirJSON(t *testing.T) {
	t.Parallel()
	src, err := schema.NewSources().Need("headway")
	if err != nil {
		t.Fatal(err)
	}
	for _, incident := range append([]string{""}, names()...) {
		t.Run("incident "+incident, func(t *testing.T) {
			t.Parallel()
			dec, err := schema.NewDecoder(schema.Config{Source: src, NewID: func() string { return "" }})
			if err != nil {
				t.Fatal(err)
			}
			cfg := config(9, 6000, 4*time.Hour)
			cfg.Incident = incident
			each(t, cfg, func(r *schema.Record) {
				plain := *r
				plain.Flags = nil // the decoder must find them by itself
				var got schema.Record
				if dropped, err := dec.Decode(schema.AppendJSON(nil, &plain), cfg.To, &got); err != nil || dropped != 0 {
					t.Fatalf("decoding: %v, %d members dropped\n%s", err, dropped, schema.AppendJSON(nil, r))
				}
				if !reflect.DeepEqual(got, *r) {
					t.Fatalf("decoded  %+v\ngenerated %+v", got, *r)
				}
			})
		})
	}
}

func names() []string {
	var out []string
	for _, i := range synth.Incidents() {
		out = append(out, i.Name)
	}
	return out
}

func TestMistakenConfig(t *testing.T) {
	t.Parallel()
	ok := config(1, 10, time.Hour)
	cases := []struct {
		name   string
		change func(*synth.Config)
		want   []string
	}{
		{"no number and no rate", func(c *synth.Config) { c.N = 0 }, []string{"rate 0", "give a number of records"}},
		{"negative number", func(c *synth.Config) { c.N = -1 }, []string{"-1 records", "above 0"}},
		{"rate not a number", func(c *synth.Config) { c.N, c.Rate = 0, math.NaN() }, []string{"rate NaN"}},
		{"span the wrong way round", func(c *synth.Config) { c.From, c.To = c.To, c.From }, []string{"is not before", "swap"}},
		{"empty span", func(c *synth.Config) { c.To = c.From }, []string{"is not before"}},
		{"unknown incident", func(c *synth.Config) { c.Incident = "meteor" }, []string{`incident "meteor"`, "upstream_admission, provider_outage"}},
		{"unknown severity", func(c *synth.Config) { c.Severity = "awful" }, []string{`severity "awful"`, "clear or mild"}},
		{"incident without a before", func(c *synth.Config) { c.Incident, c.To = "auth_slow", c.From.Add(time.Minute) }, []string{"at least 20m0s", "widen"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cfg := ok
			c.change(&cfg)
			_, err := synth.New(cfg)
			if err == nil {
				t.Fatalf("New accepted %+v", cfg)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q; want it to say %q", err, want)
				}
			}
		})
	}
}

func BenchmarkGenerate(b *testing.B) {
	g, err := synth.New(config(1, math.MaxInt32, 7*24*time.Hour))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	n := 0
	b.ResetTimer()
	for range g.All() {
		if n++; n >= b.N {
			break
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "records/s")
}
