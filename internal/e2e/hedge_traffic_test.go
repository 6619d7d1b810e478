package e2e

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// hedgedTraffic is seven whole days of one route that is hedged after
// 900 ms, as a gateway writes it, with what really happened counted beside.
type hedgedTraffic struct {
	text                                  string
	records                               int64
	requests, set, beyond, hedged, kept   int64
	backups, wins, succeeded, extraInput  int64
	primariesSuperseded, backupsCancelled int64
}

// newHedgedTraffic makes n requests whose waits are lognormal with P90 950 ms;
// one in twenty of those that wait for more than 900 ms is held out, of the
// other backups one in ten fails.
func newHedgedTraffic(t *testing.T, n int, now time.Time) hedgedTraffic {
	t.Helper()
	rng := rand.New(rand.NewPCG(11, 12))
	var out hedgedTraffic
	var text strings.Builder
	start := now.UTC().Truncate(24*time.Hour).AddDate(0, 0, -7)
	write := func(r map[string]any) {
		raw, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(raw, '\n'))
		out.records++
	}
	wait := func() float64 {
		return math.Round(300 * math.Exp(0.9*rng.NormFloat64()))
	}
	for i := range n {
		at := start.Add(time.Duration(float64(i) / float64(n) * float64(7*24*time.Hour))).Truncate(time.Millisecond)
		r := attempts{id: "r" + strings.Repeat("0", 3) + at.Format("20060102150405.000"), at: at, input: 100 + rng.IntN(900), write: write}
		out.requests++
		const d = 900.0
		x := wait()
		r.hedged = rng.IntN(10) > 0
		out.set += b2i(r.hedged)
		out.beyond += b2i(r.hedged && x > d)
		if !r.hedged || x <= d || rng.IntN(20) == 0 {
			out.kept += b2i(r.hedged && x > d)
			r.complete("primary", 0, x)
			continue
		}
		out.hedged++
		out.backups++
		y := wait()
		switch {
		case rng.IntN(10) == 0: // the backup fails at once
			r.complete("primary", 0, x)
			r.fail(d)
		case d+y < x: // the backup wins, the primary is stopped
			out.wins++
			out.succeeded++
			out.primariesSuperseded++
			r.stop("primary", 0, d+y)
			r.complete("backup", d, y)
		default:
			out.succeeded++
			out.backupsCancelled++
			r.complete("primary", 0, x)
			r.stop("backup", d, x-d)
		}
		out.extraInput += int64(r.input)
	}
	out.text = text.String()
	return out
}

func b2i(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// attempts writes the records of one request; times are ms, dispatched is
// after the primary's own dispatch, 5 ms after t0.
type attempts struct {
	id     string
	at     time.Time
	input  int
	hedged bool
	write  func(map[string]any)
}

func (a attempts) record(role, outcome string, dispatched float64, timing map[string]any) {
	timing["upstream_start_ms"] = 5 + dispatched
	r := map[string]any{"v": 1, "request_id": a.id, "attempt": b2i(role == "backup"), "role": role, "created_at": a.at.Format("2006-01-02T15:04:05.000Z"),
		"gateway": "gw", "model": "m", "route": "core", "channel": map[string]string{"primary": "ch-1", "backup": "ch-2"}[role], "provider": "p", "stream": true,
		"outcome": outcome, "input_tokens": a.input, "other": map[string]any{"timing": timing}}
	if a.hedged {
		r["hedge_after_ms"] = 900
	}
	if outcome == "completed" {
		r["status"], r["output_tokens"] = 200, 50
	}
	a.write(r)
}

func (a attempts) complete(role string, dispatched, wait float64) {
	t0 := 5 + dispatched
	a.record(role, "completed", dispatched, map[string]any{"upstream_headers_ms": t0 + wait - 20, "first_sse_event_ms": t0 + wait - 10, "first_response_ms": t0 + wait,
		"first_text_delta_ms": t0 + wait, "upstream_done_ms": t0 + wait + 2000, "total_handler_ms": t0 + wait + 2010})
}

func (a attempts) stop(role string, dispatched, after float64) {
	a.record(role, "superseded", dispatched, map[string]any{"upstream_done_ms": 5 + dispatched + after})
}

func (a attempts) fail(dispatched float64) {
	a.record("backup", "error", dispatched, map[string]any{"upstream_headers_ms": 5 + dispatched + 30, "upstream_done_ms": 5 + dispatched + 31})
}
