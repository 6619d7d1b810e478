package store_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"headway/classify"
	"headway/query"
	"headway/schema"
	"headway/store"
)

// hedgedRows are requests of three models over some days, of which some were
// hedged, with every way that two attempts can end.
func hedgedRows(n int, rng *rand.Rand) []classify.Row {
	var out []classify.Row
	for i := range n {
		at := base.Add(time.Duration(i) * 7 * time.Second)
		model, route := fmt.Sprintf("m-%d", rng.IntN(3)), pick(rng, "core", "")
		id := fmt.Sprintf("r-%05d", i)
		one := func(role schema.Role, attempt uint16, dispatched float64) {
			out = append(out, row(int64(len(out)), func(r *schema.Record) {
				wait := 100 + rng.ExpFloat64()*700
				r.RequestID, r.CreatedAt, r.Model, r.Route, r.Role, r.Attempt = id, at, model, route, role, attempt
				r.Channel = pick(rng, "ch-1", "ch-1", "ch-2", "ch-3")
				r.Provider = pick(rng, "full", "part", "other")
				r.InputTokens = schema.Some(int64(rng.IntN(90_000)))
				r.HedgeAfter = schema.Opt[time.Duration]{}
				if rng.IntN(3) > 0 {
					r.HedgeAfter = ms(400)
				}
				r.Timing.UpstreamStart, r.Timing.FirstResponse = ms(dispatched), ms(dispatched+wait)
				r.Timing.FirstTextDelta, r.Timing.UpstreamDone = ms(dispatched+wait), ms(dispatched+wait+1000)
				switch rng.IntN(8) {
				case 0:
					r.Outcome, r.Timing.FirstResponse, r.Timing.FirstTextDelta = schema.OutcomeSuperseded, schema.Opt[time.Duration]{}, schema.Opt[time.Duration]{}
				case 1:
					r.Outcome, r.Timing.FirstResponse, r.Timing.FirstTextDelta = schema.OutcomeError, schema.Opt[time.Duration]{}, schema.Opt[time.Duration]{}
				case 2:
					r.Timing.UpstreamStart = schema.Opt[time.Duration]{}
				}
			}))
		}
		one(schema.RolePrimary, 1, 5)
		for b := range rng.IntN(4) - 1 { // none, one or two backups
			one(schema.RoleBackup, uint16(b+2), 405+100*float64(b))
		}
	}
	return out
}

// waitOf is an attempt's wait, whatever its role, and when it was dispatched.
func waitOf(r *schema.Record) (w schema.Wait, dispatched time.Duration) {
	c := *r
	c.Role = schema.RolePrimary // a backup's wait follows the same rules
	w = schema.FirstTokenWait(&c, schema.MetricFirstResponse, false)
	if t := r.Timing; t.UpstreamStart.Valid {
		dispatched = t.UpstreamStart.Value
	} else if w.Clock == schema.ClockEstimated {
		dispatched = t.Auth.Value + t.Distribution.Value + t.BodyRead.Value
	}
	return w, dispatched
}

// firstBackup is the first backup of a request's attempts that has a wait.
func firstBackup(attempts []*schema.Record) *schema.Record {
	var best *schema.Record
	for _, b := range attempts {
		w, at := waitOf(b)
		if b.Role != schema.RoleBackup || !w.Counts() {
			continue
		}
		if best != nil {
			if _, first := waitOf(best); cmp.Or(cmp.Compare(at, first), cmp.Compare(b.Attempt, best.Attempt)) >= 0 {
				continue
			}
		}
		best = b
	}
	return best
}

// brutePairs pairs primaries with their first backup, in Go, by key.
func brutePairs(all []classify.Row) map[string][]query.HedgePair {
	out, attempts := map[string][]query.HedgePair{}, map[string][]*schema.Record{}
	for i := range all {
		attempts[all[i].Record.RequestID] = append(attempts[all[i].Record.RequestID], &all[i].Record)
	}
	for i := range all {
		p := &all[i].Record
		w, sent := waitOf(p)
		if p.Role != schema.RolePrimary || !w.Counts() {
			continue
		}
		b := firstBackup(attempts[p.RequestID])
		if b == nil {
			continue
		}
		bw, at := waitOf(b)
		after := at - sent
		if w.Clock != schema.ClockDispatch || bw.Clock != schema.ClockDispatch {
			switch {
			case b.HedgeAfter.Valid:
				after = b.HedgeAfter.Value
			case p.HedgeAfter.Valid:
				after = p.HedgeAfter.Value
			default:
				continue
			}
		}
		key := p.Model + "/" + p.Route
		out[key] = append(out[key], query.HedgePair{Primary: w.Duration.Microseconds(), PrimaryCensored: w.State == schema.WaitCensored,
			Backup: bw.Duration.Microseconds(), BackupCensored: bw.State == schema.WaitCensored, After: after.Microseconds(), At: p.CreatedAt})
	}
	return out
}

