package store

import (
	"context"
	"slices"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"headway/schema"
)

// Recent returns the rows of a range of one partition's log that arrived no
// longer than within before the range's newest (any, where within is zero):
// the limit newest by offset, oldest first. Arrival is when the server stored
// a row. Only Origin, Source, RequestID, Attempt, Role and CreatedAt are
// filled. Errors are those of Land.
func (s *Store) Recent(ctx context.Context, r schema.Range, within time.Duration, limit int) ([]schema.Record, error) {
	p := rangeParams(r)
	p.number("limit", int64(limit))
	p.number("within_ms", within.Milliseconds())
	text := file("recent.sql").render(map[string]string{"table": s.cfg.writeTable("requests")})
	var out []schema.Record
	rows, err := s.conn.Query(s.consistent(p.attach(ctx)), text)
	if err == nil {
		err = each(rows, func(row driver.Rows) error {
			rec := schema.Record{Origin: schema.Origin{Topic: r.Topic, Epoch: r.Epoch, Partition: r.Partition}}
			var role string
			err := row.Scan(&rec.Origin.Offset, &rec.Source, &rec.RequestID, &rec.Attempt, &role, &rec.CreatedAt)
			rec.Role, rec.CreatedAt = schema.Role(role), rec.CreatedAt.UTC()
			out = append(out, rec)
			return err
		})
	}
	slices.Reverse(out)
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
