package config

import (
	"strings"
	"testing"
	"time"
)

func TestHedgeMistakes(t *testing.T) {
	for _, tc := range []struct{ name, yaml, want string }{
		{"tier", "{default: {tier: gold}}", `hedge.default.tier "gold": use core or other`},
		{"metric that is none", "{routes: {core: {metric: first_respnse_ms}}}", `hedge.routes.core.metric "first_respnse_ms": name a first-token metric, for example first_response_ms`},
		{"metric that is no first token", "{routes: {core: {metric: total_handler_ms}}}", "name a first-token metric"},
		{"budget", "{routes: {core: {budget: 5}}}", "hedge.routes.core.budget 5: give the share"},
		{"budget that is no number", "{routes: {core: {budget: .nan}}}", "hedge.routes.core.budget NaN"},
		{"hold-out", "{holdout_share: 1}", "hedge.holdout_share 1: give a share from 0 to below 1"},
		{"validity", "{valid_for: 10m}", "hedge.valid_for 10m0s: give at least 1h"},
		{"schedule", "{schedule: {every: hour, at: '00:20'}}", `hedge.schedule.every "hour": use off, day or week`},
		{"time of day", "{schedule: {every: day, at: '25:00'}}", `hedge.schedule.at "25:00": write hour and minute in UTC`},
		{"price", "{currency: USD, prices: {m: {input: -1}}}", "hedge.prices.m: give prices"},
		{"currency", "{prices: {m: {input: 1}}}", "hedge.currency: name the money"},
		{"queue", "{channels: {ch-1: {}}}", "hedge.channels.ch-1.queue: name the upstream queue"},
		{"unknown key", "{holdout: 0.1}", "holdout"},
		{"unknown key of a route", "{routes: {core: {teir: core}}}", "teir"},
		{"cap below floor", "{routes: {core: {floor: 1s, cap: 500ms}}}", "hedge.routes.core.cap 500ms"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Load(write(t, "hedge: "+tc.yaml+"\n"), none)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

func TestHedgeSettings(t *testing.T) {
	c, err := Load(write(t, `hedge:
  holdout_share: 0.1
  valid_for: 48h
  schedule: {every: day, at: "01:30"}
  currency: USD
  prices: {gpt-4o: {input: 2.5, output: 10}}
  providers: {openai: {cancel_bills_full: true}, local: {cancel_bills_full: false}}
  channels: {ch-1: {queue: pool-a}}
  routes:
    core: {tier: core, metric: first_text_delta_ms, target: p99, budget: 0.05, floor: 200ms, cap: 5s, hedge_after: 2s, timeout: 60s}
`), none)
	if err != nil {
		t.Fatal(err)
	}
	h := c.Hedge
	if r := h.Routes["core"]; r.Tier != "core" || r.Metric != "first_text_delta_ms" || r.Budget != 0.05 || r.Cap != 5*time.Second {
		t.Errorf("core %+v", r)
	}
	if at, _ := h.Schedule.Offset(); at != 90*time.Minute || h.HoldoutShare != 0.1 || h.ValidFor != 48*time.Hour || h.Default.Tier != "other" {
		t.Errorf("%+v", h)
	}
	if !h.Providers["openai"].CancelBillsFull || h.Providers["local"].CancelBillsFull || h.Channels["ch-1"].Queue != "pool-a" || h.Prices["gpt-4o"].Output != 10 {
		t.Errorf("%+v", h)
	}
	var dump strings.Builder
	if err := c.Dump(&dump); err != nil || !strings.Contains(dump.String(), "holdout_share: 0.1") {
		t.Errorf("%v\n%s", err, dump.String())
	}
	again, err := Load(write(t, dump.String()), none)
	if err != nil || again.Hedge.Routes["core"] != h.Routes["core"] || again.Hedge.Schedule != h.Schedule {
		t.Errorf("a dump read again: %v, %+v", err, again.Hedge)
	}
}
