package api

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"headway/hedge"
	"headway/query"
)

// Observed answers GET hedge/observed: what hedging really did.
type Observed struct {
	Meta Meta          `json:"meta"`
	By   []string      `json:"by"`
	Keys []ObservedKey `json:"keys" doc:"Those with the most hedged requests first."`
}

// ObservedKey is one key's hedging.
type ObservedKey struct {
	Key      map[string]*string `json:"key"`
	Model    *string            `json:"model"`
	Route    *string            `json:"route"`
	Requests int64              `json:"requests" doc:"Primaries with a wait."`
	Set      int64              `json:"with_hedge_after" doc:"Requests with a hedge delay in force. One without a backup is no hedge."`
	Beyond   Proportion         `json:"beyond" doc:"Still waited at their delay, of those with one."`
	Hedged   Proportion         `json:"hedged" doc:"A backup was sent, of those with a delay."`
	Kept     Proportion         `json:"kept" doc:"No backup although beyond the delay, of those beyond: held out at random, or the budget was exhausted. Records don't tell which."`
	Refused  *float64           `json:"refused_estimate" doc:"Kept requests beyond what the configured hold-out share explains, of those beyond: budget exhaustion; null without any beyond."`
	Backups  int64              `json:"backups"`
	Wins     Proportion         `json:"wins" doc:"The backup's token came first, of the hedged requests; once each, even with several backups."`
	Success  Proportion         `json:"backup_success" doc:"Backups that gave a token or were only stopped by a faster attempt, of those sent."`
	Users    Percentiles        `json:"users" doc:"What clients waited."`
	Unhedged Percentiles        `json:"unhedged_estimate" doc:"Kaplan–Meier estimate of the same window without hedging."`
	Bounds   Bracket            `json:"unhedged_bounds" doc:"The same if superseded primaries had answered at once, or never."`
	Control  Control            `json:"control" doc:"Requests below the delay as they were, those beyond as the kept ones waited."`
	Extra    ExtraTokens        `json:"extra_tokens"`
	Alarm    Diagnosis          `json:"diagnosis" doc:"Whether the ratio beyond the delay is out of line, and why."`
	LeftOut  map[string]int64   `json:"left_out"`
}

