package store

import (
	"context"
	"time"

	"github.com/ClickHouse/ch-go/proto"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"headway/query"
)

// HedgedRequests hands the requests of each key to take, one key after
// another, each with the backups that were sent for it. History, pairs and
// billing of the scope don't matter.
func (s *Store) HedgedRequests(ctx context.Context, sc query.HedgeScope, take func(query.HedgeServed) error) (query.HedgeMeta, error) {
	sc.History, sc.MinPairs = 0, 0
	h, cells, err := s.askHedge(ctx, "hedge/observed", sc)
	if err != nil {
		return query.HedgeMeta{}, err
	}
	backups, err := h.backups(ctx)
	if err != nil {
		return query.HedgeMeta{}, err
	}
	if err := h.serve(ctx, backups, take); err != nil {
		return query.HedgeMeta{}, err
	}
	out := query.HedgeMeta{Meta: h.meta(sc.Scope, true), Horizon: h.scope.Horizon, AllKeys: h.all, Days: len(h.days)}
	for _, left := range backups {
		out.Orphans += int64(len(left))
	}
	out.Metric = &h.scope.Metric
	describe(&out.Meta, cells, query.WaitDispatch)
	return out, nil
}

// sentBackup is a backup before it is known when its primary was dispatched.
type sentBackup struct {
	recorded   bool
	dispatched int64
	hedgeAfter int64
	query.HedgeBackup
}

// backups reads the backups of the window by request.
func (h *hedgeQuestion) backups(ctx context.Context) (map[uint64][]sentBackup, error) {
	if !h.hedged {
		return nil, nil
	}
	p := &params{}
	// The question's filters choose the primaries; a backup may run elsewhere.
	rows, err := h.rows(query.Scope{Window: h.scope.Window}, p, map[string]string{"filter": "role = 'backup'"}, "role")
	if err != nil {
		return nil, err
	}
	out := map[uint64][]sentBackup{}
	err = h.run(ctx, file("hedge_backups.sql"), map[string]string{"rows": rows}, p, func(r driver.Rows) error {
		var request uint64
		var recorded uint8
		var state string
		var b sentBackup
		if err := r.Scan(&request, &recorded, &b.dispatched, &b.hedgeAfter, &state, &b.Micros, &b.Input, &b.Output); err != nil {
			return err
		}
		b.recorded = recorded == 1
		b.Censored, b.Failed = state != "observed", state == "failed"
		if b.Micros < 0 || state != "observed" && state != "censored" {
			b.Micros = 0
		}
		out[request] = append(out[request], b)
		return nil
	})
	return out, err
}

// servedColumns are the columns of hedge_served.sql.
type servedColumns struct {
	id, request                         proto.ColUInt64
	at, doubled, hedgeAfter, dispatched proto.ColInt64
	input, output                       proto.ColInt32
	marks                               proto.ColUInt8
}

func (c *servedColumns) results() proto.Results {
	return proto.Results{{Name: "id", Data: &c.id}, {Name: "request", Data: &c.request}, {Name: "at_ms", Data: &c.at}, {Name: "doubled", Data: &c.doubled},
		{Name: "hedge_after", Data: &c.hedgeAfter}, {Name: "dispatched", Data: &c.dispatched}, {Name: "input", Data: &c.input},
		{Name: "output", Data: &c.output}, {Name: "marks", Data: &c.marks}}
}

// serve reads the requests and hands out each key once it is complete.
func (h *hedgeQuestion) serve(ctx context.Context, backups map[uint64][]sentBackup, take func(query.HedgeServed) error) error {
	p := &params{}
	rows, err := h.rows(h.scope.Scope, p, nil)
	if err != nil {
		return err
	}
	p.uints("ids", h.ids)
	var cols servedColumns
	var now *query.HedgeServed
	var last uint64
	give := func() error {
		if now == nil {
			return nil
		}
		done := *now
		now = nil
		delete(h.keys, last)
		return take(done)
	}
	err = h.stream(ctx, file("hedge_served.sql"), map[string]string{"rows": rows}, p, cols.results(), func() error {
		for i, id := range cols.id {
			if now == nil || id != last {
				if err := give(); err != nil {
					return err
				}
				k := h.keys[id]
				last, now = id, &query.HedgeServed{Key: k.Key, LeftOut: k.LeftOut, Keys: k.Keys}
			}
			h.addServed(now, &cols, i, backups)
			if int64(len(now.Requests)) > h.store.cfg.Limits.Values {
				return h.tooMany()
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return give()
}

// addServed appends one request with its backups.
func (h *hedgeQuestion) addServed(k *query.HedgeServed, c *servedColumns, i int, backups map[uint64][]sentBackup) {
	h.days[c.at[i]/day.Milliseconds()] = true
	r := query.HedgeRequest{At: time.UnixMilli(c.at[i]).UTC(), Micros: c.doubled[i] >> 1, Censored: c.doubled[i]&1 == 1, Superseded: c.marks[i]&1 == 1,
		HedgeAfter: c.hedgeAfter[i], Input: int64(c.input[i]), Output: int64(c.output[i])}
	for _, b := range backups[c.request[i]] {
		switch {
		case b.recorded && c.marks[i]&2 == 2 && b.dispatched >= c.dispatched[i]:
			b.After = b.dispatched - c.dispatched[i]
		case b.hedgeAfter >= 0:
			b.After = b.hedgeAfter
		case r.HedgeAfter >= 0:
			b.After = r.HedgeAfter
		default:
			k.LostBackups++
			continue
		}
		r.Backups = append(r.Backups, b.HedgeBackup)
	}
	delete(backups, c.request[i])
	k.Requests = append(k.Requests, r)
}
