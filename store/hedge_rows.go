package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/ClickHouse/ch-go/proto"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"headway/query"
)

// askHedge begins a question about hedging: which keys there are, with how
// many rows of which fate.
func (s *Store) askHedge(ctx context.Context, name string, sc query.HedgeScope) (*hedgeQuestion, []cell, error) {
	h := &hedgeQuestion{question: s.ask(name), scope: sc}
	if err := h.look(ctx); err != nil {
		return nil, nil, err
	}
	p := &params{}
	rows, err := h.rows(sc.Scope, p, nil)
	if err != nil {
		return nil, nil, err
	}
	cells, err := h.cells(ctx, rows, p)
	if err != nil {
		return nil, nil, err
	}
	h.gather(cells)
	return h, cells, nil
}

// HedgeRows hands the rows of each key to take, one key after another, in no
// order of note: what a key's answer needs besides its rows (counts, pairs,
// channels) comes with them. Only one key is held at a time. Where take
// fails, its error comes back as it is.
func (s *Store) HedgeRows(ctx context.Context, sc query.HedgeScope, take func(query.HedgeRows) error) (query.HedgeMeta, error) {
	h, cells, err := s.askHedge(ctx, "hedge", sc)
	if err != nil {
		return query.HedgeMeta{}, err
	}
	if err := h.channels(ctx); err != nil {
		return query.HedgeMeta{}, err
	}
	if sc.MinPairs > 0 {
		if err := h.pairs(ctx); err != nil {
			return query.HedgeMeta{}, err
		}
	}
	if err := h.hand(ctx, take); err != nil {
		return query.HedgeMeta{}, err
	}
	out := query.HedgeMeta{Meta: h.meta(sc.Scope, true), Horizon: h.scope.Horizon, AllKeys: h.all, Days: len(h.days)}
	out.Metric = &h.scope.Metric
	describe(&out.Meta, cells, query.WaitDispatch)
	return out, nil
}

// hedgeQuestion is one HedgeRows under way.
type hedgeQuestion struct {
	*question
	scope query.HedgeScope
	all   int                         // keys with rows
	keys  map[uint64]*query.HedgeRows // those that are handed out
	ids   []uint64                    // of keys, most rows first
	days  map[int64]bool
	// hedged tells whether there are backups, several whether a row needs to
	// know of its request's other attempts.
	hedged, several bool
}

// look finds out what the statements after it can do without, and takes the
// newest row's instant of storing as the horizon where none is given.
func (h *hedgeQuestion) look(ctx context.Context) error {
	p := &params{}
	p.window(h.reach().Window)
	fill := map[string]string{"metric": expression(h.scope.Metric)}
	return h.run(ctx, file("hedge_horizon.sql"), fill, p, func(r driver.Rows) error {
		var at time.Time
		var backups, unfinished uint64
		err := r.Scan(&at, &backups, &unfinished)
		if at = at.UTC(); at.Unix() > 0 && h.scope.Horizon.IsZero() {
			h.scope.Horizon = at
		}
		h.hedged, h.several = backups > 0, unfinished > 0
		return err
	})
}

// reach is the scope with the history before it.
func (h *hedgeQuestion) reach() query.Scope {
	sc := h.scope.Scope
	sc.From = sc.From.Add(-h.scope.History)
	return sc
}

// rows writes the statement that classes the rows of sc, up to the horizon.
func (h *hedgeQuestion) rows(sc query.Scope, p *params, more map[string]string, lifted ...string) (string, error) {
	fill, err := h.store.slots(sc, h.scope.Metric, h.scope.By, query.WaitDispatch, p, lifted...)
	if err != nil {
		return "", err
	}
	fill["horizon"] = h.horizon(p)
	if !h.several {
		fill["several"] = "0"
	}
	for slot, text := range more {
		if slot == "filter" {
			text = fill[slot] + ") AND (" + text
		}
		fill[slot] = text
	}
	return file("rows_first_token.sql").body().render(fill), nil
}

func (h *hedgeQuestion) horizon(p *params) string {
	if h.scope.Horizon.IsZero() {
		return "1"
	}
	p.time("horizon", h.scope.Horizon)
	return "inserted_at <= {horizon:DateTime64(3, 'UTC')}"
}

