package hedge

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestLongBandsAreHedged: where waits go with the input, one threshold hedges
// the long prompts, and the bands say so.
func TestLongBandsAreHedged(t *testing.T) {
	r := rand.New(rand.NewPCG(171, 171))
	rows := trace(t, "azure-llm-2023/code.csv.gz")
	for i := range rows {
		rows[i].Micros = int64(float64(200+rows[i].Input) * 1000 * math.Exp(0.3*r.NormFloat64()))
	}
	edges := []int64{1000, 4000}
	b := BandsOf(rows, edges, P90(), Billing{})
	if len(b.Bands) != 3 || !b.Differ || !strings.Contains(b.Warning, "4000 and more") {
		t.Fatalf("%+v", b)
	}
	n, sent, cost := 0, 0, 0.0
	d := int64(b.Delay.Micros)
	for i, band := range b.Bands {
		t.Logf("%-14s n %5d  threshold %.2f s (%.2f–%.2f)  hedges %4d, %5.1f %% of all, ratio %.3f, extra input %.0f", band.name(), band.N, band.Threshold.Micros/1e6,
			band.Interval.Low.Micros/1e6, band.Interval.High.Micros/1e6, band.Hedges, 100*band.Share, band.Trigger, band.Cost.Input)
		n, sent, cost = n+band.N, sent+band.Hedges, cost+band.Cost.Input
		count := 0
		for _, q := range rows {
			count += b2i(q.Micros > d && q.Input >= band.From && (band.To == 0 || q.Input < band.To))
		}
		if count != band.Hedges || i > 0 && band.Threshold.Micros < b.Bands[i-1].Threshold.Micros {
			t.Errorf("%s: %d hedges, counted %d", band.name(), band.Hedges, count)
		}
	}
	whole := CostOf(rows, Policy{Delay: d, Q: 1}, Billing{})
	if n != len(rows) || sent != int(whole.Hedges) || cost != whole.Input || b.Bands[2].Share < 0.5 {
		t.Errorf("%d rows, %d hedges, cost %v of %+v", n, sent, cost, whole)
	}
}

// TestBandsOfOneLaw: where the input does not matter, they hardly ever differ,
// and few rows never do.
func TestBandsOfOneLaw(t *testing.T) {
	r := rand.New(rand.NewPCG(172, 172))
	differ := 0
	const rounds = 300
	for range rounds {
		rows := make([]Request, 600)
		for i := range rows {
			rows[i] = Request{Wait: Wait{Micros: int64(1e6 * r.ExpFloat64())}, Input: int64(r.IntN(2000))}
		}
		differ += b2i(BandsOf(rows, []int64{1000}, P90(), Billing{}).Differ)
	}
	if share := float64(differ) / rounds; share > 0.03 {
		t.Errorf("differ in %.3f of the rounds", share)
	}
	few := []Request{{Wait: Wait{Micros: 10}, Input: 5}, {Wait: Wait{Micros: 10_000_000}, Input: 5000}, {Input: -1}}
	if b := BandsOf(few, []int64{1000}, P90(), Billing{}); b.Differ || b.Unknown != 1 || b.Bands[0].N != 1 {
		t.Errorf("three rows: %+v", b)
	}
	if b := BandsOf(nil, nil, P90(), Billing{}); len(b.Bands) != 1 || b.Differ || b.Bands[0].name() != "0 and more" {
		t.Errorf("no rows: %+v", b)
	}
	if b := BandsOf(few, []int64{1000}, Rule{Fixed: 5_000_000}, Billing{}); b.Bands[1].Hedges != 1 || b.Differ {
		t.Errorf("a fixed delay: %+v", b)
	}
}
