== cells.sql
SET param_f0 = '[\'ch-3\',\'o\\\'brien\']';
SET param_f1 = '[\'true\',\'\']';
SET param_from = '2026-11-02 03:00:00.000';
SET param_max_groups = '20';
SET param_step_ms = '60000';
SET param_to = '2026-11-02 04:00:00.000';
-- question: which rows does an answer stand on: how many, in which state, of which source, start point, clock and fate?
-- tables: as the rows' statement
-- cost: one pass over the rows
-- slots: rows (one of the rows_… files)
SELECT cityHash64(key) AS id, key, state, source, start_point, clock, fate, count() AS n
FROM
(
    WITH several AS
(
    SELECT source, request_id
    FROM requests
    WHERE created_at >= {from:DateTime64(3, 'UTC')} - INTERVAL 1 DAY AND created_at < {to:DateTime64(3, 'UTC')} + INTERVAL 1 DAY
      AND toStartOfHour(created_at) BETWEEN toStartOfHour({from:DateTime64(3, 'UTC')} - INTERVAL 1 DAY) AND toStartOfHour({to:DateTime64(3, 'UTC')} + INTERVAL 1 DAY)
      AND (1) AND (1)
      AND request_id IN
      (
          SELECT request_id
          FROM requests
          WHERE created_at >= {from:DateTime64(3, 'UTC')} AND created_at < {to:DateTime64(3, 'UTC')}
            AND toStartOfHour(created_at) BETWEEN toStartOfHour({from:DateTime64(3, 'UTC')}) AND toStartOfHour({to:DateTime64(3, 'UTC')})
            AND outcome IN ('timeout', 'client_cancelled', 'superseded')
            AND first_response_us IS NULL AND upstream_done_us IS NULL AND total_handler_us IS NOT NULL
            AND (NOT (channel IN {f0:Array(String)}) AND ifNull(toString(stream), '') IN {f1:Array(String)})
            AND (1) AND (1)
      )
    GROUP BY source, request_id
    HAVING uniqExact(attempt, role) > 1
)
SELECT
    created_at, source, request_id, attempt, role, outcome, channel, provider, start_point, input_band, input_tokens, output_tokens,
    hedge_after_us, topic, epoch, partition, offset,
    [toString(model)] AS key,
    multiIf(
        upstream_start_us IS NOT NULL, 'dispatch',
        auth_us IS NOT NULL AND distribution_us IS NOT NULL AND body_read_us IS NOT NULL, 'estimated',
        'start') AS clock,
    toInt64(multiIf(
        clock = 'dispatch', ifNull(upstream_start_us, 0),
        clock = 'estimated', ifNull(auth_us + distribution_us + body_read_us, 0),
        0)) AS dispatched_us,
    0 AS start_us,
    toInt64(first_response_us) AS metric_at,
    toInt64(multiIf(
        upstream_done_us IS NOT NULL, upstream_done_us,
        total_handler_us IS NOT NULL AND (source, request_id) NOT IN several, total_handler_us,
        NULL)) AS end_at,
    multiIf(
        has(flags, 'duplicate'), 'duplicate',
        ifNull(warmup, false), 'warmup',
        role != 'primary', 'not_primary',
        0, 'stream_unknown',
        0, 'not_stream',
        ifNull(cache_hit, false), 'from_cache',
        has(flags, 'buffered_upstream'), 'buffered_upstream',
        has(flags, 'zero_timing'), 'zero_timing',
        has(flags, 'multi_attempt'), 'multi_attempt',
        metric_at IS NOT NULL, if(metric_at < start_us, 'bad_value', 'observed'),
        hasAny(flags, ['bad_value:first_response_ms', 'order:first_response_ms']), 'bad_value',
        outcome = 'completed', 'not_applicable',
        outcome IN ('error', 'rate_limited', 'upstream_closed'), 'failed',
        outcome = '' AND ifNull(status, 0) >= 400, 'failed',
        outcome = '', 'outcome_unknown',
        end_at IS NULL, 'no_elapsed',
        end_at < start_us, 'bad_value',
        'censored') AS state,
    multiIf(
        has(flags, 'duplicate') OR ifNull(warmup, false) OR role != 'primary', '',
        outcome IN ('error', 'rate_limited', 'upstream_closed', 'timeout'), 'failed',
        outcome = '' AND ifNull(status, 0) >= 400, 'failed',
        outcome != '' OR status IS NOT NULL, 'served',
        '') AS fate,
    toFloat64(if(state = 'censored', end_at, metric_at) - start_us) AS value
FROM requests
WHERE created_at >= {from:DateTime64(3, 'UTC')} AND created_at < {to:DateTime64(3, 'UTC')}
  AND toStartOfHour(created_at) BETWEEN toStartOfHour({from:DateTime64(3, 'UTC')}) AND toStartOfHour({to:DateTime64(3, 'UTC')})
  AND (NOT (channel IN {f0:Array(String)}) AND ifNull(toString(stream), '') IN {f1:Array(String)})
  AND (1)
)
GROUP BY key, state, source, start_point, clock, fate
ORDER BY key, state, source, start_point, clock, fate
== latency.sql
SET param_f0 = '[\'ch-3\',\'o\\\'brien\']';
SET param_f1 = '[\'true\',\'\']';
SET param_from = '2026-11-02 03:00:00.000';
SET param_max_groups = '20';
SET param_step_ms = '60000';
SET param_to = '2026-11-02 04:00:00.000';
-- question: percentiles of a metric per time bucket and group, with the counts behind them
-- tables: as the rows' statement
-- cost: one pass over the rows (two where the question groups), exact quantiles per bucket and group
-- slots: rows (one of the rows_… files), quantiles (of the observed values), top (the groups that are shown)
-- columns: a bucket with censored rows has no quantiles here: those need latency_values.sql and Kaplan–Meier
WITH counted AS
(
    WITH several AS
(
    SELECT source, request_id
    FROM requests
    WHERE created_at >= {from:DateTime64(3, 'UTC')} - INTERVAL 1 DAY AND created_at < {to:DateTime64(3, 'UTC')} + INTERVAL 1 DAY
      AND toStartOfHour(created_at) BETWEEN toStartOfHour({from:DateTime64(3, 'UTC')} - INTERVAL 1 DAY) AND toStartOfHour({to:DateTime64(3, 'UTC')} + INTERVAL 1 DAY)
      AND (1) AND (1)
      AND request_id IN
      (
          SELECT request_id
          FROM requests
          WHERE created_at >= {from:DateTime64(3, 'UTC')} AND created_at < {to:DateTime64(3, 'UTC')}
            AND toStartOfHour(created_at) BETWEEN toStartOfHour({from:DateTime64(3, 'UTC')}) AND toStartOfHour({to:DateTime64(3, 'UTC')})
            AND outcome IN ('timeout', 'client_cancelled', 'superseded')
            AND first_response_us IS NULL AND upstream_done_us IS NULL AND total_handler_us IS NOT NULL
            AND (NOT (channel IN {f0:Array(String)}) AND ifNull(toString(stream), '') IN {f1:Array(String)})
            AND (1) AND (1)
      )
    GROUP BY source, request_id
    HAVING uniqExact(attempt, role) > 1
)
SELECT
    created_at, source, request_id, attempt, role, outcome, channel, provider, start_point, input_band, input_tokens, output_tokens,
    hedge_after_us, topic, epoch, partition, offset,
    [toString(model)] AS key,
    multiIf(
        upstream_start_us IS NOT NULL, 'dispatch',
        auth_us IS NOT NULL AND distribution_us IS NOT NULL AND body_read_us IS NOT NULL, 'estimated',
        'start') AS clock,
    toInt64(multiIf(
        clock = 'dispatch', ifNull(upstream_start_us, 0),
        clock = 'estimated', ifNull(auth_us + distribution_us + body_read_us, 0),
        0)) AS dispatched_us,
    0 AS start_us,
    toInt64(first_response_us) AS metric_at,
    toInt64(multiIf(
        upstream_done_us IS NOT NULL, upstream_done_us,
        total_handler_us IS NOT NULL AND (source, request_id) NOT IN several, total_handler_us,
        NULL)) AS end_at,
    multiIf(
        has(flags, 'duplicate'), 'duplicate',
        ifNull(warmup, false), 'warmup',
        role != 'primary', 'not_primary',
        0, 'stream_unknown',
        0, 'not_stream',
        ifNull(cache_hit, false), 'from_cache',
        has(flags, 'buffered_upstream'), 'buffered_upstream',
        has(flags, 'zero_timing'), 'zero_timing',
        has(flags, 'multi_attempt'), 'multi_attempt',
        metric_at IS NOT NULL, if(metric_at < start_us, 'bad_value', 'observed'),
        hasAny(flags, ['bad_value:first_response_ms', 'order:first_response_ms']), 'bad_value',
        outcome = 'completed', 'not_applicable',
        outcome IN ('error', 'rate_limited', 'upstream_closed'), 'failed',
        outcome = '' AND ifNull(status, 0) >= 400, 'failed',
        outcome = '', 'outcome_unknown',
        end_at IS NULL, 'no_elapsed',
        end_at < start_us, 'bad_value',
        'censored') AS state,
    multiIf(
        has(flags, 'duplicate') OR ifNull(warmup, false) OR role != 'primary', '',
        outcome IN ('error', 'rate_limited', 'upstream_closed', 'timeout'), 'failed',
        outcome = '' AND ifNull(status, 0) >= 400, 'failed',
        outcome != '' OR status IS NOT NULL, 'served',
        '') AS fate,
    toFloat64(if(state = 'censored', end_at, metric_at) - start_us) AS value
FROM requests
WHERE created_at >= {from:DateTime64(3, 'UTC')} AND created_at < {to:DateTime64(3, 'UTC')}
  AND toStartOfHour(created_at) BETWEEN toStartOfHour({from:DateTime64(3, 'UTC')}) AND toStartOfHour({to:DateTime64(3, 'UTC')})
  AND (NOT (channel IN {f0:Array(String)}) AND ifNull(toString(stream), '') IN {f1:Array(String)})
  AND (1)
)
SELECT
    intDiv(toUnixTimestamp64Milli(created_at) + 62135596800000, {step_ms:Int64}) * {step_ms:Int64} - 62135596800000 AS bucket_ms,
    key,
    countIf(state IN ('observed', 'censored')) AS n,
    countIf(state = 'censored') AS censored,
    countIf(fate = 'failed') AS failed,
    countIf(fate != '') AS fate_known,
    if(censored = 0 AND n > 0, quantilesExactInclusiveIf(0.5, 0.999)(ifNull(value, 0), state = 'observed'), []) AS quantiles
