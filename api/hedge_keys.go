package api

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sort"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"headway/hedge"
	"headway/query"
)

// hedgeRows is what the keys of a hedge question stand on.
type hedgeRows struct {
	footing footing
	meta    query.HedgeMeta
	// keys is how many were calculated.
	keys int
}

// hedgeNeeds is what a hedge question needs beside the window's waits.
type hedgeNeeds struct {
	history time.Duration
	pairs   bool
	horizon time.Time // zero: the newest row's
}

// week is the time that advice learns from.
const week = 7 * 24 * time.Hour

// calculated is one key's result with what it is sorted by.
type calculated[T any] struct {
	n    int
	name string
	out  T
}

// eachHedgeKey reads the rows of a hedge question key by key and calculates
// work for several keys side by side, while the next one is read. Results
// come back with the most rows first.
func eachHedgeKey[T any](ctx context.Context, s *Server, q query.Hedge, needs hedgeNeeds, work func(context.Context, key) (T, error)) ([]T, hedgeRows, error) {
	sc, err := q.Resolve(s.Now())
	if err != nil {
		return nil, hedgeRows{}, err
	}
	done, rows, err := hedgeKeysIn(ctx, s, sc, q, needs, work)
	if err != nil {
		return nil, rows, err
	}
	if q.From == "" && q.To == "" {
		if rows.meta.AllKeys == 0 { // a store that was filled today has no whole day yet
			sc.To = s.Now().UTC().Truncate(time.Millisecond)
			if done, rows, err = hedgeKeysIn(ctx, s, sc, q, needs, work); err != nil {
				return nil, rows, err
			}
			rows.footing.warnings = append(rows.footing.warnings, "the last seven whole days hold no rows; this answer also takes today's")
		}
		if n := rows.meta.Days; n > 0 && n < 7 { // advice from three days is not advice from seven
			rows.footing.warnings = append(rows.footing.warnings, fmt.Sprintf("only %d of the seven days hold rows", n))
		}
	}
	if rows.meta.AllKeys > q.Limit {
		rows.footing.warnings = append(rows.footing.warnings, fmt.Sprintf("%d of %d keys are shown, those with the most rows; raise limit or filter", q.Limit, rows.meta.AllKeys))
	}
	sort.SliceStable(done, func(i, j int) bool {
		return done[i].n > done[j].n || done[i].n == done[j].n && done[i].name < done[j].name
	})
	out := make([]T, len(done))
	for i := range done {
		out[i] = done[i].out
	}
	return out, rows, nil
}

// hedgeKeysIn is eachHedgeKey of one window.
func hedgeKeysIn[T any](ctx context.Context, s *Server, sc query.Scope, q query.Hedge, needs hedgeNeeds, work func(context.Context, key) (T, error)) ([]calculated[T], hedgeRows, error) {
	ask, f, err := s.hedgeScope(ctx, sc, q, needs)
	if err != nil {
		return nil, hedgeRows{}, err
	}
	var mu sync.Mutex
	var done []calculated[T]
	g, within := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	meta, err := s.Hedges.HedgeRows(within, ask, func(rows query.HedgeRows) error {
		if within.Err() != nil {
			return context.Cause(within)
		}
		k := s.key(within, rows, q, sc)
		g.Go(func() error {
			out, err := work(within, k)
			if err == nil && within.Err() != nil { // what was cut short is no answer
				err = fmt.Errorf("calculating hedge advice: %w", within.Err())
			}
			mu.Lock()
			defer mu.Unlock()
			done = append(done, calculated[T]{len(k.waits.Micros), nameOf(k.waits.Key), out})
			return err
		})
		return nil
	})
	if worked := g.Wait(); worked != nil {
		return nil, hedgeRows{}, worked
	}
	if err != nil {
		return nil, hedgeRows{}, fmt.Errorf("reading first-token waits: %w", err)
	}
	if !q.Explain {
		meta.SQL = nil
	}
	meta.Metric = &f.metric
	return done, hedgeRows{footing: f, meta: meta, keys: len(done)}, nil
}

// hedgeScope settles metric and rows of a hedge question.
func (s *Server) hedgeScope(ctx context.Context, sc query.Scope, q query.Hedge, needs hedgeNeeds) (query.HedgeScope, footing, error) {
	asked, warning := s.Hedge.metric(q)
	f, err := s.find(ctx, sc, asked, q.By)
	if err != nil {
		return query.HedgeScope{}, f, err
	}
	if !f.metric.FirstToken {
		return query.HedgeScope{}, f, query.Errors{{Param: "metric", Message: f.metric.Name + " is no first-token wait, so no hedge timer can watch it"}}
	}
	if warning != "" {
		f.warnings = append(f.warnings, warning)
	}
	out := query.HedgeScope{Scope: f.scope, Metric: f.metric, By: q.By, Limit: q.Limit, History: needs.history, Horizon: needs.horizon}
	if needs.pairs {
		out.MinPairs = hedge.MinPairs
	}
	for _, provider := range slices.Sorted(maps.Keys(s.Hedge.BillsFull)) {
		if s.Hedge.BillsFull[provider] {
			out.BillsFull = append(out.BillsFull, provider)
		} else {
			out.BillsPart = append(out.BillsPart, provider)
		}
	}
	return out, f, nil
}

// nameOf orders keys of as many rows.
func nameOf(key map[string]string) string {
	var out string
	for _, d := range slices.Sorted(maps.Keys(key)) {
		out += d + "=" + key[d] + "\x00"
	}
	return out
}

const (
	allDraws = 20_000 // of the bootstrap, shared by the keys of one question
	maxDraws = 2000
	minDraws = 100
)

func drawsFor(keys int) int { return min(maxDraws, max(minDraws, allDraws/max(1, keys))) }

// key gathers what advice on one key needs.
func (s *Server) key(ctx context.Context, rows query.HedgeRows, q query.Hedge, sc query.Scope) key {
	k := key{HedgeRows: rows, waits: rows.Waits, route: s.Hedge.Key(rows.Key, q.Where), hedge: s.Hedge, target: q.Target,
		draws: drawsFor(rows.Keys), stop: ctx.Done(), length: sc.To.Sub(sc.From)}
	k.route.SharedQueue = k.route.SharedQueue || s.Hedge.shareQueue(rows.Channels)
	return k
}

// sayDraws words how intervals came about.
func sayDraws(m *Meta, keys int) {
	if d := drawsFor(keys); d < maxDraws {
		m.Warnings = append(m.Warnings, fmt.Sprintf("bootstrap intervals come from %d draws a key, since %d keys share one question; ask for a single key to get %d", d, keys, maxDraws))
	}
	if boot := hedge.DefaultBootstrap(); keys > 0 {
		m.Approximation = fmt.Sprintf("exact; intervals of hedged percentiles by block bootstrap with %d draws, seed %d", drawsFor(keys), boot.Seed)
	}
}
