package main

import (
	"context"
	"fmt"
	"strconv"
)

// tuning is how ClickHouse's Kafka table engine is set.
type tuning struct {
	form      string // rows: JSONEachRow with a column a key; text: RawBLOB and one JSONExtract
	consumers int    // kafka_num_consumers, each with a thread of its own
	block     int    // kafka_max_block_size
	poll      int    // kafka_poll_max_batch_size
	flush     int    // kafka_flush_interval_ms
}

func (t tuning) String() string {
	return fmt.Sprintf("%s, %d consumers, block %d, poll %d, flush %d", t.form, t.consumers, t.block, t.poll, t.flush)
}

// best is the fastest of grid as measured; see docs/benchmarks.md.
var best = tuning{"text", 2, 65536, 65536, 1000}

// grid is what else the Kafka table engine was tried with.
func grid() []tuning {
	all := []tuning{{"rows", 2, 65536, 65536, 1000}}
	for _, consumers := range []int{1, 4} {
		all = append(all, tuning{"text", consumers, 65536, 65536, 1000})
	}
	for _, block := range []int{65536, 262144, 1048576} {
		for _, flush := range []int{1000, 7500} {
			if t := (tuning{"text", 2, block, 65536, flush}); t != best {
				all = append(all, t)
			}
		}
	}
	return append(all, tuning{"text", 2, 65536, 8192, 1000})
}

// kafkaEnginePeer lets the server itself read the topic: a Kafka table, and a
// materialized view into a table that is Headway's own.
func kafkaEnginePeer(t tuning) peer {
	name, does := "Kafka engine", t.String()+"; fills the columns that SQL can fill; no verdicts, flags, order checks, rejects or duplicates; at least once"
	if t != best {
		name, does = name+": "+t.String(), "the same in another setting"
	}
	return peer{
		name:  name,
		does:  does,
		table: "headway_peer.requests", identity: "(partition, offset)", sameTable: true,
		prepare: func(ctx context.Context, s *site) error {
			if err := s.migrate(ctx, "headway_peer"); err != nil {
				return err
			}
			_, err := s.db.ask(ctx, file("sql/kafka_"+t.form+".sql", map[string]string{
				"broker": s.broker, "topic": s.topic, "group": s.group, "consumers": strconv.Itoa(t.consumers),
				"block": strconv.Itoa(t.block), "poll": strconv.Itoa(t.poll), "flush": strconv.Itoa(t.flush)}))
			return err
		},
		begin: func(ctx context.Context, s *site) (*client, error) {
			from := file("sql/from_"+t.form+".sql", nil)
			_, err := s.db.ask(ctx, file("sql/kafka_view.sql", map[string]string{"from": from}))
			return nil, err
		},
	}
}