// bruteWaits are the primaries' waits by key, in order of arrival.
func bruteWaits(all []classify.Row, from, to time.Time) map[string][]string {
	out := map[string][]string{}
	for i := range all {
		r := &all[i].Record
		w := schema.FirstTokenWait(r, schema.MetricFirstResponse, false)
		if !w.Counts() || r.CreatedAt.Before(from) || !r.CreatedAt.Before(to) {
			continue
		}
		billing := map[string]query.Billing{"full": query.BillingFull, "part": query.BillingPart}[r.Provider]
		key := r.Model + "/" + r.Route
		out[key] = append(out[key], fmt.Sprint(w.Duration.Microseconds(), w.State == schema.WaitCensored, r.CreatedAt.UnixMilli(), r.InputTokens.Value,
			r.OutputTokens.Value, billing))
	}
	return out
}

func handed(k query.HedgeRows) []string {
	out := []string{}
	for i := range k.Micros {
		out = append(out, fmt.Sprint(k.Micros[i], k.Censored[i], k.At[i].UnixMilli(), k.InputTokens[i], k.OutputTokens[i], k.Billing[i]))
	}
	return out
}

func TestHedgeRowsEqualGo(t *testing.T) {
	t.Parallel()
	s, cfg := migrated(t)
	all := hedgedRows(6000, rand.New(rand.NewPCG(3, 4)))
	sc := query.HedgeScope{Scope: landed(t, s, all), Metric: field(t, "first_response_ms"), By: []string{"model", "route"}, MinPairs: 29,
		History: 2 * time.Hour, BillsFull: []string{"full"}, BillsPart: []string{"part"}}
	sc.From, sc.To = base.Add(2*time.Hour), base.Add(10*time.Hour)
	inWindow := slices.DeleteFunc(slices.Clone(all), func(r classify.Row) bool {
		return r.Record.CreatedAt.Before(sc.From) || !r.Record.CreatedAt.Before(sc.To)
	})
	pairs, waits, history := brutePairs(inWindow), bruteWaits(all, sc.From, sc.To), bruteWaits(all, base, sc.From)
	keys := 0
	meta, err := s.HedgeRows(t.Context(), sc, func(k query.HedgeRows) error {
		keys++
		name := k.Key["model"] + "/" + k.Key["route"]
		if got := handed(k); !reflect.DeepEqual(got, waits[name]) {
			t.Errorf("%s: %d waits, want %d; the first %v, want %v", name, len(got), len(waits[name]), got[:1], waits[name][:1])
		}
		if len(k.History.Micros) != len(history[name]) {
			t.Errorf("%s: %d waits of history, want %d", name, len(k.History.Micros), len(history[name]))
		}
		if len(pairs[name]) < 29 || k.Pairs.Kind != query.PairsHedged || !reflect.DeepEqual(k.Pairs.Pairs, pairs[name]) {
			t.Errorf("%s: %s, %d pairs, want %d; the first %+v, want %+v", name, k.Pairs.Kind, len(k.Pairs.Pairs), len(pairs[name]), k.Pairs.Pairs[0], pairs[name][0])
		}
		if k.Keys != 6 || len(k.Channels) != 3 || k.Channels[0].Value != "ch-1" || k.LeftOut["failed"] == 0 {
			t.Errorf("%s: %d keys, channels %v, left out %v", name, k.Keys, k.Channels, k.LeftOut)
		}
		return nil
	})
	if err != nil || keys != 6 || meta.AllKeys != 6 || meta.Days != 1 || meta.Horizon.IsZero() || meta.Clock != "mixed" {
		t.Fatalf("%d keys, %+v, %v", keys, meta, err)
	}
	for _, st := range meta.SQL {
		paste(t, cfg.Database, st.SQL)
	}
}

