package store

import (
	"context"
	"slices"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"headway/schema"
)

// Recent returns rows of one partition's log whose offset is below before and
// whose created_at is at or after since (any, where since is zero): the limit
// newest by offset, oldest first. Only Origin, Source, RequestID, Attempt,
// Role and CreatedAt are filled. Errors are those of Land.
func (s *Store) Recent(ctx context.Context, topic string, epoch uint32, partition int32, before int64, since time.Time, limit int) ([]schema.Record, error) {
	p := logParams(topic, partition)
	p.number("epoch", int64(epoch))
	p.number("before", before)
	p.number("limit", int64(limit))
	p.time("since", clamp(since))
	text := file("recent.sql").render(map[string]string{"table": s.cfg.writeTable("requests")})
	var out []schema.Record
	rows, err := s.conn.Query(s.consistent(p.attach(ctx)), text)
	if err == nil {
		err = each(rows, func(r driver.Rows) error {
			rec := schema.Record{Origin: schema.Origin{Topic: topic, Epoch: epoch, Partition: partition}}
			var role string
			err := r.Scan(&rec.Origin.Offset, &rec.Source, &rec.RequestID, &rec.Attempt, &role, &rec.CreatedAt)
			rec.Role, rec.CreatedAt = schema.Role(role), rec.CreatedAt.UTC()
			out = append(out, rec)
			return err
		})
	}
	slices.Reverse(out)
	return out, s.fault("reading the newest rows of "+topic, err)
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
