package hedge

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// drawn makes n waits of an exponential tail around 1 s, slow of them 20 s.
func drawn(n, slow int, seed uint64) []Wait {
	r := rand.New(rand.NewPCG(seed, seed))
	out := make([]Wait, n)
	for i := range out {
		out[i].Micros = int64(1e6 + 1e5*r.ExpFloat64())
		if i%(n/max(1, slow)) == 0 && slow > 0 {
			out[i].Micros = int64(20e6 + 1e6*r.Float64())
		}
	}
	return out
}

func TestVerdicts(t *testing.T) {
	cut := drawn(400, 0, 1)
	for i := range cut {
		if i%5 == 0 {
			cut[i] = Wait{Micros: 2e6, Censored: true}
		}
	}
	timed := drawn(400, 0, 2)
	for i := range timed {
		timed[i].At = time.Unix(int64(i+1), 0)
		if i >= 200 {
			timed[i].Micros *= 3
		}
	}
	steady := drawn(400, 0, 3)
	for i := range steady {
		steady[i].At = time.Unix(int64(i+1), 0)
	}
	with := func(change func(*Settings)) Settings {
		s := DefaultSettings()
		change(&s)
		return s
	}
	fewCut := drawn(400, 0, 8)
	for i := range 30 {
		fewCut[i] = Wait{Micros: 9e6, Censored: true}
	}
	silent := slices.Clone(timed) // the upstream stops answering half-way
	for i := 200; i < 230; i++ {
		silent[i] = Wait{Micros: 9e6, Censored: true, At: silent[i].At}
	}
	for i := 230; i < 400; i++ {
		silent[i].Micros /= 3
	}
	for _, tc := range []struct {
		name string
		rows []Wait
		rule Rule
		s    Settings
		want Verdict
		says string
	}{
		{"side effects", drawn(400, 20, 4), P90(), with(func(s *Settings) { s.SideEffects = true }), Unsafe, "side effects"},
		{"shared queue", drawn(400, 20, 4), P90(), with(func(s *Settings) { s.SharedQueue = true }), Unsafe, "one upstream queue"},
		{"58 rows", drawn(58, 5, 4), P90(), DefaultSettings(), InsufficientData, "n 58 is below 59"},
		{"a fifth cut off", cut, P90(), DefaultSettings(), Censored, "longest 2.00 s"},
		{"two regimes", timed, P90(), DefaultSettings(), Unstable, "two regimes"},
		{"bimodal tail", drawn(400, 30, 5), P90(), with(func(s *Settings) { s.Target = 0.95 }), Hedge, "pessimistic case"},
		{"steady and fast", steady, P90(), DefaultSettings(), DoNotHedge, "Win chance"},
		{"delay past the time-out", drawn(400, 60, 6), P90(), with(func(s *Settings) { s.Timeout = 15e6 }), DoNotHedge, "time-out"},
		{"delay never seen", fewCut, Rule{Quantile: 0.99}, DefaultSettings(), Censored, "delay's quantile"},
		{"half the window silent", silent, P90(), DefaultSettings(), Unstable, "not reached"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := Recommend(tc.rows, nil, tc.rule, tc.s)
			if a.Verdict != tc.want || !strings.Contains(strings.Join(a.Reasons, " "), tc.says) {
				t.Errorf("%s %q, want %s with %q", a.Verdict, a.Reasons, tc.want, tc.says)
			}
		})
	}
}

func TestGuards(t *testing.T) {
	fast := drawn(400, 30, 7)
	for i := range fast {
		fast[i].Micros /= 100
	}
	if a := Recommend(fast, nil, P90(), DefaultSettings()); a.Delay.Micros != 100_000 || !strings.Contains(a.Notes[0], "floor of 100 ms") {
		t.Errorf("delay %v, notes %q: want the floor and a word about it", a.Delay, a.Notes)
	}
	s := DefaultSettings()
	s.Cap = 500_000
	if a := Recommend(drawn(400, 30, 7), nil, P90(), s); a.Delay.Micros != 500_000 || !strings.Contains(a.Notes[0], "cap of 500 ms") {
		t.Errorf("delay %v, notes %q: want the cap and a word about it", a.Delay, a.Notes)
	}
	s.Floor = 0
	if a := Recommend(drawn(400, 30, 7), nil, Rule{Fixed: 1_500_000}, s); a.Delay.Micros != 1_500_000 {
		t.Errorf("a fixed delay became %v", a.Delay)
	}
}

// TestTarget: the highest of P99 and P95 with enough rows, also when more is
// asked for.
func TestTarget(t *testing.T) {
	for _, tc := range []struct {
		asked float64
		n     int
		want  float64
		notes int
	}{{0, 298, 0.95, 0}, {0, 299, 0.99, 0}, {0.99, 150, 0.95, 1}, {0.99, 20, 0.99, 0}, {0.95, 5000, 0.95, 0}, {0.999, 5000, 0.999, 0}, {0.999, 2000, 0.95, 1}} {
		if got, notes := target(tc.asked, tc.n); got != tc.want || len(notes) != tc.notes {
			t.Errorf("asked %v of %d rows: %v %q, want %v", tc.asked, tc.n, got, notes, tc.want)
		}
	}
}

