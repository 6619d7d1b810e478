package store

import (
	"context"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"headway/query"
)

// SaveAdvice keeps pieces of advice. One that is kept twice counts once: the
// first that was made.
func (s *Store) SaveAdvice(ctx context.Context, all []query.StoredAdvice) error {
	const doing = "keeping hedge advice"
	batch, err := s.conn.PrepareBatch(ctx, file("insert_advice.sql").render(nil))
	if err != nil {
		return s.fault(doing, err)
	}
	for _, a := range all {
		err := batch.Append(a.ID, a.MadeAt, a.MadeBy, a.Key, a.Window.From, a.Window.To, a.Horizon, uint64(a.N), a.Version, a.Question, a.Settings, a.Answer, a.Fingerprint)
		if err != nil {
			_ = batch.Abort() // the first error says more
			return s.fault(doing, err)
		}
	}
	return s.fault(doing, batch.Send())
}

// Advice returns the advice of these ids, as far as there is.
func (s *Store) Advice(ctx context.Context, ids []string) ([]query.StoredAdvice, error) {
	p := &params{}
	p.list("advice", ids)
	return s.readAdvice(ctx, "advice_by_id.sql", p)
}

// LatestAdvice returns the newest advice of each key, of windows that ended at
// to or before and that was made at since or later.
func (s *Store) LatestAdvice(ctx context.Context, since, to time.Time) ([]query.StoredAdvice, error) {
	p := &params{}
	p.time("since", clamp(since))
	p.time("to", clamp(to))
	return s.readAdvice(ctx, "advice_latest.sql", p)
}

func (s *Store) readAdvice(ctx context.Context, name string, p *params) ([]query.StoredAdvice, error) {
	var out []query.StoredAdvice
	err := s.ask("advice").run(s.consistent(ctx), file(name), nil, p, func(r driver.Rows) error {
		var a query.StoredAdvice
		var n uint64
		err := r.Scan(&a.ID, &a.MadeAt, &a.MadeBy, &a.Key, &a.Window.From, &a.Window.To, &a.Horizon, &n, &a.Version, &a.Question, &a.Settings, &a.Answer, &a.Fingerprint)
		a.N, a.MadeAt, a.Horizon = int64(n), a.MadeAt.UTC(), a.Horizon.UTC()
		a.Window.From, a.Window.To = a.Window.From.UTC(), a.Window.To.UTC()
		out = append(out, a)
		return err
	})
	return out, err
}

// SavePolicyChange keeps one change of the hedge policy.
func (s *Store) SavePolicyChange(ctx context.Context, c query.PolicyChange) error {
	p := &params{}
	p.text("id", c.ID)
	p.time("at", c.At)
	p.text("kind", string(c.Kind))
	p.text("key", c.Key)
	p.set("enabled", map[bool]string{true: "true", false: "false"}[c.Enabled])
	p.set("hedge_after", `\N`)
	if c.HedgeAfter != nil {
		p.number("hedge_after", c.HedgeAfter.Microseconds())
	}
	for name, v := range map[string]*float64{"q": c.Q, "budget": c.Budget} {
		p.set(name, `\N`)
		if v != nil {
			p.float(name, *v)
		}
	}
	p.text("who", c.Who)
	p.text("why", c.Why)
	p.time("until", clamp(c.Until))
	return s.fault("keeping a change of the hedge policy", s.conn.Exec(p.attach(ctx), file("insert_policy_change.sql").render(nil)))
}

// PolicyChanges returns the changes of a window, in order.
func (s *Store) PolicyChanges(ctx context.Context, w query.Window) ([]query.PolicyChange, error) {
	p := &params{}
	p.window(w)
	var out []query.PolicyChange
	err := s.ask("policy").run(s.consistent(ctx), file("policy_changes.sql"), nil, p, func(r driver.Rows) error {
		var c query.PolicyChange
		var kind string
		var after *uint64
		err := r.Scan(&c.ID, &c.At, &kind, &c.Key, &c.Enabled, &after, &c.Q, &c.Budget, &c.Who, &c.Why, &c.Until)
		c.Kind, c.At, c.Until = query.ChangeKind(kind), c.At.UTC(), c.Until.UTC()
		if d := convert(after, func(us uint64) time.Duration { return time.Duration(us) * time.Microsecond }); d.Valid {
			c.HedgeAfter = &d.Value
		}
		out = append(out, c)
		return err
	})
	return out, err
}
