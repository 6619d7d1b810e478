package store

import (
	"context"
	"sync/atomic"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// duplicatedBlocks is the server's profile event that tells that an insert
// was dropped because its token was known.
const duplicatedBlocks = "DuplicatedInsertedBlocks"

// insert sends one block and returns how many blocks the server dropped as
// duplicates. Without an error, and with none dropped, its rows are in.
func (s *Store) insert(ctx context.Context, table string, b block, token string, dedupSetting bool) (duplicates int64, err error) {
	doing := "inserting into " + table
	var dropped atomic.Int64 // the driver may still read when ctx has ended
	ctx = clickhouse.Context(ctx, clickhouse.WithSettings(insertSettings(token, dedupSetting)),
		clickhouse.WithProfileEvents(func(events []clickhouse.ProfileEvent) {
			for _, e := range events {
				if e.Name == duplicatedBlocks {
					dropped.Add(e.Value)
				}
			}
		}))
	batch, err := s.conn.PrepareBatch(ctx, b.statement(table))
	if err != nil {
		return 0, s.fault(doing, err)
	}
	if err := b.fill(batch); err != nil {
		_ = batch.Abort() // the error that matters is fill's
		return 0, s.fault(doing, err)
	}
	if err := batch.Send(); err != nil {
		return 0, s.fault(doing, err)
	}
	return dropped.Load(), nil
}

// insertSettings are all settings that an insert depends on: the server's
// defaults differ between versions.
func insertSettings(token string, dedupSetting bool) clickhouse.Settings {
	set := clickhouse.Settings{
		"async_insert":                0,
		"insert_deduplicate":          1,
		"insert_deduplication_token":  token,
		"max_insert_block_size":       serverBlockRows,
		"min_insert_block_size_rows":  serverBlockRows,
		"min_insert_block_size_bytes": serverBlockBytes,
		// A block of two days would become two parts under one token.
		"max_partitions_per_insert_block":          1,
		"throw_on_max_partitions_per_insert_block": 1,
		"insert_null_as_default":                   0,
		// The client's dictionaries cost more than the server's.
		"low_cardinality_allow_in_native_format": 0,
		"log_comment":                            "headway ingest",
	}
	if dedupSetting {
		set["deduplicate_insert"] = "enable"
	}
	return set
}

// knowsDedupSetting asks the server once whether it knows the setting
// deduplicate_insert; older ones refuse what they don't know.
func (s *Store) knowsDedupSetting(ctx context.Context) (bool, error) {
	s.mu.Lock()
	known := s.dedupSetting
	s.mu.Unlock()
	if known != nil {
		return *known, nil
	}
	var n uint64
	if err := s.conn.QueryRow(ctx, file("dedup_setting.sql").render(nil)).Scan(&n); err != nil {
		return false, s.fault("asking for the server's settings", err)
	}
	known = new(bool)
	*known = n > 0
	s.mu.Lock()
	s.dedupSetting = known
	s.mu.Unlock()
	return *known, nil
}

// takeBlock returns an idle column buffer, or a new one.
func (s *Store) takeBlock() *rowBlock {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.blocks); n > 0 {
		b := s.blocks[n-1]
		s.blocks = s.blocks[:n-1]
		return b
	}
	return newRowBlock()
}

func (s *Store) giveBlock(b *rowBlock) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.blocks = append(s.blocks, b)
}

// consistent makes a read on a cluster see every write that was acknowledged.
func (s *Store) consistent(ctx context.Context) context.Context {
	if s.cfg.Cluster == "" {
		return ctx
	}
	return clickhouse.Context(ctx, clickhouse.WithSettings(clickhouse.Settings{"select_sequential_consistency": 1}))
}

// each calls take for every row and closes the rows.
func each(rows driver.Rows, take func(driver.Rows) error) error {
	defer func() { _ = rows.Close() }() // its error is also Err's
	for rows.Next() {
		if err := take(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// scanColumn reads the one column of rows.
func scanColumn[T any](rows driver.Rows, take func(T)) error {
	return each(rows, func(r driver.Rows) error {
		var v T
		err := r.Scan(&v)
		take(v)
		return err
	})
}
