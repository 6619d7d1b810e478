package api

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"headway/query"
)

func TestObservedCounts(t *testing.T) {
	b := newBench(t, nil)
	none := int64(-1)
	r := func(micros, after int64, backups ...query.HedgeBackup) query.HedgeRequest {
		return query.HedgeRequest{At: clock, Micros: micros, HedgeAfter: after, Input: 100, Output: 10, Backups: backups}
	}
	quick := query.HedgeBackup{After: 1000, Micros: 500, Input: 100, Output: 10}
	slow := query.HedgeBackup{After: 1000, Micros: 9000, Input: none, Output: none}
	failed := query.HedgeBackup{After: 1000, Micros: 10, Censored: true, Failed: true, Input: none, Output: none}
	stopped := query.HedgeRequest{At: clock, Micros: 1500, Censored: true, Superseded: true, HedgeAfter: 1000, Input: 100, Backups: []query.HedgeBackup{quick}}
	b.shelf.served = []query.HedgeServed{{Key: map[string]string{"model": "m", "route": "core"}, LeftOut: map[string]int64{}, LostBackups: 2, Keys: 1, Requests: []query.HedgeRequest{
		r(500, none), r(600, 1000), r(700, 1000), // below, or no delay in force
		r(4000, 1000, quick, quick),  // one win, two backups
		r(4000, 1000, slow),          // the primary was faster
		r(4000, 1000, failed),        // a backup without a token wins nothing
		stopped,                      // the primary was stopped
		r(5000, 1000), r(6000, 1000), // kept
		r(4000, none), // waited long with no delay in force: no hedge
	}}}
	b.shelf.orphans = 3
	k := decode[Observed](t, b.get("/api/v1/hedge/observed?from=now-1h"))
	if !strings.Contains(strings.Join(k.Meta.Warnings, "|"), "3 backups belong to") || !strings.Contains(strings.Join(k.Meta.Warnings, "|"), "hold-out") {
		t.Errorf("warnings %q", k.Meta.Warnings)
	}
	o := k.Keys[0]
	if o.Requests != 10 || o.Set != 8 || o.Backups != 5 || o.LeftOut["backup_dispatch_unknown"] != 2 {
		t.Errorf("%+v", o)
	}
	for _, c := range []struct {
		name      string
		got       Proportion
		count, of int64
	}{{"hedged", o.Hedged, 4, 8}, {"beyond", o.Beyond, 6, 8}, {"kept", o.Kept, 2, 6}, {"wins", o.Wins, 2, 4}, {"success", o.Success, 4, 5}} {
		if c.got.Count != c.count || c.got.Of != c.of || !near(c.got.Share, float64(c.count)/float64(c.of)) || *c.got.Low > *c.got.Share || *c.got.High < *c.got.Share {
			t.Errorf("%s: %+v, want %d of %d", c.name, c.got, c.count, c.of)
		}
	}
	if !near(o.Refused, 2.0/6-0.05) || o.Control.N != 2 || o.Extra.MeasuredInput != 300 || o.Extra.EstimatedInput != 200 || o.Extra.Unknown != 2 {
		t.Errorf("%+v %+v %+v", *o.Refused, o.Control, o.Extra)
	}
	if o.Alarm.Cause != "no_data" || !strings.Contains(o.Alarm.Reason, "No advice") {
		t.Errorf("%+v", o.Alarm)
	}
	a := adviceFor("core", "hedge", 1, clock.Add(-time.Hour))
	a.Answer = `{"verdict":"hedge","n":10000,"trigger_ratio":0.1,"win_chance":0.5,"hedge_after_ms":1}`
	b.shelf.advice = []query.StoredAdvice{a}
	if o = decode[Observed](t, b.get("/api/v1/hedge/observed?from=now-1h")).Keys[0]; o.Alarm.Cause != "drift" || *o.Alarm.Alarm > 0.5 {
		t.Errorf("6 of 8 where 10 %% were expected: %+v", o.Alarm)
	}
	if csv := b.get("/api/v1/hedge/observed?from=now-1h&format=csv").Body.String(); strings.Count(csv, "\n") != 2 {
		t.Errorf("csv %s", csv)
	}
}

func TestBacktestRules(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Hedge.Default.Configured = 2 * time.Second })
	w := heavyTail(1400, 14)
	b.shelf.waits = []query.Waits{w}
	got := decode[Backtest](t, b.get("/api/v1/hedge/backtest?from=now-14d/d&to=now/d"))
	want := []string{"p50", "p75", "p90", "p95", "singler", "2s"}
	if len(got.Rules) != len(want) {
		t.Fatalf("%d rules", len(got.Rules))
	}
	for i, r := range got.Rules {
		if r.Rule != want[i] || len(r.Keys) != 1 || r.Pooled.N != r.Keys[0].N || r.Pooled.Realised == nil || len(r.Keys[0].Days) < 6 {
			t.Errorf("%s: %+v", r.Rule, r)
			continue
		}
		share := map[string]float64{"p50": 0.5, "p75": 0.25, "p90": 0.1, "p95": 0.05}[r.Rule]
		if p := r.Pooled.Predicted; share > 0 && (p.TriggerRatio < share*0.8 || p.TriggerRatio > share*1.2) {
			t.Errorf("%s: predicted %v", r.Rule, p.TriggerRatio)
		}
		if r.Rule == "singler" && r.Pooled.Realised.SentRatio > 0.15 {
			t.Errorf("singler sent %v", r.Pooled.Realised.SentRatio)
		}
		if *r.Pooled.Realised.P99Ms > *r.Pooled.Realised.BeforeP99Ms {
			t.Errorf("%s makes P99 worse: %+v", r.Rule, r.Pooled.Realised)
		}
	}
	if csv := b.get("/api/v1/hedge/backtest?from=now-14d/d&to=now/d&rule=p90&format=csv").Body.String(); strings.Count(csv, "\n") != 5 { // each rule pooled and by key, the configured delay too
		t.Errorf("csv %s", csv)
	}
	for _, bad := range []string{"rule=p9x", "rule=fast", "budget=0", "budget=2", "budget=x", "rule=p90,,p95", "hedge_after=p90"} {
		if w := b.get("/api/v1/hedge/backtest?" + bad); w.Code != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d %s", bad, w.Code, w.Body)
		}
	}
}