FROM counted
WHERE key IN (SELECT key
FROM
(
    WITH several AS
(
    SELECT source, request_id
    FROM requests
    WHERE created_at >= {from:DateTime64(3, 'UTC')} - INTERVAL 1 DAY AND created_at < {to:DateTime64(3, 'UTC')} + INTERVAL 1 DAY
      AND toStartOfHour(created_at) BETWEEN toStartOfHour({from:DateTime64(3, 'UTC')} - INTERVAL 1 DAY) AND toStartOfHour({to:DateTime64(3, 'UTC')} + INTERVAL 1 DAY)
      AND (1) AND (1)
      AND request_id IN
      (
          SELECT request_id
          FROM requests
          WHERE created_at >= {from:DateTime64(3, 'UTC')} AND created_at < {to:DateTime64(3, 'UTC')}
            AND toStartOfHour(created_at) BETWEEN toStartOfHour({from:DateTime64(3, 'UTC')}) AND toStartOfHour({to:DateTime64(3, 'UTC')})
            AND outcome IN ('timeout', 'client_cancelled', 'superseded')
            AND first_response_us IS NULL AND upstream_done_us IS NULL AND total_handler_us IS NOT NULL
            AND (NOT (channel IN {f0:Array(String)}) AND ifNull(toString(stream), '') IN {f1:Array(String)})
            AND (1) AND (1)
      )
    GROUP BY source, request_id
    HAVING uniqExact(attempt, role) > 1
)
SELECT
    created_at, source, request_id, attempt, role, outcome, channel, provider, start_point, input_band, input_tokens, output_tokens,
    hedge_after_us, topic, epoch, partition, offset,
    [toString(model)] AS key,
    multiIf(
        upstream_start_us IS NOT NULL, 'dispatch',
        auth_us IS NOT NULL AND distribution_us IS NOT NULL AND body_read_us IS NOT NULL, 'estimated',
        'start') AS clock,
    toInt64(multiIf(
        clock = 'dispatch', ifNull(upstream_start_us, 0),
        clock = 'estimated', ifNull(auth_us + distribution_us + body_read_us, 0),
        0)) AS dispatched_us,
    0 AS start_us,
    toInt64(first_response_us) AS metric_at,
    toInt64(multiIf(
        upstream_done_us IS NOT NULL, upstream_done_us,
        total_handler_us IS NOT NULL AND (source, request_id) NOT IN several, total_handler_us,
        NULL)) AS end_at,
    multiIf(
        has(flags, 'duplicate'), 'duplicate',
        ifNull(warmup, false), 'warmup',
        role != 'primary', 'not_primary',
        0, 'stream_unknown',
        0, 'not_stream',
        ifNull(cache_hit, false), 'from_cache',
        has(flags, 'buffered_upstream'), 'buffered_upstream',
        has(flags, 'zero_timing'), 'zero_timing',
        has(flags, 'multi_attempt'), 'multi_attempt',
        metric_at IS NOT NULL, if(metric_at < start_us, 'bad_value', 'observed'),
        hasAny(flags, ['bad_value:first_response_ms', 'order:first_response_ms']), 'bad_value',
        outcome = 'completed', 'not_applicable',
        outcome IN ('error', 'rate_limited', 'upstream_closed'), 'failed',
        outcome = '' AND ifNull(status, 0) >= 400, 'failed',
        outcome = '', 'outcome_unknown',
        end_at IS NULL, 'no_elapsed',
        end_at < start_us, 'bad_value',
        'censored') AS state,
    multiIf(
        has(flags, 'duplicate') OR ifNull(warmup, false) OR role != 'primary', '',
        outcome IN ('error', 'rate_limited', 'upstream_closed', 'timeout'), 'failed',
        outcome = '' AND ifNull(status, 0) >= 400, 'failed',
        outcome != '' OR status IS NOT NULL, 'served',
        '') AS fate,
    toFloat64(if(state = 'censored', end_at, metric_at) - start_us) AS value
FROM requests
WHERE created_at >= {from:DateTime64(3, 'UTC')} AND created_at < {to:DateTime64(3, 'UTC')}
  AND toStartOfHour(created_at) BETWEEN toStartOfHour({from:DateTime64(3, 'UTC')}) AND toStartOfHour({to:DateTime64(3, 'UTC')})
  AND (NOT (channel IN {f0:Array(String)}) AND ifNull(toString(stream), '') IN {f1:Array(String)})
  AND (1)
)
GROUP BY key
ORDER BY countIf(state IN ('observed', 'censored')) DESC, key
LIMIT {max_groups:UInt32})
GROUP BY bucket_ms, key
ORDER BY key, bucket_ms