// gather counts keys and keeps those with the most rows.
func (h *hedgeQuestion) gather(cells []cell) {
	waits := gather(nil, cells, h.scope.By)
	rows, id := map[string]int64{}, map[string]uint64{}
	for _, c := range cells {
		name := keyText(keyMap(h.scope.By, c.key))
		id[name] = c.id
		if c.counts() {
			rows[name] += c.n
		}
	}
	slices.SortStableFunc(waits, func(a, b query.Waits) int { return int(rows[keyText(b.Key)] - rows[keyText(a.Key)]) })
	h.all = len(waits)
	if h.scope.Limit > 0 && len(waits) > h.scope.Limit {
		waits = waits[:h.scope.Limit]
	}
	h.keys = map[uint64]*query.HedgeRows{}
	for _, w := range waits {
		k := id[keyText(w.Key)]
		h.keys[k] = &query.HedgeRows{Waits: w, Keys: len(waits), Pairs: query.HedgePairs{Reason: "no pairs were asked for"}}
		h.ids = append(h.ids, k)
	}
	h.days = map[int64]bool{}
}

func keyText(key map[string]string) string {
	var out []string
	for _, d := range sortedKeys(key) {
		out = append(out, strconv.Quote(d), strconv.Quote(key[d]))
	}
	return fmt.Sprint(out)
}

// channels fills in where each key's primaries run.
func (h *hedgeQuestion) channels(ctx context.Context) error {
	p := &params{}
	fill, err := h.store.slots(h.scope.Scope, h.scope.Metric, h.scope.By, query.WaitDispatch, p)
	if err != nil {
		return err
	}
	fill["horizon"] = h.horizon(p)
	return h.run(ctx, file("hedge_channels.sql"), fill, p, func(r driver.Rows) error {
		var id, n uint64
		var name string
		if err := r.Scan(&id, &name, &n); err != nil {
			return err
		}
		if k := h.keys[id]; k != nil {
			k.Channels = append(k.Channels, query.ValueCount{Value: name, N: int64(n)})
		}
		return nil
	})
}

// streamed are the columns of hedge_rows.sql.
type streamed struct {
	id            proto.ColUInt64
	at, doubled   proto.ColInt64
	input, output proto.ColInt32
	marks         proto.ColUInt8
}

func (c *streamed) results() proto.Results {
	return proto.Results{{Name: "id", Data: &c.id}, {Name: "at_ms", Data: &c.at}, {Name: "doubled", Data: &c.doubled},
		{Name: "input", Data: &c.input}, {Name: "output", Data: &c.output}, {Name: "marks", Data: &c.marks}}
}

// hand reads the waits and hands out each key once it is complete; keys
// without waits come last.
func (h *hedgeQuestion) hand(ctx context.Context, take func(query.HedgeRows) error) error {
	p := &params{}
	rows, err := h.rows(h.reach(), p, nil)
	if err != nil {
		return err
	}
	p.list("full", h.scope.BillsFull)
	p.list("part", h.scope.BillsPart)
	p.uints("ids", h.ids)
	var cols streamed
	var last uint64
	give := func() error {
		k := h.keys[last]
		if k == nil {
			return nil
		}
		delete(h.keys, last)
		return take(*k)
	}
	err = h.stream(ctx, file("hedge_rows.sql"), map[string]string{"rows": rows}, p, cols.results(), func() error {
		for i, id := range cols.id {
			if id != last {
				if err := give(); err != nil {
					return err
				}
				last = id
			}
			if k := h.keys[id]; k != nil {
				if h.add(k, &cols, i); int64(len(k.Micros)+len(k.History.Micros)) > h.store.cfg.Limits.Values {
					return h.tooMany()
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := give(); err != nil {
		return err
	}
	for _, id := range h.ids {
		if last = id; h.keys[id] != nil {
			if err := give(); err != nil {
				return err
			}
		}
	}
	return nil
}

// add appends one row to its key.
func (h *hedgeQuestion) add(k *query.HedgeRows, c *streamed, i int) {
	at := time.UnixMilli(c.at[i]).UTC()
	w := &k.Waits
	if at.Before(h.scope.From) {
		w = &k.History
	}
	w.Micros = append(w.Micros, c.doubled[i]>>1)
	w.Censored = append(w.Censored, c.doubled[i]&1 == 1)
	w.At = append(w.At, at)
	w.InputTokens = append(w.InputTokens, int64(c.input[i]))
	w.OutputTokens = append(w.OutputTokens, int64(c.output[i]))
	if w == &k.History {
		return
	}
	h.days[c.at[i]/day.Milliseconds()] = true
	k.Billing = append(k.Billing, query.Billing(c.marks[i]))
}

// tooMany is the error of a key with more waits than this process takes.
func (h *hedgeQuestion) tooMany() error {
	l := h.store.cfg.Limits.Values
	return &Error{doing: "reading the waits of one key", class: classLimit, setting: "of waits a key",
		err: fmt.Errorf("one key has more than %d waits", l), remedy: fmt.Sprintf("raise query.max_values (now %d)", l)}
}
