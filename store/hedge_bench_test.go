package store_test

import (
	"fmt"
	"testing"
	"time"

	"headway/query"
)

// BenchmarkHedgeRows reads a week of a million rows of 500 keys, key by key,
// with pairs of one minute: what advice on all keys reads.
func BenchmarkHedgeRows(b *testing.B) {
	const n = 1_000_000
	s, cfg := migrated(b)
	from := time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC)
	do(b, admin(b, cfg), fmt.Sprintf(`INSERT INTO requests (created_at, request_id, model, route, channel, role, outcome, stream, first_response_us, upstream_start_us, upstream_done_us,
    input_tokens, output_tokens, source, start_point, topic, offset)
SELECT toDateTime64('2026-11-02 00:00:00', 3, 'UTC') + toIntervalMillisecond(intDiv(number * 604800000, %[1]d)), concat('r', toString(number)), concat('m-', toString(cityHash64(number) %% 50)),
    concat('route-', toString(cityHash64(number, 1) %% 10)), concat('ch-', toString(cityHash64(number, 2) %% 20)), 'primary', 'completed', true, 5000 + toUInt64(400000 * exp(0.6 * randNormal(0, 1))), 5000, 9000000,
    cityHash64(number, 3) %% 20000, 200, 'headway', 'handler', 't', number
FROM numbers(%[1]d)`, n))
	sc := query.HedgeScope{Metric: field(b, "first_response_ms"), By: []string{"model", "route"}, Limit: 500, MinPairs: 29}
	sc.From, sc.To = from, from.AddDate(0, 0, 7)
	for b.Loop() {
		rows := 0
		meta, err := s.HedgeRows(b.Context(), sc, func(k query.HedgeRows) error {
			rows += len(k.Micros)
			return nil
		})
		if err != nil || rows != n {
			b.Fatalf("%d rows, %v", rows, err)
		}
		b.ReportMetric(float64(meta.RowsRead)/n, "passes")
	}
}
