package hedge

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestErlangC against the sum of its definition, and M/M/1's ρ and M/M/2's
// 2ρ²/(1 + ρ).
func TestErlangC(t *testing.T) {
	for _, c := range []int{1, 2, 5, 20} {
		for _, rho := range []float64{0.05, 0.3, 0.7, 0.95, 0.999} {
			a := rho * float64(c)
			term, sum := 1.0, 0.0
			for k := 0; k < c; k++ {
				sum += term
				term *= a / float64(k+1)
			}
			want := term / (1 - rho) / (sum + term/(1-rho))
			near(t, "Erlang C", ErlangC(c, a), want, 1e-12)
			switch c {
			case 1:
				near(t, "M/M/1", ErlangC(1, a), rho, 1e-12)
			case 2:
				near(t, "M/M/2", ErlangC(2, a), 2*rho*rho/(1+rho), 1e-12)
			}
		}
	}
	if ErlangC(3, 0) != 0 || ErlangC(3, 3) != 1 || ErlangC(2000, 1990) <= 0 {
		t.Error("edges")
	}
	q := newQueue(1, 0.8, 1e6)
	near(t, "M/M/1 mean wait ρ/(1 − ρ)", q.mean(), 4e6, 1e-12)
}

// TestGrowthCompletesTheQueue: a calm queue's time and the growth make a busy
// one's: P(W + Δ > t) is integrated over W and compared with C'·e^(−θ't).
func TestGrowthCompletesTheQueue(t *testing.T) {
	for _, tc := range []struct {
		c    int
		a, b float64
	}{{1, 0.5, 0.7}, {2, 1, 1.9}, {10, 7, 7.7}, {10, 2, 9.9}, {100, 80, 99}, {50, 1, 2}} {
		calm, busy := newQueue(tc.c, tc.a, 1), newQueue(tc.c, tc.b, 1)
		g := calm.to(busy)
		for _, at := range []float64{0, 0.01, 0.1, 0.5, 2, 10} {
			const steps = 20_000
			sum := (1 - calm.chance) * g.exceeds(at)
			for i := range steps { // W up to t
				w := (float64(i) + 0.5) * at / steps
				sum += calm.chance * calm.rate * math.Exp(-calm.rate*w) * g.exceeds(at-w) * at / steps
			}
			sum += calm.chance * math.Exp(-calm.rate*at)
			if want := busy.chance * math.Exp(-busy.rate*at); math.Abs(sum-want) > 1e-5 {
				t.Errorf("%+v at %v: %.7f, want %.7f", tc, at, sum, want)
			}
			if s, later := g.exceeds(at), g.exceeds(at+0.01); later > s+1e-12 {
				t.Errorf("%+v: P(Δ > t) rises from %v to %v at %v", tc, s, later, at)
			}
		}
	}
}

func TestCheckLoadAgainstEvents(t *testing.T) {
	for _, tc := range []struct {
		name              string
		c                 int
		busy, d           float64 // d in mean services
		collapse, fragile bool
	}{
		{"a fifth busy", 10, 2, 0.8, false, false},
		{"four tenths of ten", 10, 4, 0.6, false, false},
		{"four tenths of fifty", 50, 20, 0.7, false, false},
		{"one server, long delay", 1, 0.4, 4, false, false},
		{"half busy tips over", 10, 5, 0.6, false, true},
		{"seven tenths collapse", 10, 7, 0.6, true, false},
		{"eight tenths of fifty collapse", 50, 40, 0.7, true, false},
		{"nine tenths of fifty collapse", 50, 45, 0.7, true, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			const n = 60_000
			calm := events{servers: tc.c, busy: tc.busy, rnd: rand.New(rand.NewPCG(131, 131))}
			calm.run(n)
			x := NewDistribution(calm.waits)
			p := Policy{Delay: int64(1e6 * tc.d), Q: 1}
			got, err := CheckLoad(x, p, Load{Servers: tc.c, Busy: tc.busy, Service: 1e6})
			if err != nil || got.Collapse != tc.collapse || got.Fragile != tc.fragile || (got.Warning != "") != (tc.collapse || tc.fragile) {
				t.Fatalf("%+v, error %v", got, err)
			}
			hedged := events{servers: tc.c, busy: tc.busy, delay: tc.d, rnd: rand.New(rand.NewPCG(131, 131))}
			hedged.run(n)
			t.Logf("S(d) %.4f, settles at %.4f (collapse %v, fragile %v); simulated %.4f, longest queue %d", p.Trigger(x), got.Ratio, got.Collapse, got.Fragile, hedged.ratio(), hedged.longest)
			switch {
			case tc.collapse || tc.fragile:
				if hedged.longest < 300 || hedged.ratio() < 2*p.Trigger(x) {
					t.Errorf("the simulated queue grew to %d and the ratio to %v: no collapse", hedged.longest, hedged.ratio())
				}
			default:
				if real := hedged.ratio() / got.Ratio; real < 0.9 || real > 1.15 && (tc.c > 1 || real > 2.5) { // one server: backups bunch
					t.Errorf("simulated %.3f of the settled ratio", real)
				}
			}
			safe := math.Min(got.Ceiling, 0.05)
			guarded, err := CheckLoad(x, p, Load{Servers: tc.c, Busy: tc.busy, Service: 1e6, Budget: max(safe, 1e-3)})
			if err != nil || guarded.Ratio > max(safe, 1e-3) || guarded.Collapse {
				t.Errorf("with a budget of %v: %+v, %v", safe, guarded, err)
			}
		})
	}
}

func TestCheckLoadEdges(t *testing.T) {
	x := NewDistribution(drawn(500, 40, 132))
	p := Policy{Delay: 2e6, Q: 1}
	for _, l := range []Load{{}, {Servers: 4, Busy: -1, Service: 1}, {Servers: 4, Busy: 1}, {Servers: 4, Busy: math.NaN(), Service: 1}, {Servers: 4, Busy: 1, Service: 1, Extra: 1.1}, {Servers: 4, Busy: 1, Service: 1, Budget: -1}} {
		if _, err := CheckLoad(x, p, l); err == nil || !strings.Contains(err.Error(), "give at least") {
			t.Errorf("%+v: %v", l, err)
		}
	}
	full, err := CheckLoad(x, p, Load{Servers: 4, Busy: 4, Service: 1e6})
	if err != nil || !full.Collapse || full.Ceiling != 0 || !strings.Contains(full.Warning, "no free server") {
		t.Errorf("a full upstream: %+v, %v", full, err)
	}
	idle, err := CheckLoad(x, p, Load{Servers: 4, Service: 1e6})
	if err != nil || idle.Warning != "" || math.Abs(idle.Ratio-p.Trigger(x)) > 1e-9 || idle.Ceiling != 1 {
		t.Errorf("an idle upstream: %+v, %v", idle, err)
	}
	whole, _ := CheckLoad(x, p, Load{Servers: 4, Busy: 2, Service: 1e6})
	part, _ := CheckLoad(x, p, Load{Servers: 4, Busy: 2, Service: 1e6, Extra: 0.3})
	if part.Ratio >= whole.Ratio && !whole.Collapse || part.UtilisationAfter >= whole.UtilisationAfter || part.QueueAfter <= part.Queue {
		t.Errorf("cancelled losers %+v, running on %+v", part, whole)
	}
}
