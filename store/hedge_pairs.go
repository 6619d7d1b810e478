package store

import (
	"context"
	"slices"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"headway/query"
)

// hedgedOnly keeps the requests of the window that had a backup.
const hedgedOnly = `(source, request_id) IN
(
    SELECT source, request_id
    FROM requests
    WHERE created_at >= {from:DateTime64(3, 'UTC')} AND created_at < {to:DateTime64(3, 'UTC')}
      AND toStartOfHour(created_at) BETWEEN toStartOfHour({from:DateTime64(3, 'UTC')}) AND toStartOfHour({to:DateTime64(3, 'UTC')})
      AND role = 'backup'
)`

// minutePairs is how many pairs of one minute a key needs at most: of long
// windows, minutes are left out evenly.
const minutePairs = 2000

// pairs fills in each key's pairs: of really hedged requests where there are
// enough, else of one minute on the key's two busiest channels.
func (h *hedgeQuestion) pairs(ctx context.Context) error {
	if h.hedged {
		if err := h.hedgedPairs(ctx); err != nil {
			return err
		}
	}
	return h.minutePairs(ctx)
}

func (h *hedgeQuestion) hedgedPairs(ctx context.Context) error {
	p := &params{}
	rows, err := h.rows(h.scope.Scope, p, map[string]string{"filter": hedgedOnly})
	if err != nil {
		return err
	}
	// The question's filters choose the primaries; a backup may run elsewhere.
	backups, err := h.rows(query.Scope{Window: h.scope.Window}, p, map[string]string{"filter": "role = 'backup'"}, "role")
	if err != nil {
		return err
	}
	for _, k := range h.keys {
		k.Pairs = query.HedgePairs{}
	}
	return h.takePairs(ctx, file("hedge_pairs.sql"), map[string]string{"rows": rows, "backups": backups}, p, query.PairsHedged)
}

// takePairs appends a statement's pairs to their keys.
func (h *hedgeQuestion) takePairs(ctx context.Context, f sqlFile, fill map[string]string, p *params, kind query.PairKind) error {
	return h.run(ctx, f, fill, p, func(r driver.Rows) error {
		var id uint64
		var at, primary, backup, after int64
		if err := r.Scan(&id, &at, &primary, &backup, &after); err != nil {
			return err
		}
		k := h.keys[id]
		if k == nil {
			return nil
		}
		if k.Pairs.Kind = kind; kind == query.PairsHedged {
			k.Pairs.Hedged++
		}
		k.Pairs.Pairs = append(k.Pairs.Pairs, query.HedgePair{Primary: primary >> 1, PrimaryCensored: primary&1 == 1,
			Backup: backup >> 1, BackupCensored: backup&1 == 1, After: after, At: time.UnixMilli(at).UTC()})
		return nil
	})
}

// minutePairs pairs the two busiest channels of the keys that have too few
// hedged requests.
func (h *hedgeQuestion) minutePairs(ctx context.Context) error {
	var ids []uint64
	var ones, twos []string
	for _, id := range h.ids {
		k := h.keys[id]
		if len(k.Pairs.Pairs) >= h.scope.MinPairs {
			continue
		}
		k.Pairs = query.HedgePairs{Hedged: k.Pairs.Hedged}
		switch {
		case slices.Contains(h.scope.By, "channel"):
			k.Pairs.Reason = "too few really hedged requests, and a key of one channel has no requests of the same minute on another"
		case len(k.Channels) < 2:
			k.Pairs.Reason = "too few really hedged requests, and only one channel serves this key"
		default:
			k.Pairs.Channels = [2]string{k.Channels[0].Value, k.Channels[1].Value}
			ids, ones, twos = append(ids, id), append(ones, k.Channels[0].Value), append(twos, k.Channels[1].Value)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	p := &params{}
	rows, err := h.rows(h.scope.Scope, p, nil)
	if err != nil {
		return err
	}
	p.uints("ids", ids)
	p.list("ones", ones)
	p.list("twos", twos)
	p.number("thin", max(1, int64(h.scope.To.Sub(h.scope.From)/time.Minute)/minutePairs))
	if err := h.takePairs(ctx, file("hedge_minutes.sql"), map[string]string{"rows": rows}, p, query.PairsSameMinute); err != nil {
		return err
	}
	for _, id := range ids {
		if k := h.keys[id]; len(k.Pairs.Pairs) == 0 {
			k.Pairs.Reason = "too few really hedged requests, and no minute in which both " + k.Pairs.Channels[0] + " and " + k.Pairs.Channels[1] + " answered"
		}
	}
	return nil
}
