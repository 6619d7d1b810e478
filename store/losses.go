package store

import (
	"context"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"headway/query"
	"headway/schema"
)

// Lose records that the messages of a range can never be read. The same range
// may come twice: it counts once, and what of it is among rows or rejects is
// not lost.
func (s *Store) Lose(ctx context.Context, r schema.Range, cause string, at time.Time) error {
	p := rangeParams(r)
	p.text("cause", cause)
	p.time("at", at)
	text := file("insert_loss.sql").render(map[string]string{"table": s.cfg.writeTable("losses")})
	return s.fault("recording the loss of "+rangeText(r), s.conn.Exec(p.attach(ctx), text))
}

// losses reads the ranges that were lost in a window, without overlaps, and
// how many messages of each are in neither table.
func (q *question) losses(ctx context.Context, sc query.Scope) ([]query.Lost, error) {
	p := &params{}
	p.window(sc.Window)
	var out []query.Lost
	err := q.run(ctx, file("losses.sql"), nil, p, func(r driver.Rows) error {
		var l query.Lost
		err := r.Scan(&l.Range.Topic, &l.Range.Epoch, &l.Range.Partition, &l.Range.First, &l.Range.Last, &l.Cause, &l.At)
		l.At = l.At.UTC()
		out = append(out, l)
		return err
	})
	if err != nil {
		return nil, err
	}
	out = withoutOverlaps(out)
	for i := range out {
		landed, err := q.store.landed(ctx, out[i].Range)
		if err != nil {
			return nil, err
		}
		out[i].Messages = out[i].Range.Last - out[i].Range.First + 1 - int64(len(landed))
	}
	return out, nil
}

// withoutOverlaps cuts from each range what earlier ones of its partition
// cover; ranges come sorted by partition and first offset.
func withoutOverlaps(in []query.Lost) []query.Lost {
	var out []query.Lost
	for _, l := range in {
		if n := len(out); n > 0 && samePartition(out[n-1].Range, l.Range) && l.Range.First <= out[n-1].Range.Last {
			if l.Range.Last <= out[n-1].Range.Last {
				continue
			}
			l.Range.First = out[n-1].Range.Last + 1
		}
		out = append(out, l)
	}
	return out
}

func samePartition(a, b schema.Range) bool {
	return a.Topic == b.Topic && a.Epoch == b.Epoch && a.Partition == b.Partition
}
