package store

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"math"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"headway/query"
	"headway/schema"
)

// defaultPage is how many attempts a page holds unless asked otherwise.
const defaultPage = 50

// Requests returns one page of attempts: newest first (sort "time"), or the
// slowest by the metric first (sort "slow"; the smallest of a rate). Slow are
// all that carry the metric and those that ended before it, by the time that
// it was waited for, their AtLeast. Next continues after the page's last row,
// wherever new rows came meanwhile; it is the position alone, so bind it to
// the question before it is handed out. Meta counts the rows of all pages;
// what they leave out stands there by reason.
func (s *Store) Requests(ctx context.Context, rq query.Requests, sc query.Scope) (query.RequestsAnswer, error) {
	q := s.ask("requests")
	limit := rq.Limit
	or(&limit, defaultPage)
	if rq.Sort == "slow" {
		return q.slowest(ctx, rq, sc, limit)
	}
	p, where, err := q.scope(sc)
	if err != nil {
		return query.RequestsAnswer{}, err
	}
	if err := continueAfter(rq.Page, p); err != nil {
		return query.RequestsAnswer{}, err
	}
	a, err := q.page(ctx, map[string]string{"columns": attemptColumns(), "filter": where}, p, limit)
	if err != nil {
		return a, err
	}
	a.Meta, err = q.counted(ctx, sc, rq.Explain)
	return a, err
}

// page reads a page and one row more, to know whether another follows.
func (q *question) page(ctx context.Context, fill map[string]string, p *params, limit int) (query.RequestsAnswer, error) {
	p.number("limit", int64(limit)+1)
	var a query.RequestsAnswer
	var positions []position
	err := q.run(ctx, file("requests.sql"), fill, p, func(r driver.Rows) error {
		var by *float64
		at, err := scanAttempt(r, &by)
		if err != nil {
			return err
		}
		a.Attempts = append(a.Attempts, at)
		o := at.Record.Origin
		positions = append(positions, position{By: *by, Topic: o.Topic, Epoch: o.Epoch, Partition: o.Partition, Offset: o.Offset})
		return nil
	})
	if len(a.Attempts) > limit {
		a.Attempts = a.Attempts[:limit]
		a.Next = positions[limit-1].token()
	}
	return a, err
}

// position is the last row of a page: what it was sorted by, and its place in
// the log, which no other row shares.
type position struct {
	By        float64 `json:"b"`
	Topic     string  `json:"t"`
	Epoch     uint32  `json:"e"`
	Partition int32   `json:"p"`
	Offset    int64   `json:"o"`
}

func (p position) token() string {
	raw, err := json.Marshal(p)
	if err != nil {
		return "" // five plain, finite fields can't fail to encode
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

// continueAfter sets where a page begins: behind the token's row, at the top
// without one.
func continueAfter(token string, p *params) error {
	at := position{By: math.Inf(1)}
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err == nil && token != "" {
		err = json.Unmarshal(raw, &at)
	}
	if err != nil {
		return query.Errors{{Param: "page", Message: "this is no page token; pass that of the answer before as it is"}}
	}
	p.float("after", at.By)
	p.text("topic", at.Topic)
	p.number("epoch", int64(at.Epoch))
	p.number("partition", int64(at.Partition))
	p.number("offset", at.Offset)
	return nil
}

// scope is the parameters and the filter of a question without a metric.
func (q *question) scope(sc query.Scope) (*params, string, error) {
	p := &params{}
	p.window(sc.Window)
	where, err := q.store.filter(sc.Where, p)
	return p, where, err
}

// counted is the meta of a question without a metric: the rows in scope, and
// the duplicates that were left out.
func (q *question) counted(ctx context.Context, sc query.Scope, explain bool) (query.Meta, error) {
	p, where, err := q.scope(sc)
	if err != nil {
		return query.Meta{}, err
	}
	sources, starts := map[string]bool{}, map[string]bool{}
	var n, duplicates uint64
	err = q.run(ctx, file("count.sql"), map[string]string{"filter": where}, p, func(r driver.Rows) error {
		var source, start string
		var some, twice uint64
		err := r.Scan(&source, &start, &some, &twice)
		sources[source], starts[start] = true, true
		n, duplicates = n+some, duplicates+twice
		return err
	})
	m := q.meta(sc, explain)
	m.N, m.Sources, m.StartPoints = int64(n), sortedKeys(sources), sortedKeys(starts)
	if duplicates > 0 {
		m.LeftOut[string(schema.WaitDuplicate)] = int64(duplicates)
	}
	return m, err
}