// TestNotes: the answer says what hedging can't move and what is assumed.
func TestNotes(t *testing.T) {
	rows := drawn(400, 30, 14)
	rows[0] = Wait{Micros: 2e6, Censored: true}
	notes := strings.Join(Recommend(rows, nil, P90(), quick()).Notes, "|")
	for _, want := range []string{"no percentile up to P9", "extra load", "1 of 400 attempts"} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes %q lack %q", notes, want)
		}
	}
	s := quick()
	if notes := Recommend(rows, nil, Rule{Fixed: 20_000}, s).Notes; !strings.Contains(notes[0], "below the floor of 100 ms") {
		t.Errorf("a delay of 20 ms: %q", notes)
	}
}

// TestSingleRAlternative is offered for P95 alone, within the same load.
func TestSingleRAlternative(t *testing.T) {
	s := quick()
	s.Target = 0.95
	rows := drawn(1000, 40, 15)
	a := Recommend(rows, nil, P90(), s)
	if a.SingleR == nil || a.SingleR.Sent > a.Trigger+1e-9 || a.SingleR.Reaches.Micros > a.Independent.After.P95.Micros {
		t.Errorf("%+v, P90's P95 %v", a.SingleR, a.Independent.After.P95.Micros)
	}
	s.Budget = 0.02
	if b := Recommend(rows, nil, P90(), s); b.SingleR == nil || b.SingleR.Sent > 0.02+1e-9 || b.SingleR.Delay < s.Floor {
		t.Errorf("budget 2 %%: %+v", b.SingleR)
	}
	s.Target = 0.99
	if b := Recommend(rows, nil, P90(), s); b.SingleR != nil {
		t.Errorf("target P99: %+v", b.SingleR)
	}
}

func TestNoRows(t *testing.T) {
	a := Recommend(nil, nil, P90(), DefaultSettings())
	if a.Verdict != InsufficientData || a.Delay.Reached || a.Independent != nil {
		t.Errorf("no rows give %+v", a)
	}
}

// TestBootstrapCoversTheHedgedQuantile draws 150 weeks of 600 rows from
// Exp(1) and asks how often the interval holds the true hedged P95.
func TestBootstrapCoversTheHedgedQuantile(t *testing.T) {
	const truth, weeks = 2.6492, 150
	r := rand.New(rand.NewPCG(9, 9))
	inside := 0
	for range weeks {
		rows := make([]Wait, 600)
		for i := range rows {
			rows[i].Micros = int64(r.ExpFloat64() * 1e6)
		}
		s := DefaultSettings()
		s.Boot.Draws = 200
		a := Recommend(rows, nil, Rule{Fixed: 2_302_585}, s)
		if iv := a.Independent.P95; iv.Low.Valid && iv.High.Valid && iv.Low.Micros/1e6 <= truth && truth <= iv.High.Micros/1e6 {
			inside++
		}
	}
	if share := float64(inside) / weeks; share < 0.90 || share > 0.99 {
		t.Errorf("coverage %.3f of %d weeks, want about 0.95", share, weeks)
	}
}

// TestMonteCarloAgrees draws a million requests with a backup.
func TestMonteCarloAgrees(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 10))
	rows := drawn(500, 40, 11)
	x := NewDistribution(rows)
	d := micros(x.Quantile(0.9).Micros)
	h := Independent(x, x, Policy{Delay: d, Q: 1})
	const draws = 1_000_000
	over, wins, below := 0, 0, 0
	p95 := int64(h.Quantile(0.95).Micros)
	for range draws {
		q := rows[r.IntN(len(rows))].Micros
		if q > d {
			over++
			if y := d + rows[r.IntN(len(rows))].Micros; y < q {
				wins, q = wins+1, y
			}
		}
		if q <= p95 {
			below++
		}
	}
	win, _ := h.Win()
	if got := float64(wins) / float64(over); math.Abs(got-win) > 0.01 {
		t.Errorf("win chance %.4f, Monte Carlo %.4f", win, got)
	}
	if got := float64(below) / draws; math.Abs(got-h.CDF(p95)) > 0.002 {
		t.Errorf("P(Q ≤ P95) %.4f, Monte Carlo %.4f", h.CDF(p95), got)
	}
	if got := float64(over) / draws; math.Abs(got-x.Exceed(d)) > 0.002 {
		t.Errorf("trigger %.4f, Monte Carlo %.4f", x.Exceed(d), got)
	}
}

// TestStopEndsTheDrawing gives advice that nobody waits for.
func TestStopEndsTheDrawing(t *testing.T) {
	stop := make(chan struct{})
	close(stop)
	s := DefaultSettings()
	s.Boot.Stop = stop
	if a := Recommend(drawn(400, 30, 5), nil, P90(), s); a.Independent == nil || a.Independent.P95.Low.Valid {
		t.Errorf("a stopped bootstrap still gave an interval: %+v", a.Independent)
	}
}
