package store

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"headway/query"
	"headway/schema"
)

// slowest answers Requests with sort "slow": places first, which need few
// columns of the window's rows, then the attempts there.
func (q *question) slowest(ctx context.Context, rq query.Requests, sc query.Scope, limit int) (query.RequestsAnswer, error) {
	metric, warnings, err := q.metric(ctx, rq.Metric, sc)
	if err != nil {
		return query.RequestsAnswer{}, err
	}
	p := &params{}
	// A list is no percentile: backups, warm-ups and what a cache answered may
	// stand in it, and whether an attempt streamed need not be known.
	rows, err := q.store.rows(sc, metric, nil, query.WaitMetric, p, "role", "warmup", "from_cache", "stream_unknown")
	if err != nil {
		return query.RequestsAnswer{}, err
	}
	if err := continueAfter(rq.Page, p); err != nil {
		return query.RequestsAnswer{}, err
	}
	fill := map[string]string{"rows": rows}
	if !metric.HigherIsWorse {
		fill["sign"] = "-1"
	}
	places, err := q.places(ctx, fill, p, limit)
	if err != nil {
		return query.RequestsAnswer{}, err
	}
	var a query.RequestsAnswer
	if len(places) > limit {
		places = places[:limit]
		a.Next = places[limit-1].token()
	}
	if a.Attempts, err = q.attemptsAt(ctx, places); err != nil {
		return a, err
	}
	a.Meta, err = q.countedSlow(ctx, rows, p, sc, rq.Explain)
	a.Meta.Metric, a.Meta.Warnings = &metric, warnings
	return a, err
}

// place is where an attempt of the slow list stands.
type place struct {
	position
	createdAt  time.Time
	unfinished bool
}

func (p place) origin() schema.Origin {
	return schema.Origin{Topic: p.Topic, Epoch: p.Epoch, Partition: p.Partition, Offset: p.Offset}
}

// places finds a page's places and one more, to know whether another page
// follows.
func (q *question) places(ctx context.Context, fill map[string]string, p *params, limit int) ([]place, error) {
	p.number("limit", int64(limit)+1)
	var out []place
	err := q.run(ctx, file("requests_slow.sql"), fill, p, func(r driver.Rows) error {
		var at place
		err := r.Scan(&at.Topic, &at.Epoch, &at.Partition, &at.Offset, &at.createdAt, &at.unfinished, &at.By)
		out = append(out, at)
		return err
	})
	return out, err
}

// attemptsAt reads the attempts at some places, in their order.
func (q *question) attemptsAt(ctx context.Context, places []place) ([]query.Attempt, error) {
	if len(places) == 0 {
		return nil, nil
	}
	found := map[schema.Origin]query.Attempt{}
	err := q.run(ctx, file("requests_at.sql"), map[string]string{"columns": attemptColumns()}, placeParams(places), func(r driver.Rows) error {
		at, err := scanAttempt(r)
		found[at.Record.Origin] = at
		return err
	})
	var out []query.Attempt
	for _, p := range places {
		at, ok := found[p.origin()]
		if !ok {
			continue // retention removed it a moment ago
		}
		if p.unfinished {
			waited := time.Duration(math.Round(p.By)) * time.Microsecond // only times are censored
			at.AtLeast = &waited
		}
		out = append(out, at)
	}
	return out, err
}

func placeParams(places []place) *params {
	p := &params{}
	low, high := places[0].createdAt, places[0].createdAt
	var topics, epochs, partitions, offsets []string
	for _, at := range places {
		if at.createdAt.Before(low) {
			low = at.createdAt
		}
		if at.createdAt.After(high) {
			high = at.createdAt
		}
		topics = append(topics, at.Topic)
		epochs = append(epochs, strconv.FormatUint(uint64(at.Epoch), 10))
		partitions = append(partitions, strconv.Itoa(int(at.Partition)))
		offsets = append(offsets, strconv.FormatInt(at.Offset, 10))
	}
	p.time("low", low)
	p.time("high", high)
	p.list("topics", topics)
	for name, numbers := range map[string][]string{"epochs": epochs, "partitions": partitions, "offsets": offsets} {
		p.set(name, fmt.Sprintf("[%s]", strings.Join(numbers, ",")))
	}
	return p
}

// countedSlow is the meta of a slow list: the rows of all its pages, those of
// them that ended before the metric, and why others are not in it.
func (q *question) countedSlow(ctx context.Context, rows string, p *params, sc query.Scope, explain bool) (query.Meta, error) {
	m := query.Meta{LeftOut: map[string]int64{}}
	sources, starts := map[string]bool{}, map[string]bool{}
	err := q.run(ctx, file("requests_slow_count.sql"), map[string]string{"rows": rows}, p, func(r driver.Rows) error {
		var source, start, reason string
		var listed, unfinished bool
		var n uint64
		if err := r.Scan(&source, &start, &listed, &unfinished, &reason, &n); err != nil {
			return err
		}
		if !listed {
			m.LeftOut[reason] += int64(n)
			return nil
		}
		sources[source], starts[start] = true, true
		m.N += int64(n)
		if unfinished {
			m.Censored += int64(n)
		}
		return nil
	})
	own := q.meta(sc, explain)
	own.N, own.Censored, own.LeftOut = m.N, m.Censored, m.LeftOut
	own.Sources, own.StartPoints = sortedKeys(sources), sortedKeys(starts)
	return own, err
}
