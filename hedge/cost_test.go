package hedge

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestLongPromptsCostMore: with slow = long, a 10 % ratio costs a third more
// input tokens and above (hedge.md: +33 % for Azure's code trace, +41 % for
// Mooncake's conversations).
func TestLongPromptsCostMore(t *testing.T) {
	for _, tc := range []struct {
		path string
		n    int
		want float64
	}{{"azure-llm-2023/code.csv.gz", 8819, 0.33}, {"mooncake-fast25/conversation.csv.gz", 12031, 0.41}} {
		requests := trace(t, tc.path)
		x := NewDistribution(waitsOf(requests))
		p := Policy{Delay: micros(x.Quantile(0.9).Micros), Q: 1}
		c := CostOf(requests, p, Billing{})
		mean := 0.0
		for _, r := range requests {
			mean += float64(r.Input) / float64(len(requests))
		}
		t.Logf("%-36s n %6d  ratio %.4f  extra input %.2f %% (ratio × mean: %.2f %%)", tc.path, len(requests), p.Trigger(x), 100*c.InputShare, 100*p.Trigger(x))
		if len(requests) != tc.n || math.Abs(c.InputShare-tc.want) > 0.005 || c.KnownInput != int(c.Hedges) {
			t.Errorf("%s: %+v, want +%.0f %% of %d rows", tc.path, c, 100*tc.want, tc.n)
		}
	}
}

func TestCostByHand(t *testing.T) {
	rows := []Request{
		{Wait: Wait{Micros: 10}, Input: 100, Output: 10},
		{Wait: Wait{Micros: 20}, Input: 300, Output: 40},                 // at d: its token came
		{Wait: Wait{Micros: 21}, Input: 1000, Output: 50},                // hedged
		{Wait: Wait{Micros: 90, Censored: true}, Input: 600, Output: -1}, // hedged, never answered
		{Wait: Wait{Micros: 15, Censored: true}, Input: 500, Output: 0},  // gone before d
		{Wait: Wait{Micros: 99}, Input: -1, Output: -1},                  // hedged, nothing known
	}
	price := &Price{Input: 2, Output: 10}
	for _, tc := range []struct {
		name      string
		q         float64
		b         Billing
		low, high float64
		money     Span
	}{
		{"unknown", 1, Billing{CancelUnknown, price}, 0, 50, Span{0.0032, 0.0037}},
		{"honoured", 1, Billing{CancelHonoured, price}, 0, 0, Span{0.0032, 0.0032}},
		{"bills full", 1, Billing{CancelBillsFull, price}, 50, 50, Span{0.0037, 0.0037}},
		{"half of them, no price", 0.5, Billing{}, 0, 25, Span{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := CostOf(rows, Policy{Delay: 20, Q: tc.q}, tc.b)
			if c.Requests != 6 || c.Hedges != 3*tc.q || c.KnownInput != 2 || c.KnownOutput != 1 || c.Input != 1600*tc.q || math.Abs(c.InputShare-1600*tc.q/2500) > 1e-12 {
				t.Errorf("%+v", c)
			}
			if c.Output.Low != tc.low || c.Output.High != tc.high || math.Abs(c.Output.High-100*c.OutputShare.High) > 1e-9 {
				t.Errorf("output %+v of 100 is %+v, want %v to %v", c.Output, c.OutputShare, tc.low, tc.high)
			}
			if math.Abs(c.Money.Low-tc.money.Low) > 1e-12 || math.Abs(c.Money.High-tc.money.High) > 1e-12 {
				t.Errorf("money %+v, want %+v", c.Money, tc.money)
			}
			if tc.b.Price != nil && math.Abs(c.MoneyShare.Low-c.Money.Low/0.006) > 1e-12 {
				t.Errorf("money's share %+v of 0.006", c.MoneyShare)
			}
		})
	}
	twice := CostOf(rows, Policy{Delay: 20, Q: 1}, Billing{Price: price})
	once := twice
	twice.plus(once, 1)
	if double := CostOf(append(rows, rows...), Policy{Delay: 20, Q: 1}, Billing{Price: price}); twice != double {
		t.Errorf("added up %+v, at once %+v", twice, double)
	}
	if c := CostOf(nil, Policy{Delay: 20, Q: 1}, Billing{Price: price}); c != (Cost{}) {
		t.Errorf("no rows cost %+v", c)
	}
}

// TestCostAgainstRaces draws who wins and what was generated until then: the
// bill lies between the two ends.
func TestCostAgainstRaces(t *testing.T) {
	r := rand.New(rand.NewPCG(101, 101))
	rows := make([]Request, 5000)
	for i := range rows {
		rows[i] = Request{Wait: Wait{Micros: int64(1e6 * r.ExpFloat64())}, Input: int64(r.IntN(4000)), Output: int64(r.IntN(900))}
	}
	const d = 2_300_000
	input, output := int64(0), 0.0
	for _, q := range rows {
		if q.Micros > d {
			input += q.Input
			output += float64(q.Output) * r.Float64() // cancelled somewhere in its output
		}
	}
	c := CostOf(rows, Policy{Delay: d, Q: 1}, Billing{})
	if c.Input != float64(input) || output < c.Output.Low || output > c.Output.High {
		t.Errorf("%+v, drawn input %d and output %.0f", c, input, output)
	}
}