func TestHedgeRowsRefuse(t *testing.T) {
	t.Parallel()
	_, cfg := migrated(t)
	cfg.Limits.Values = 100
	s := open(t, cfg)
	sc := query.HedgeScope{Scope: landed(t, s, rows(300, 0, rand.New(rand.NewPCG(1, 1)))), Metric: field(t, "first_response_ms"), By: []string{"route"}}
	stop := errors.New("stop")
	var limit *store.Error
	if _, err := s.HedgeRows(t.Context(), sc, func(query.HedgeRows) error { return nil }); !errors.As(err, &limit) {
		t.Errorf("300 waits of one key, 100 allowed: %v", err)
	} else if _, remedy, ok := limit.Limit(); !ok || remedy != "raise query.max_values (now 100)" {
		t.Errorf("%v: remedy %q", err, remedy)
	}
	sc.By = []string{"model"} // 60 rows each
	if _, err := s.HedgeRows(t.Context(), sc, func(query.HedgeRows) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("take's error is %v", err)
	}
	sc.Metric = field(t, "total_handler_ms")
	if _, err := s.HedgeRows(t.Context(), sc, func(query.HedgeRows) error { return nil }); err == nil {
		t.Error("no error for a metric that is no first token")
	}
}

// TestSameMinutePairs pairs the first requests of a minute on two channels.
func TestSameMinutePairs(t *testing.T) {
	t.Parallel()
	s, _ := migrated(t)
	var all []classify.Row
	add := func(minute, second int, channel string, wait float64) {
		all = append(all, row(int64(len(all)), func(r *schema.Record) {
			r.CreatedAt, r.Channel = base.Add(time.Duration(minute)*time.Minute+time.Duration(second)*time.Second), channel
			r.Timing.FirstResponse, r.Timing.FirstTextDelta = ms(5+wait), ms(5+wait)
		}))
	}
	for m := range 40 {
		add(m, 1, "ch-1", float64(100+m))
		add(m, 2, "ch-1", 9000) // the first of the minute counts
		if m%2 == 0 {
			add(m, 30, "ch-2", float64(500+m))
		}
	}
	add(3, 0, "o'three", 1)
	sc := query.HedgeScope{Scope: landed(t, s, all), Metric: field(t, "first_response_ms"), By: []string{"model"}, MinPairs: 29}
	ask := func(by ...string) (out query.HedgeRows) {
		sc.By = by
		if _, err := s.HedgeRows(t.Context(), sc, func(k query.HedgeRows) error { out = k; return nil }); err != nil {
			t.Fatal(err)
		}
		return out
	}
	got := ask("model").Pairs
	if got.Kind != query.PairsSameMinute || got.Channels != [2]string{"ch-1", "ch-2"} || len(got.Pairs) != 20 {
		t.Fatalf("%+v", got)
	}
	for i, p := range got.Pairs {
		if p.Primary != int64(100+2*i)*1000 || p.Backup != int64(500+2*i)*1000 || p.After != 0 {
			t.Errorf("pair %d is %+v", i, p)
		}
	}
	if got := ask("channel").Pairs; got.Kind != "" || got.Reason == "" || len(got.Pairs) > 0 {
		t.Errorf("pairs of one channel: %+v", got)
	}
	sc.Where = []query.Condition{{Dimension: "channel", Op: query.OpIn, Values: []string{"o'three"}}}
	if got := ask("model"); got.Pairs.Kind != "" || got.Pairs.Reason == "" || len(got.Micros) != 1 {
		t.Errorf("one channel only: %+v", got.Pairs)
	}
}

// TestHorizonShutsOutWhatCameLater asks again as of an earlier time.
func TestHorizonShutsOutWhatCameLater(t *testing.T) {
	t.Parallel()
	s, cfg := migrated(t)
	sc := query.HedgeScope{Scope: landed(t, s, rows(100, 0, rand.New(rand.NewPCG(1, 1)))), Metric: field(t, "first_response_ms"), By: []string{"route"}}
	count := func() (n int, horizon time.Time) {
		meta, err := s.HedgeRows(t.Context(), sc, func(k query.HedgeRows) error { n = len(k.Micros); return nil })
		if err != nil {
			t.Fatal(err)
		}
		return n, meta.Horizon
	}
	n, horizon := count()
	later := rows(50, 100, rand.New(rand.NewPCG(2, 1)))
	landed(t, s, later)
	// inserted_at has milliseconds: put the two landings apart for certain
	do(t, admin(t, cfg), "ALTER TABLE requests UPDATE inserted_at = inserted_at + INTERVAL 1 SECOND WHERE offset >= 100 SETTINGS mutations_sync = 1")
	if all, _ := count(); n != 100 || all != 150 {
		t.Fatalf("%d rows, then %d", n, all)
	}
	sc.Horizon = horizon
	if again, at := count(); again != 100 || !at.Equal(horizon) {
		t.Errorf("as of %s: %d rows, want 100", horizon, again)
	}
}

