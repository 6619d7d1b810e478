package hedge

import (
	"math"
	"math/rand/v2"
	"testing"
)

// serve runs n requests with exponential waits and backups after d seconds,
// stopping the loser; shared is the chance that a backup waits a quarter of
// what its primary does. A twentieth is held out, a tenth of the rest refused. truth are the
// waits that primaries would have had.
func serve(r *rand.Rand, n int, d, shared float64) (served []Served, truth []Wait) {
	for range n {
		x, y := r.ExpFloat64(), r.ExpFloat64()
		if r.Float64() < shared {
			y = x / 4
		}
		truth = append(truth, Wait{Micros: int64(1e6 * x)})
		s := Served{Request: Request{Wait: Wait{Micros: int64(1e6 * x)}, Input: 1000, Output: 50}, HedgeAfter: int64(1e6 * d)}
		s.Holdout, s.Refused = r.IntN(20) == 0, r.IntN(10) == 0
		if x > d && !s.Holdout && !s.Refused {
			b := Sent{After: s.HedgeAfter, Wait: Wait{Micros: int64(1e6 * y)}, Input: 1000, Output: 50}
			if d+y < x {
				s.Micros, s.Censored, s.Superseded = b.After+b.Wait.Micros, true, true
			} else {
				b.Wait = Wait{Micros: s.Micros - b.After, Censored: true}
				b.Output = -1
			}
			s.Backups = []Sent{b}
		}
		served = append(served, s)
	}
	return served, truth
}

// TestObserveFindsTheTruth: independent waits, so that Kaplan–Meier, the
// hold-out and the true primaries agree, and clients see the hedged law.
func TestObserveFindsTheTruth(t *testing.T) {
	const d, n = 2.302585, 400_000
	r := rand.New(rand.NewPCG(161, 161))
	served, truth := serve(r, n, d, 0)
	o := Observe(served)
	x := NewDistribution(truth)
	p95, p99 := quantileOf(t, x, 0.95), quantileOf(t, x, 0.99)
	near(t, "unhedged P95", o.Unhedged.P95.Micros, p95, 0.01)
	near(t, "unhedged P99", o.Unhedged.P99.Micros, p99, 0.03)
	near(t, "hold-out P95", o.Control.P95.Micros, p95, 0.03)
	near(t, "hold-out P99", o.Control.P99.Micros, p99, 0.1)
	// With a of those beyond d hedged: P(Q > t) = e^(−t)·(a·e^(−(t−d)) + 1 − a).
	a := float64(o.Hedged.Count) / float64(o.Beyond.Count)
	for _, tc := range []struct{ q, got float64 }{{0.95, o.Users.P95.Micros}, {0.99, o.Users.P99.Micros}} {
		lo, hi := d, 20.0
		for range 60 {
			if mid := (lo + hi) / 2; math.Exp(-mid)*(a*math.Exp(d-mid)+1-a) > 1-tc.q {
				lo = mid
			} else {
				hi = mid
			}
		}
		near(t, "clients' "+nameOf(tc.q), tc.got/1e6, lo, 0.01)
	}
	if o.Wins.Low > 0.5 || o.Wins.High < 0.5 || o.Wins.Of != o.Hedged.Count || o.Answered.Share != 1 {
		t.Errorf("wins %+v, answered %+v", o.Wins, o.Answered)
	}
	near(t, "beyond", o.Beyond.Share, 0.1, 0.03)
	near(t, "held out", o.Holdout.Share, 0.05, 0.15)
	near(t, "refused", o.Refused.Share, 0.1, 0.1)
	if o.Bounds.AtOnce.P99.Micros > p99 || o.Bounds.Never.P99.Reached && o.Bounds.Never.P99.Micros < p99 || !o.Bounds.AtOnce.P95.Reached {
		t.Errorf("bounds %+v, true P99 %v", o.Bounds, p99)
	}
	near(t, "extra input", o.Extra.Share, float64(o.Hedged.Count)/n, 1e-9)
	if o.Extra.Unknown != o.Hedged.Count-o.Wins.Count || o.Extra.EstimatedInput != 0 {
		t.Errorf("extra %+v of %d losing backups", o.Extra, o.Hedged.Count-o.Wins.Count)
	}
}

// TestBoundsWhereWaitsAreShared: Kaplan–Meier is biased there, its bounds are
// not, and the hold-out is right.
func TestBoundsWhereWaitsAreShared(t *testing.T) {
	r := rand.New(rand.NewPCG(162, 162))
	served, truth := serve(r, 100_000, 2.302585, 0.6)
	o := Observe(served)
	p99 := quantileOf(t, NewDistribution(truth), 0.99)
	if o.Bounds.AtOnce.P99.Micros > p99 || o.Bounds.Never.P99.Reached && o.Bounds.Never.P99.Micros < p99 {
		t.Errorf("true P99 %v outside %+v", p99, o.Bounds)
	}
	if off := math.Abs(o.Unhedged.P99.Micros/p99 - 1); off < 0.02 {
		t.Errorf("Kaplan–Meier is off by %v only: the test shows nothing", off)
	}
	near(t, "hold-out P99", o.Control.P99.Micros, p99, 0.1)
}

