-- question: how does each row count for a first-token metric, and with what value?
-- rules: those of schema.FirstTokenWait, in its order; a test compares the two on random records
-- columns: fate says what became of the request, whatever the metric: failed, served, or empty where it is not known
--          or not counted; a time-out failed, and is censored all the same: these are two questions
-- tables: requests, once more for unfinished rows whose own end was not recorded
-- cost: the window's rows, flags and a dozen narrow columns
-- slots: key (dimensions of the group), metric, start (0, or dispatched_us for hedge waits), the rules that a
--        question lifts by selecting that dimension itself, filter (the question's conditions), horizon (rows that
--        were stored when an answer was made that is made again), several (0 where no row needs to know whether its
--        request had other attempts: two passes less)
WITH several AS
(
    SELECT source, request_id
    FROM requests
    WHERE created_at >= {from:DateTime64(3, 'UTC')} - INTERVAL 1 DAY AND created_at < {to:DateTime64(3, 'UTC')} + INTERVAL 1 DAY
      AND toStartOfHour(created_at) BETWEEN toStartOfHour({from:DateTime64(3, 'UTC')} - INTERVAL 1 DAY) AND toStartOfHour({to:DateTime64(3, 'UTC')} + INTERVAL 1 DAY)
      AND (/*<horizon>*/ 1 /*</horizon>*/) AND (/*<several>*/ 1 /*</several>*/)
      AND request_id IN
      (
          SELECT request_id
          FROM requests
          WHERE created_at >= {from:DateTime64(3, 'UTC')} AND created_at < {to:DateTime64(3, 'UTC')}
            AND toStartOfHour(created_at) BETWEEN toStartOfHour({from:DateTime64(3, 'UTC')}) AND toStartOfHour({to:DateTime64(3, 'UTC')})
            AND outcome IN ('timeout', 'client_cancelled', 'superseded')
            AND /*<metric>*/ first_response_us /*</metric>*/ IS NULL AND upstream_done_us IS NULL AND total_handler_us IS NOT NULL
            AND (/*<filter>*/ 1 /*</filter>*/)
            AND (/*<horizon>*/ 1 /*</horizon>*/) AND (/*<several>*/ 1 /*</several>*/)
      )
    GROUP BY source, request_id
    HAVING uniqExact(attempt, role) > 1
)
SELECT
    created_at, source, request_id, attempt, role, outcome, channel, provider, start_point, input_band, input_tokens, output_tokens,
    hedge_after_us, topic, epoch, partition, offset,
    /*<key>*/ emptyArrayString() /*</key>*/ AS key,
    multiIf(
        upstream_start_us IS NOT NULL, 'dispatch',
        auth_us IS NOT NULL AND distribution_us IS NOT NULL AND body_read_us IS NOT NULL, 'estimated',
        'start') AS clock,
    toInt64(multiIf(
        clock = 'dispatch', ifNull(upstream_start_us, 0),
        clock = 'estimated', ifNull(auth_us + distribution_us + body_read_us, 0),
        0)) AS dispatched_us,
    /*<start>*/ 0 /*</start>*/ AS start_us,
    toInt64(/*<metric>*/ first_response_us /*</metric>*/) AS metric_at,
    toInt64(multiIf(
        upstream_done_us IS NOT NULL, upstream_done_us,
        total_handler_us IS NOT NULL AND (source, request_id) NOT IN several, total_handler_us,
        NULL)) AS end_at,
    multiIf(
        has(flags, 'duplicate'), 'duplicate',
        /*<warmup>*/ ifNull(warmup, false) /*</warmup>*/, 'warmup',
        /*<role>*/ role != 'primary' /*</role>*/, 'not_primary',
        /*<stream_unknown>*/ stream IS NULL /*</stream_unknown>*/, 'stream_unknown',
        /*<not_stream>*/ NOT ifNull(stream, true) /*</not_stream>*/, 'not_stream',
        /*<from_cache>*/ ifNull(cache_hit, false) /*</from_cache>*/, 'from_cache',
        has(flags, 'buffered_upstream'), 'buffered_upstream',
        has(flags, 'zero_timing'), 'zero_timing',
        has(flags, 'multi_attempt'), 'multi_attempt',
        metric_at IS NOT NULL, if(metric_at < start_us, 'bad_value', 'observed'),
        hasAny(flags, [/*<bad>*/ 'bad_value:first_response_ms', 'order:first_response_ms' /*</bad>*/]), 'bad_value',
        outcome = 'completed', 'not_applicable',
        outcome IN ('error', 'rate_limited', 'upstream_closed'), 'failed',
        outcome = '' AND ifNull(status, 0) >= 400, 'failed',
        outcome = '', 'outcome_unknown',
        end_at IS NULL, 'no_elapsed',
        end_at < start_us, 'bad_value',
        'censored') AS state,
    multiIf(
        has(flags, 'duplicate') OR /*<warmup>*/ ifNull(warmup, false) /*</warmup>*/ OR /*<backups>*/ role != 'primary' /*</backups>*/, '',
        outcome IN ('error', 'rate_limited', 'upstream_closed', 'timeout'), 'failed',
        outcome = '' AND ifNull(status, 0) >= 400, 'failed',
        outcome != '' OR status IS NOT NULL, 'served',
        '') AS fate,
    toFloat64(if(state = 'censored', end_at, metric_at) - start_us) AS value
FROM requests
WHERE created_at >= {from:DateTime64(3, 'UTC')} AND created_at < {to:DateTime64(3, 'UTC')}
  AND toStartOfHour(created_at) BETWEEN toStartOfHour({from:DateTime64(3, 'UTC')}) AND toStartOfHour({to:DateTime64(3, 'UTC')})
  AND (/*<filter>*/ 1 /*</filter>*/)
  AND (/*<horizon>*/ 1 /*</horizon>*/)
