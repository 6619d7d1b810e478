== waits.sql
SET param_f0 = '[\'ch-3\',\'o\\\'brien\']';
SET param_f1 = '[\'true\',\'\']';
SET param_from = '2026-11-02 03:00:00.000';
SET param_to = '2026-11-02 04:00:00.000';
-- question: all values of a metric that count, in order of arrival
-- tables: as the rows' statement
-- cost: one pass over the rows, a sort, and 40 bytes a row over the wire
-- slots: rows (one of the rows_… files)
-- columns: doubled is twice the value in micro-units, plus 1 where it is censored
SELECT
    cityHash64(key) AS id,
    toUnixTimestamp64Milli(created_at) AS at_ms,
    toInt64(round(value * 1)) * 2 + (state = 'censored') AS doubled,
    toInt64(ifNull(input_tokens, -1)) AS input_tokens,
    toInt64(ifNull(output_tokens, -1)) AS output_tokens
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
            AND first_text_delta_us IS NULL AND upstream_done_us IS NULL AND total_handler_us IS NOT NULL
            AND (NOT (channel IN {f0:Array(String)}) AND ifNull(toString(stream), '') IN {f1:Array(String)})
            AND (1) AND (1)
      )
    GROUP BY source, request_id
    HAVING uniqExact(attempt, role) > 1
)
SELECT
    created_at, source, request_id, attempt, role, outcome, channel, provider, start_point, input_band, input_tokens, output_tokens,
    hedge_after_us, topic, epoch, partition, offset,
    [toString(model), toString(route)] AS key,
    multiIf(
        upstream_start_us IS NOT NULL, 'dispatch',
        auth_us IS NOT NULL AND distribution_us IS NOT NULL AND body_read_us IS NOT NULL, 'estimated',
        'start') AS clock,
    toInt64(multiIf(
        clock = 'dispatch', ifNull(upstream_start_us, 0),
        clock = 'estimated', ifNull(auth_us + distribution_us + body_read_us, 0),
        0)) AS dispatched_us,
    dispatched_us AS start_us,
    toInt64(first_text_delta_us) AS metric_at,
    toInt64(multiIf(
        upstream_done_us IS NOT NULL, upstream_done_us,
        total_handler_us IS NOT NULL AND (source, request_id) NOT IN several, total_handler_us,
        NULL)) AS end_at,
    multiIf(
        has(flags, 'duplicate'), 'duplicate',
        ifNull(warmup, false), 'warmup',
        role != 'primary', 'not_primary',
        stream IS NULL, 'stream_unknown',
        NOT ifNull(stream, true), 'not_stream',
        ifNull(cache_hit, false), 'from_cache',
        has(flags, 'buffered_upstream'), 'buffered_upstream',
        has(flags, 'zero_timing'), 'zero_timing',
        has(flags, 'multi_attempt'), 'multi_attempt',
        metric_at IS NOT NULL, if(metric_at < start_us, 'bad_value', 'observed'),
        hasAny(flags, ['bad_value:first_text_delta_ms', 'order:first_text_delta_ms']), 'bad_value',
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
WHERE state IN ('observed', 'censored')
ORDER BY created_at, offset
== cells.sql
SET param_f0 = '[\'ch-3\',\'o\\\'brien\']';
SET param_f1 = '[\'true\',\'\']';
SET param_from = '2026-11-02 03:00:00.000';
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
            AND first_text_delta_us IS NULL AND upstream_done_us IS NULL AND total_handler_us IS NOT NULL
            AND (NOT (channel IN {f0:Array(String)}) AND ifNull(toString(stream), '') IN {f1:Array(String)})
            AND (1) AND (1)
      )
    GROUP BY source, request_id
    HAVING uniqExact(attempt, role) > 1
)
SELECT
    created_at, source, request_id, attempt, role, outcome, channel, provider, start_point, input_band, input_tokens, output_tokens,
    hedge_after_us, topic, epoch, partition, offset,
    [toString(model), toString(route)] AS key,
    multiIf(
        upstream_start_us IS NOT NULL, 'dispatch',
        auth_us IS NOT NULL AND distribution_us IS NOT NULL AND body_read_us IS NOT NULL, 'estimated',
        'start') AS clock,
    toInt64(multiIf(
        clock = 'dispatch', ifNull(upstream_start_us, 0),
        clock = 'estimated', ifNull(auth_us + distribution_us + body_read_us, 0),
        0)) AS dispatched_us,
    dispatched_us AS start_us,
    toInt64(first_text_delta_us) AS metric_at,
    toInt64(multiIf(
        upstream_done_us IS NOT NULL, upstream_done_us,
        total_handler_us IS NOT NULL AND (source, request_id) NOT IN several, total_handler_us,
        NULL)) AS end_at,
    multiIf(
        has(flags, 'duplicate'), 'duplicate',
        ifNull(warmup, false), 'warmup',
        role != 'primary', 'not_primary',
        stream IS NULL, 'stream_unknown',
        NOT ifNull(stream, true), 'not_stream',
        ifNull(cache_hit, false), 'from_cache',
        has(flags, 'buffered_upstream'), 'buffered_upstream',
        has(flags, 'zero_timing'), 'zero_timing',
        has(flags, 'multi_attempt'), 'multi_attempt',
        metric_at IS NOT NULL, if(metric_at < start_us, 'bad_value', 'observed'),
        hasAny(flags, ['bad_value:first_text_delta_ms', 'order:first_text_delta_ms']), 'bad_value',
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
