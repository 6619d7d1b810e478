package query

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"testing"
	"time"

	"headway/schema"
)

// randomQuestion writes parameters that the question accepts.
func randomQuestion(rng *rand.Rand, reg *schema.Registry, question string) url.Values {
	pick := func(choices ...string) string { return choices[rng.IntN(len(choices))] }
	v := url.Values{}
	for _, p := range QuestionParams(question) {
		if rng.IntN(3) == 0 {
			continue
		}
		switch p.Name {
		case "from":
			v.Set("from", pick("now-1h", "now-7d/d", "2026-11-30T03:00:00+02:00", "1764471845678"))
		case "to":
			v.Set("to", pick("now", "now/d", "2026-11-30T04:00:00Z"))
		case "where":
			for range rng.IntN(4) {
				v.Add("where", pick("model", "group", "channel", "flags")+pick("=", "!=")+pick("a", "b=c", "ü,&", Missing))
			}
		case "metric":
			v.Set("metric", pick("ttft", "first_response_ms", "first_text"))
		case "q":
			for range 1 + rng.IntN(4) {
				v.Add("q", FormatQuantile(rng.Float64()*0.998+0.001))
			}
		case "by":
			v.Set("by", pick("model,route", "route,model"))
			if question == "breakdown" {
				v.Set("by", "group")
			}
		case "step":
			v.Set("step", FormatDuration(time.Duration(1+rng.IntN(1e6))*time.Second))
		case "max_groups", "limit", "curve":
			v.Set(p.Name, fmt.Sprint(2+rng.IntN(98)))
		case "sort", "explain", "target":
			v.Set(p.Name, p.Choices[rng.IntN(len(p.Choices))])
		case "hedge_after":
			v.Set("hedge_after", pick("p90", "p99.9", "1500ms", "2s"))
		case "backup":
			v.Del("by")
			v.Set("backup", "model=x,route="+pick("r", Missing))
		case "page", "prefix":
			v.Set(p.Name, "abc")
		}
	}
	if rng.IntN(2) == 0 {
		v.Add(pick("model", "group", "status", "region!"), pick("1", "429"))
	}
	return v
}

// TestQuestionsRoundTrip: parameters → question → parameters → question gives
// the same parameters, so a URL, a command line and a permalink agree.
func TestQuestionsRoundTrip(t *testing.T) {
	reg := schema.NewRegistry()
	rng := rand.New(rand.NewPCG(1, 2))
	for question, parse := range parsers() {
		t.Run(question, func(t *testing.T) {
			for range 500 {
				in := randomQuestion(rng, reg, question)
				once, err := parse(reg, in)
				if err != nil {
					t.Fatalf("%s: %v", in.Encode(), err)
				}
				reread, err := url.ParseQuery(once.Encode())
				if err != nil {
					t.Fatal(err)
				}
				twice, err := parse(reg, reread)
				if err != nil {
					t.Fatalf("%s → %s: %v", in.Encode(), once.Encode(), err)
				}
				if once.Encode() != twice.Encode() {
					t.Fatalf("%s\n→ %s\n→ %s", in.Encode(), once.Encode(), twice.Encode())
				}
				for name := range in {
					if len(in[name]) > 0 && len(once) == 0 {
						t.Fatalf("%s was lost", name)
					}
				}
			}
		})
	}
}

func TestQuantilesRoundTrip(t *testing.T) {
	for in, want := range map[string]string{"p50": "p50", "0.5": "p50", "p99.9": "p99.9", "0.999": "p99.9", "p99.99": "p99.99", ".95": "p95", "P7": "p7"} {
		q, err := ParseQuantile(in)
		if err != nil || FormatQuantile(q) != want {
			t.Errorf("%s → %v → %s, %v; want %s", in, q, FormatQuantile(q), err, want)
		}
	}
	if q, _ := ParseQuantile("p99.9"); q != 0.999 {
		t.Errorf("p99.9 is %v, want exactly 0.999", q)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 20000 {
		q := math.Pow(rng.Float64(), 4)
		if q == 0 {
			continue
		}
		if back, err := ParseQuantile(FormatQuantile(q)); err != nil || back != q {
			t.Fatalf("%v → %s → %v, %v", q, FormatQuantile(q), back, err)
		}
	}
}

func TestDurationsRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 20000 {
		d := time.Duration(rng.Int64N(int64(1000 * day)))
		if rng.IntN(2) == 0 {
			d = d.Truncate([]time.Duration{time.Millisecond, time.Second, time.Minute, time.Hour, day}[rng.IntN(5)])
		}
		if back, err := ParseDuration(FormatDuration(d)); err != nil || back != d {
			t.Fatalf("%v → %s → %v, %v", d, FormatDuration(d), back, err)
		}
	}
}

// FuzzParse: no question panics, and what is accepted round-trips and
// resolves to a sane window or a typed error.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", "metric=ttft&q=p99&by=model", "from=now-7d/d&to=now", "where=a=b&channel!=x", "hedge_after=p90&backup=model=x,route=y&curve=3",
		"from=9999999999999&step=1w", "q=pp&limit=0x1", "model=%00", "from=now-106000d"} {
		f.Add(seed)
	}
	reg := schema.NewRegistry()
	now := at("2026-11-30T03:04:05Z")
	f.Fuzz(func(t *testing.T, raw string) {
		v, err := url.ParseQuery(raw)
		if err != nil {
			return
		}
		for question, parse := range parsers() {
			once, err := parse(reg, v)
			if err != nil {
				if _, ok := err.(Errors); !ok {
					t.Fatalf("%s %q: %T is not Errors", question, raw, err)
				}
				continue
			}
			twice, err := parse(reg, once)
			if err != nil || once.Encode() != twice.Encode() {
				t.Fatalf("%s %q: %s → %s, %v", question, raw, once.Encode(), twice.Encode(), err)
			}
			sc, err := Selection{From: v.Get("from"), To: v.Get("to")}.Resolve(now)
			if err == nil && !sc.From.Before(sc.To) {
				t.Fatalf("%q resolves to %v … %v", raw, sc.From, sc.To)
			}
		}
	})
}