func TestObserveTraps(t *testing.T) {
	at := func(micros int64, censored bool) Request {
		return Request{Wait: Wait{Micros: micros, Censored: censored}, Input: 300, Output: 10}
	}
	ok := func(after, wait int64) Sent {
		return Sent{After: after, Wait: Wait{Micros: wait}, Input: 300, Output: 10}
	}
	for _, tc := range []struct {
		name                            string
		s                               Served
		hedged, wins, answered, backups int
		user                            Wait
	}{
		{"a setting is no hedge", Served{Request: at(50, false), HedgeAfter: 100}, 0, 0, 0, 0, Wait{Micros: 50}},
		{"refused", Served{Request: at(500, false), HedgeAfter: 100, Refused: true}, 0, 0, 0, 0, Wait{Micros: 500}},
		{"won", Served{Request: at(150, true), HedgeAfter: 100, Superseded: true, Backups: []Sent{ok(100, 50)}}, 1, 1, 1, 1, Wait{Micros: 150}},
		{"lost and stopped", Served{Request: at(120, false), HedgeAfter: 100, Backups: []Sent{{After: 100, Wait: Wait{Micros: 20, Censored: true}, Input: -1, Output: -1}}}, 1, 0, 1, 1, Wait{Micros: 120}},
		{"an error is no win", Served{Request: at(400, false), HedgeAfter: 100, Backups: []Sent{{After: 100, Wait: Wait{Micros: 5}, Failed: true, Input: -1, Output: 0}}}, 1, 0, 0, 1, Wait{Micros: 400}},
		{"no token is no win", Served{Request: at(400, false), HedgeAfter: 100, Backups: []Sent{{After: 100, Wait: Wait{Micros: 5, Censored: true}, Input: 300}}}, 1, 0, 0, 1, Wait{Micros: 400}},
		{"two backups win once", Served{Request: at(400, true), HedgeAfter: 100, Backups: []Sent{ok(100, 200), ok(200, 50)}}, 1, 1, 2, 2, Wait{Micros: 250}},
		{"nobody answered", Served{Request: at(400, true), HedgeAfter: 100, Backups: []Sent{{After: 100, Wait: Wait{Micros: 900, Censored: true}}}}, 1, 0, 0, 1, Wait{Micros: 1000, Censored: true}},
		{"sent without a setting", Served{Request: at(400, false), Backups: []Sent{ok(100, 500)}}, 1, 0, 1, 1, Wait{Micros: 400}},
		{"after the primary's failure", Served{Request: at(80, true), HedgeAfter: 100, Backups: []Sent{ok(80, 40)}}, 1, 1, 1, 1, Wait{Micros: 120}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := Observe([]Served{tc.s})
			if o.Hedged.Count != tc.hedged || o.Wins.Count != tc.wins || o.Answered.Count != tc.answered || o.Backups != tc.backups || o.Set != 1 || o.Wins.Of != tc.hedged {
				t.Errorf("%+v", o)
			}
			if got := tc.s.user(); got != tc.user {
				t.Errorf("the client waited %+v, want %+v", got, tc.user)
			}
			if u := tc.s; u.Refused && (o.Refused.Count != 1 || o.Refused.Of != 1) {
				t.Errorf("refused %+v", o.Refused)
			}
		})
	}
	o := Observe([]Served{{Request: at(400, false), Backups: []Sent{{After: 1, Wait: Wait{Micros: 5, Censored: true}, Input: -1, Output: -1}, ok(1, 700)}}})
	if o.Extra != (Extra{Input: 300, Output: 10, EstimatedInput: 300, Unknown: 1, Share: 2}) {
		t.Errorf("extra %+v", o.Extra)
	}
	if o := Observe(nil); o.Requests != 0 || o.ControlN != 0 || o.Users.P99.Reached || o.Wins.High != 1 {
		t.Errorf("nothing observed: %+v", o)
	}
}

// TestClopperPearson: bounds are where the binomial tails are 2.5 %.
func TestClopperPearson(t *testing.T) {
	for _, tc := range []struct{ k, n int }{{0, 10}, {1, 10}, {5, 10}, {10, 10}, {37, 400}, {3999, 4000}} {
		low, high := clopperPearson(tc.k, tc.n)
		if tc.k > 0 {
			near(t, "lower tail", 1-binomialCDF(tc.n, tc.k-1, low), 0.025, 1e-6)
		}
		if tc.k < tc.n {
			near(t, "upper tail", binomialCDF(tc.n, tc.k, high), 0.025, 1e-6)
		}
		if share := float64(tc.k) / float64(tc.n); low > share || high < share {
			t.Errorf("%+v: %v to %v", tc, low, high)
		}
	}
}