// TestHedgedRequestsEqualGo compares requests and their backups, of every key,
// with what Go makes of the same records.
func TestHedgedRequestsEqualGo(t *testing.T) {
	t.Parallel()
	s, cfg := migrated(t)
	all := hedgedRows(3000, rand.New(rand.NewPCG(8, 4)))
	sc := query.HedgeScope{Scope: landed(t, s, all), Metric: field(t, "first_response_ms"), By: []string{"model", "route"}}
	sc.To = base.Add(7 * time.Hour)
	want, lost := bruteServed(all)
	var gotLost, sent int64
	meta, err := s.HedgedRequests(t.Context(), sc, func(k query.HedgeServed) error {
		name := k.Key["model"] + "/" + k.Key["route"]
		gotLost += k.LostBackups
		for _, r := range k.Requests {
			sent += int64(len(r.Backups))
		}
		if len(k.Requests) != len(want[name]) {
			t.Errorf("%s: %d requests, want %d", name, len(k.Requests), len(want[name]))
			return nil
		}
		for i := range k.Requests {
			if !reflect.DeepEqual(k.Requests[i], want[name][i]) {
				t.Errorf("%s, request %d: %+v, want %+v", name, i, k.Requests[i], want[name][i])
				return nil
			}
		}
		return nil
	})
	backups := int64(0)
	for i := range all {
		if all[i].Record.Role == schema.RoleBackup {
			backups++
		}
	}
	if err != nil || gotLost != lost || lost == 0 || sent == 0 || meta.Orphans == 0 || sent+gotLost+meta.Orphans != backups {
		t.Errorf("%v: %d sent, %d lost, %d orphans; want %d backups, %d lost", err, sent, gotLost, meta.Orphans, backups, lost)
	}
	for _, st := range meta.SQL {
		paste(t, cfg.Database, st.SQL)
	}
}

// bruteServed are the requests of each key with their backups, and how many
// backups have no time of sending.
func bruteServed(all []classify.Row) (map[string][]query.HedgeRequest, int64) {
	out, lost := map[string][]query.HedgeRequest{}, int64(0)
	orNone := func(o schema.Opt[time.Duration]) int64 {
		if !o.Valid {
			return -1
		}
		return o.Value.Microseconds()
	}
	for i := range all {
		p := &all[i].Record
		w, sent := waitOf(p)
		if p.Role != schema.RolePrimary || !w.Counts() {
			continue
		}
		r := query.HedgeRequest{At: p.CreatedAt, Micros: w.Duration.Microseconds(), Censored: w.State == schema.WaitCensored, Superseded: p.Outcome == schema.OutcomeSuperseded,
			HedgeAfter: orNone(p.HedgeAfter), Input: p.InputTokens.Value, Output: p.OutputTokens.Value}
		for _, b := range backupsInOrder(all[i+1:], p.RequestID) {
			bw, at := waitOf(b)
			one := query.HedgeBackup{Micros: bw.Duration.Microseconds(), Censored: bw.State != schema.WaitObserved, Failed: bw.State == schema.WaitFailed, Input: b.InputTokens.Value, Output: b.OutputTokens.Value}
			switch {
			case b.Timing.UpstreamStart.Valid && w.Clock == schema.ClockDispatch && at >= sent:
				one.After = (at - sent).Microseconds()
			case b.HedgeAfter.Valid:
				one.After = orNone(b.HedgeAfter)
			case p.HedgeAfter.Valid:
				one.After = orNone(p.HedgeAfter)
			default:
				lost++
				continue
			}
			r.Backups = append(r.Backups, one)
		}
		out[p.Model+"/"+p.Route] = append(out[p.Model+"/"+p.Route], r)
	}
	return out, lost
}

// backupsInOrder are the next rows of a request, in order of their dispatch.
func backupsInOrder(rest []classify.Row, id string) []*schema.Record {
	var out []*schema.Record
	for i := 0; i < len(rest) && rest[i].Record.RequestID == id; i++ {
		out = append(out, &rest[i].Record)
	}
	slices.SortStableFunc(out, func(a, b *schema.Record) int {
		_, x := waitOf(a)
		_, y := waitOf(b)
		if !a.Timing.UpstreamStart.Valid {
			x = 5 * time.Millisecond // estimated from its stages
		}
		if !b.Timing.UpstreamStart.Valid {
			y = 5 * time.Millisecond
		}
		return cmp.Compare(x, y)
	})
	return out
}