// Proportion is a share with its 95 % interval (Clopper–Pearson).
type Proportion struct {
	Count int64    `json:"count"`
	Of    int64    `json:"of"`
	Share *float64 `json:"share"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
}

// Bracket bounds the percentiles without hedging.
type Bracket struct {
	AtOnceP95Ms *float64 `json:"at_once_p95_ms"`
	AtOnceP99Ms *float64 `json:"at_once_p99_ms"`
	NeverP95Ms  *float64 `json:"never_p95_ms"`
	NeverP99Ms  *float64 `json:"never_p99_ms"`
}

// Control are the percentiles of the control group.
type Control struct {
	N     int64    `json:"n" doc:"Kept requests behind it."`
	P95Ms *float64 `json:"p95_ms"`
	P99Ms *float64 `json:"p99_ms"`
}

// ExtraTokens are what backups added.
type ExtraTokens struct {
	MeasuredInput  int64   `json:"measured_input"`
	MeasuredOutput int64   `json:"measured_output"`
	EstimatedInput int64   `json:"estimated_input_at_least" doc:"For backups of unknown count: their primary's input."`
	Unknown        int64   `json:"backups_without_count"`
	Share          float64 `json:"input_share_at_least" doc:"Of all primaries' input tokens."`
}

// Diagnosis says whether a ratio is out of line.
type Diagnosis struct {
	Ratio  float64  `json:"ratio"`
	Alarm  *float64 `json:"alarm" doc:"Above it the ratio is no chance: from the rows of the stored advice's delay; null without one."`
	Cause  string   `json:"cause" doc:"no_data, within_chance, drift, threshold_low_or_correlated or load_feedback."`
	Reason string   `json:"reason"`
}

func (o Observed) describe() Meta { return o.Meta }

func (o Observed) table() table {
	t := table{columns: append(slices.Clone(o.By), "requests", "with_hedge_after", "beyond", "hedged", "kept", "backups", "win_rate", "backup_success", "users_p95_ms", "users_p99_ms",
		"unhedged_p95_ms", "unhedged_p99_ms", "control_p95_ms", "control_p99_ms", "extra_input_share", "cause")}
	for _, k := range o.Keys {
		t.rows = append(t.rows, append(keyCells(k.Key, o.By), k.Requests, k.Set, k.Beyond.Count, k.Hedged.Count, k.Kept.Count, k.Backups, cell(k.Wins.Share), cell(k.Success.Share),
			cell(k.Users.P95Ms), cell(k.Users.P99Ms), cell(k.Unhedged.P95Ms), cell(k.Unhedged.P99Ms), cell(k.Control.P95Ms), cell(k.Control.P99Ms), k.Extra.Share, k.Alarm.Cause))
	}
	return t
}

func (s *Server) observed(ctx context.Context, in *input) (Observed, error) {
	q, err := query.ParseObserved(s.Fields, in.values)
	if err != nil {
		return Observed{}, err
	}
	sc, err := q.Resolve(s.Now())
	if err != nil {
		return Observed{}, err
	}
	if q.From == "" && q.To == "" { // what happened needs no whole days
		sc.To = s.Now().UTC()
	}
	ask, f, err := s.hedgeScope(ctx, sc, q, hedgeNeeds{})
	if err != nil {
		return Observed{}, err
	}
	stored, err := s.Advices.LatestAdvice(ctx, sc.From.Add(-2*week), sc.To)
	if err != nil {
		return Observed{}, fmt.Errorf("reading the advice that hedging is held against: %w", err)
	}
	advice := map[string]Advice{}
	for _, a := range stored {
		advice[a.Key] = answerOf(a)
	}
	keys := []ObservedKey{}
	meta, err := s.Hedges.HedgedRequests(ctx, ask, func(k query.HedgeServed) error {
		if ctx.Err() != nil {
			return fmt.Errorf("evaluating hedges: %w", ctx.Err())
		}
		keys = append(keys, s.presentObserved(k, advice[query.KeyText(k.Key)]))
		return nil
	})
	if err != nil {
		return Observed{}, fmt.Errorf("reading hedged requests: %w", err)
	}
	if !q.Explain {
		meta.SQL = nil
	}
	meta.Metric = &f.metric
	sort.SliceStable(keys, func(i, j int) bool {
		return keys[i].Hedged.Count > keys[j].Hedged.Count || keys[i].Hedged.Count == keys[j].Hedged.Count && keys[i].Requests > keys[j].Requests
	})
	out := Observed{Meta: presentMeta(meta.Meta, f), By: q.By, Keys: keys}
	out.sayLimits(meta, q.Limit)
	return out, nil
}

func (o *Observed) sayLimits(m query.HedgeMeta, limit int) {
	warn := func(format string, args ...any) {
		o.Meta.Warnings = append(o.Meta.Warnings, fmt.Sprintf(format, args...))
	}
	if m.AllKeys > limit {
		warn("%d of %d keys are shown, those with the most rows; raise limit or filter", limit, m.AllKeys)
	}
	if m.Orphans > 0 && m.AllKeys <= limit {
		warn("%d backups belong to requests whose primary is not in this answer (failed before a token, left out, or filtered)", m.Orphans)
	}
	if slices.ContainsFunc(o.Keys, func(k ObservedKey) bool { return k.Kept.Count > 0 }) {
		warn("records don't tell a hold-out from an exhausted budget: all requests that were kept from hedging stand as the control group, which is fair only where few were refused (refused_estimate)")
	}
}

// served are the requests as hedge evaluates them.
func served(requests []query.HedgeRequest) []hedge.Served {
	out := make([]hedge.Served, len(requests))
	for i, r := range requests {
		s := hedge.Served{Request: hedge.Request{Wait: hedge.Wait{Micros: r.Micros, Censored: r.Censored, At: r.At}, Input: r.Input, Output: r.Output},
			HedgeAfter: max(0, r.HedgeAfter), Superseded: r.Superseded}
		for _, b := range r.Backups {
			s.Backups = append(s.Backups, hedge.Sent{After: b.After, Wait: hedge.Wait{Micros: b.Micros, Censored: b.Censored, At: r.At}, Failed: b.Failed, Input: b.Input, Output: b.Output})
		}
		s.Holdout = len(s.Backups) == 0 && s.HedgeAfter > 0 && r.Micros > s.HedgeAfter
		out[i] = s
	}
	return out
}

func (s *Server) presentObserved(k query.HedgeServed, advised Advice) ObservedKey {
	all := served(k.Requests)
	o, v := hedge.Observe(all), view{strict: true}
	out := ObservedKey{Key: keyOf(k.Key), Model: orNull(k.Key["model"]), Route: orNull(k.Key["route"]), Requests: int64(o.Requests), Set: int64(o.Set),
		Beyond: proportion(o.Beyond), Hedged: proportion(o.Hedged), Kept: proportion(o.Holdout), Backups: int64(o.Backups), Wins: proportion(o.Wins), Success: proportion(o.Answered),
		Users: v.percentiles(o.Users), Unhedged: v.percentiles(o.Unhedged),
		Bounds:  Bracket{v.ms(o.Bounds.AtOnce.P95), v.ms(o.Bounds.AtOnce.P99), v.ms(o.Bounds.Never.P95), v.ms(o.Bounds.Never.P99)},
		Control: Control{N: int64(o.ControlN)},
		Extra:   ExtraTokens{MeasuredInput: o.Extra.Input, MeasuredOutput: o.Extra.Output, EstimatedInput: o.Extra.EstimatedInput, Unknown: int64(o.Extra.Unknown), Share: ratio(o.Extra.Share)},
		LeftOut: dict(k.LeftOut)}
	if k.LostBackups > 0 {
		out.LeftOut["backup_dispatch_unknown"] = k.LostBackups
	}
	if o.ControlN > 0 {
		out.Control.P95Ms, out.Control.P99Ms = v.ms(o.Control.P95), v.ms(o.Control.P99)
	}
	if o.Beyond.Count > 0 {
		out.Refused = ptr(ratio(max(0, o.Holdout.Share-s.Hedge.HoldoutShare)))
	}
	out.Alarm = diagnose(all, advised, k.Keys)
	return out
}

// diagnose holds the ratio against the advice that is stored for the key.
func diagnose(all []hedge.Served, advised Advice, keys int) Diagnosis {
	t := hedge.Trial{Served: all, Keys: max(1, keys)}
	if advised.TriggerRatio != nil && advised.WinChance != nil {
		t.TrainN, t.Win = int(advised.N), *advised.WinChance
		t.Exceed = int(float64(t.TrainN)**advised.TriggerRatio + 0.5)
	}
	d := hedge.Diagnose(t)
	out := Diagnosis{Ratio: ratio(d.Ratio), Cause: string(d.Cause), Reason: d.Reason}
	if t.TrainN == 0 {
		out.Reason = "No advice with a delay is stored for this key to hold the ratio against: POST hedge/advice stores it."
	}
	if d.Alarm > 0 {
		out.Alarm = ptr(ratio(d.Alarm))
	}
	return out
}

func proportion(p hedge.Proportion) Proportion {
	out := Proportion{Count: int64(p.Count), Of: int64(p.Of)}
	if p.Of > 0 {
		out.Share, out.Low, out.High = ptr(ratio(p.Share)), ptr(ratio(p.Low)), ptr(ratio(p.High))
	}
	return out
}
