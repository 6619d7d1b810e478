package store

import (
	"context"
	"slices"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"headway/schema"
)

// The first slice of a range is at most recentSlice offsets wide, each further
// one recentGrowth times wider than that before: usually one is enough, and
// the rows of an hour, which is the least that a slice costs, are read two or
// three times at most.
const (
	recentSlice  = 8192
	recentGrowth = 32
)

// Recent returns the rows of a range of one partition's log that arrived no
// longer than within before the range's newest offsets (any, where within is
// zero): the limit newest by offset, oldest first. Arrival is when the server
// stored a row; a partition's rows arrive in the order of their offsets, so
// the range is read from its end, and no further than it must be. Only
// Origin, Source, RequestID, Attempt, Role and CreatedAt are filled. Errors
// are those of Land.
func (s *Store) Recent(ctx context.Context, r schema.Range, within time.Duration, limit int) ([]schema.Record, error) {
	var out []schema.Record
	since := firstDay // earliest arrival of interest
	slice, width := r, int64(min(limit, recentSlice))
	for slice.Last = r.Last; slice.Last >= r.First && len(out) < limit; slice.Last = slice.First - 1 {
		slice.First = max(r.First, slice.Last-width+1)
		found, err := s.slice(ctx, slice, since, limit-len(out))
		if err != nil {
			return nil, err
		}
		bounded := within > 0 && (len(out) > 0 || len(found) > 0)
		if bounded && len(out) == 0 {
			since = newest(found).Add(-within)
		}
		n := len(out)
		for _, f := range found {
			if !f.arrived.Before(since) {
				out = append(out, f.Record)
			}
		}
		if bounded && (len(out)-n < len(found) || len(out) == n || out[len(out)-1].Origin.Offset > slice.First+(slice.Last-slice.First)/2) {
			break // what lies further back arrived before since
		}
		width *= recentGrowth
	}
	slices.Reverse(out)
	return out, nil
}

// arrival is a row and when it was stored.
type arrival struct {
	schema.Record
	arrived time.Time
}

func newest(rows []arrival) time.Time {
	var at time.Time
	for _, r := range rows {
		if r.arrived.After(at) {
			at = r.arrived
		}
	}
	return at
}

// slice returns the newest rows of a range that arrived since then, newest
// first.
func (s *Store) slice(ctx context.Context, r schema.Range, since time.Time, limit int) ([]arrival, error) {
	p := rangeParams(r)
	p.number("limit", int64(limit))
	p.time("since", since)
	text := file("recent.sql").render(map[string]string{"table": s.cfg.writeTable("requests")})
	var out []arrival
	rows, err := s.conn.Query(s.consistent(p.attach(ctx)), text)
	if err == nil {
		err = each(rows, func(row driver.Rows) error {
			a := arrival{Record: schema.Record{Origin: schema.Origin{Topic: r.Topic, Epoch: r.Epoch, Partition: r.Partition}}}
			var role string
			err := row.Scan(&a.Origin.Offset, &a.Source, &a.RequestID, &a.Attempt, &role, &a.CreatedAt, &a.arrived)
			a.Role, a.CreatedAt = schema.Role(role), a.CreatedAt.UTC()
			out = append(out, a)
			return err
		})
	}
	return out, s.fault("reading the newest rows of "+r.Topic, err)
}

// Last returns how far a partition has come: epoch is the highest that has
// rows, rejects or losses, and next the offset after the highest of these
// within it. found is false where the partition was never seen.
func (s *Store) Last(ctx context.Context, topic string, partition int32) (epoch uint32, next int64, found bool, err error) {
	p := logParams(topic, partition)
	text := file("last.sql").render(s.writeTables())
	rows, err := s.conn.Query(s.consistent(p.attach(ctx)), text)
	if err == nil {
		err = each(rows, func(r driver.Rows) error {
			found = true
			err := r.Scan(&epoch, &next)
			next++
			return err
		})
	}
	return epoch, next, found, s.fault("reading how far "+topic+" has come", err)
}

func logParams(topic string, partition int32) *params {
	p := &params{}
	p.text("topic", topic)
	p.number("partition", int64(partition))
	return p
}

func rangeParams(r schema.Range) *params {
	p := logParams(r.Topic, r.Partition)
	p.number("epoch", int64(r.Epoch))
	p.number("first", r.First)
	p.number("last", r.Last)
	return p
}

// writeTables fills the slots of statements that read what the writer wrote.
func (s *Store) writeTables() map[string]string {
	return map[string]string{"requests": s.cfg.writeTable("requests"), "rejects": s.cfg.writeTable("rejects"), "losses": s.cfg.writeTable("losses")}
}
