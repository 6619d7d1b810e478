package hedge

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// bursts makes n requests in bursts, with a slow share and some unfinished.
func bursts(r *rand.Rand, n int) []Request {
	out := make([]Request, n)
	at := monday
	for i := range out {
		if r.IntN(20) == 0 {
			at = at.Add(time.Duration(r.IntN(600)) * time.Second)
		}
		at = at.Add(time.Duration(r.IntN(200)) * time.Millisecond)
		out[i] = Request{Wait: Wait{Micros: int64(1e6 * r.ExpFloat64()), At: at, Censored: r.IntN(30) == 0}, Input: int64(r.IntN(3000)), Output: int64(r.IntN(500))}
	}
	r.Shuffle(n, func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// replayed walks through every arrival and decision as one list of events.
func replayed(requests []Request, d int64, b TokenBucket) (sent, refused int) {
	type moment struct {
		at  time.Time
		due bool
		r   Request
	}
	var all []moment
	for _, r := range requests {
		all = append(all, moment{r.At, false, r})
		if r.Micros > d {
			all = append(all, moment{r.At.Add(time.Duration(d) * time.Microsecond), true, r})
		}
	}
	slices.SortStableFunc(all, func(a, b moment) int {
		return cmp.Or(a.at.Compare(b.at), b2i(a.due)-b2i(b.due))
	})
	units, last := b.Burst, all[0].at
	for _, m := range all {
		units = min(b.Burst, units+b.PerDay*m.at.Sub(last).Seconds()/86400)
		last = m.at
		if !m.due {
			units = min(b.Burst, units+b.PerRequest)
			continue
		}
		price := 1.0
		if b.Price != nil {
			price = b.Price(m.r)
		}
		if units >= price-1e-9 {
			units -= price
			sent++
		} else {
			refused++
		}
	}
	return sent, refused
}

func TestReplayAgainstEvents(t *testing.T) {
	r := rand.New(rand.NewPCG(141, 141))
	for range 40 {
		rows := bursts(r, 50+r.IntN(1500))
		y := NewDistribution(waitsOf(rows))
		d := int64(2e6 * r.Float64())
		for _, b := range []TokenBucket{ShareBudget(0.02+0.1*r.Float64(), 1+float64(r.IntN(20))), TokenBudget(float64(1e5+r.IntN(1e7)), Billing{}, 0),
			MoneyBudget(10*r.Float64(), Billing{Cancel: CancelBillsFull, Price: &Price{3, 15}}, 0)} {
			sent, refused := replayed(rows, d, b)
			got, err := ReplayBudget(rows, y, Policy{Delay: d, Q: 1}, b, Billing{}, nil)
			if err != nil || got.Sent != sent || got.Refused != refused || got.Triggered != sent+refused || math.Abs(got.Ratio-float64(sent)/float64(len(rows))) > 1e-12 {
				t.Fatalf("%+v, error %v, want %d sent and %d refused", got, err, sent, refused)
			}
			if (got.Dry > 0 || got.DryDays > 0) && refused == 0 || got.DryDays == 0 && refused > 0 {
				t.Errorf("%d refused, yet dry for %v on %d days", refused, got.Dry, got.DryDays)
			}
		}
	}
}

// TestReplayWithoutLimit is the plain simulation; half of the backups lie
// between it and none; and the percentiles are those of drawn races.
func TestReplayWithoutLimit(t *testing.T) {
	r := rand.New(rand.NewPCG(142, 142))
	rows := bursts(r, 3000)
	for i := range rows {
		rows[i].Censored = false
	}
	x := NewDistribution(waitsOf(rows))
	p := Policy{Delay: micros(x.Quantile(0.9).Micros), Q: 1}
	free, err := ReplayBudget(rows, x, p, ShareBudget(1, 1e6), Billing{}, nil)
	h := Independent(x, x, p)
	if err != nil || free.Refused != 0 || free.Ratio != free.Unlimited || math.Abs(free.Ratio-p.Trigger(x)) > 1e-12 || free.RefusedShare != 0 {
		t.Fatalf("%+v, %v", free, err)
	}
	for _, q := range []float64{0.5, 0.9, 0.95, 0.99} {
		near(t, nameOf(q), quantileOf(t, free.law(x, x, p.Delay), q), quantileOf(t, h, q), 1e-6)
	}
	tight, err := ReplayBudget(rows, x, p, ShareBudget(0.04, 4), Billing{}, nil)
	if err != nil || tight.Ratio > 0.042 || tight.RefusedShare < 0.3 || tight.After.P99.Micros <= free.After.P99.Micros || tight.After.P99.Micros > tight.Before.P99.Micros {
		t.Errorf("%+v, %v", tight, err)
	}
	// Draw races for those that got one.
	const draws = 300
	var drawn []Wait
	for range draws {
		for _, w := range tight.sent {
			drawn = append(drawn, Wait{Micros: min(w.Micros, p.Delay+rows[r.IntN(len(rows))].Micros)})
		}
		drawn = append(drawn, tight.rest...)
		for _, w := range rows {
			if w.Micros <= p.Delay {
				drawn = append(drawn, w.Wait)
			}
		}
	}
	mc := NewDistribution(drawn)
	near(t, "P95", tight.After.P95.Micros, quantileOf(t, mc, 0.95), 0.005)
	near(t, "P99", tight.After.P99.Micros, quantileOf(t, mc, 0.99), 0.01)
	half, err := ReplayBudget(rows, x, Policy{Delay: p.Delay, Q: 0.5}, ShareBudget(1, 1e6), Billing{}, r)
	if err != nil || math.Abs(half.Ratio-0.05) > 0.012 || half.Refused != 0 {
		t.Errorf("q 0.5: %+v, %v", half, err)
	}
}

// TestReplayOfRealArrivals: Azure's trace comes in bursts, so that a budget of
// 10 % refuses some although the ratio is 10 %.
func TestReplayOfRealArrivals(t *testing.T) {
	rows := trace(t, "azure-llm-2023/code.csv.gz")
	x := NewDistribution(waitsOf(rows))
	p := Policy{Delay: micros(x.Quantile(0.9).Micros), Q: 1}
	for _, burst := range []float64{1, 10, 100} {
		got, err := ReplayBudget(rows, x, p, ShareBudget(0.1, burst), Billing{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("burst %3.0f: ratio %.4f of %.4f, refused %.1f %% of the triggered, P99 %.1f s (%.1f s without), extra input %.1f %%", burst,
			got.Ratio, got.Unlimited, 100*got.RefusedShare, got.After.P99.Micros/1e6, got.Before.P99.Micros/1e6, 100*got.Cost.InputShare)
		if got.Ratio > 0.1+burst/float64(len(rows)) || got.Cost.Hedges != float64(got.Sent) || got.Cost.Requests != len(rows) {
			t.Errorf("%+v", got)
		}
	}
}

// TestSmallestDelay tries every delay.
func TestSmallestDelay(t *testing.T) {
	r := rand.New(rand.NewPCG(143, 143))
	for range 30 {
		rows := bursts(r, 100+r.IntN(300))
		for i := range rows {
			rows[i].At = monday.Add(time.Duration(r.IntN(72)) * time.Hour)
			rows[i].Micros = int64(r.IntN(200))
		}
		b := TokenBudget(float64(1000+r.IntN(60_000)), Billing{}, 0)
		dearest := func(d int64) float64 {
			days := map[int]float64{}
			for _, q := range rows {
				if q.Micros > d {
					days[q.At.Day()] += float64(q.Input + q.Output)
				}
			}
			most := 0.0
			for _, v := range days {
				most = max(most, v)
			}
			return most
		}
		want := int64(5)
		for dearest(want) > b.PerDay {
			want++
		}
		if d, worst, err := b.SmallestDelay(rows, 5); err != nil || d != want || worst != dearest(want) {
			t.Fatalf("%d costs %v (%v), want %d and %v", d, worst, err, want, dearest(want))
		}
	}
}

func TestBadBudgets(t *testing.T) {
	rows := []Request{{Wait: Wait{Micros: 5, At: monday}}}
	x := NewDistribution(waitsOf(rows))
	p := Policy{Delay: 1, Q: 1}
	for _, b := range []TokenBucket{{}, {PerRequest: -1}, {PerDay: math.NaN()}, {Burst: math.Inf(1)}} {
		if _, err := ReplayBudget(rows, x, p, b, Billing{}, nil); err == nil {
			t.Errorf("%+v was taken", b)
		}
		if _, _, err := b.SmallestDelay(rows, 0); err == nil {
			t.Errorf("%+v was taken", b)
		}
	}
	if _, err := ReplayBudget([]Request{{}}, x, p, ShareBudget(1, 1), Billing{}, nil); err == nil {
		t.Error("a request without time was replayed")
	}
	if _, err := ReplayBudget(rows, x, Policy{Q: 0.5}, ShareBudget(1, 1), Billing{}, nil); err == nil {
		t.Error("q 0.5 without randomness")
	}
	if _, _, err := ShareBudget(0.1, 1).SmallestDelay(rows, 0); err == nil {
		t.Error("a share has no day's budget")
	}
	if _, _, err := TokenBudget(10, Billing{}, 0).SmallestDelay([]Request{{}}, 0); err == nil {
		t.Error("a request without time has a day")
	}
	if got, err := ReplayBudget(nil, x, p, ShareBudget(1, 1), Billing{}, nil); err != nil || got.Requests != 0 {
		t.Errorf("no requests: %+v, %v", got, err)
	}
	unknown := Request{Wait: Wait{Micros: 9, At: monday}, Input: -1, Output: -1}
	if got := TokenBudget(10, Billing{}, 700).price(unknown); got != 700 {
		t.Errorf("unknown tokens are counted at %v, want 700", got)
	}
	if got := MoneyBudget(10, Billing{Price: &Price{Input: 2}}, 500_000).price(unknown); got != 1 {
		t.Errorf("unknown tokens cost %v, want 1", got)
	}
}
