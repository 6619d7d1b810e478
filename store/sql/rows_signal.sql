-- question: how does each row count for a first sign of life (headers, first event), and with what value?
-- rules: as for first tokens; in addition a milestone that is missing though a later one came was not recorded,
--        and a client's own log says nothing about upstream headers
-- tables: requests, once more for unfinished rows whose own end was not recorded
-- cost: the window's rows, flags and a dozen narrow columns
-- slots: as in rows_first_token.sql; start is what an unfinished row's time is measured from (NULL: not known)
WITH several AS
(
    SELECT source, request_id
    FROM requests
    WHERE created_at >= {from:DateTime64(3, 'UTC')} - INTERVAL 1 DAY AND created_at < {to:DateTime64(3, 'UTC')} + INTERVAL 1 DAY
      AND toStartOfHour(created_at) BETWEEN toStartOfHour({from:DateTime64(3, 'UTC')} - INTERVAL 1 DAY) AND toStartOfHour({to:DateTime64(3, 'UTC')} + INTERVAL 1 DAY)
      AND request_id IN
      (
          SELECT request_id
          FROM requests
          WHERE created_at >= {from:DateTime64(3, 'UTC')} AND created_at < {to:DateTime64(3, 'UTC')}
            AND toStartOfHour(created_at) BETWEEN toStartOfHour({from:DateTime64(3, 'UTC')}) AND toStartOfHour({to:DateTime64(3, 'UTC')})
            AND outcome IN ('timeout', 'client_cancelled', 'superseded')
            AND (/*<metric>*/ upstream_headers_us /*</metric>*/) IS NULL AND upstream_done_us IS NULL AND total_handler_us IS NOT NULL
            AND (/*<filter>*/ 1 /*</filter>*/)
      )
    GROUP BY source, request_id
    HAVING uniqExact(attempt, role) > 1
)
SELECT
    created_at, source, start_point, input_band, input_tokens, output_tokens, topic, epoch, partition, offset,
    /*<key>*/ emptyArrayString() /*</key>*/ AS key,
    '' AS clock,
    toInt64(/*<start>*/ dispatch_us /*</start>*/) AS start_us,
    toInt64(/*<metric>*/ upstream_headers_us /*</metric>*/) AS metric_at,
    toInt64(multiIf(
        upstream_done_us IS NOT NULL, upstream_done_us,
        total_handler_us IS NOT NULL AND (source, request_id) NOT IN several, total_handler_us,
        NULL)) - start_us AS elapsed,
    multiIf(
        has(flags, 'duplicate'), 'duplicate',
        /*<warmup>*/ ifNull(warmup, false) /*</warmup>*/, 'warmup',
        /*<role>*/ 0 /*</role>*/, 'not_primary',
        /*<stream_unknown>*/ 0 /*</stream_unknown>*/, 'stream_unknown',
        /*<not_stream>*/ 0 /*</not_stream>*/, 'not_stream',
        /*<from_cache>*/ ifNull(cache_hit, false) /*</from_cache>*/, 'from_cache',
        /*<buffered>*/ 0 /*</buffered>*/, 'buffered_upstream',
        has(flags, 'zero_timing'), 'zero_timing',
        /*<multi_attempt>*/ 0 /*</multi_attempt>*/, 'multi_attempt',
        metric_at IS NOT NULL, 'observed',
        hasAny(flags, [/*<bad>*/ 'bad_value:upstream_headers_ms', 'order:upstream_headers_ms' /*</bad>*/]), 'bad_value',
        outcome = 'completed', 'not_recorded',
        outcome IN ('error', 'rate_limited', 'upstream_closed'), 'failed',
        outcome = '' AND ifNull(status, 0) >= 400, 'failed',
        outcome = '', 'outcome_unknown',
        first_response_us IS NOT NULL OR first_text_delta_us IS NOT NULL OR ifNull(stream_events, 0) > 0, 'not_recorded',
        /*<unseen>*/ start_point = 'client' OR first_sse_event_us IS NOT NULL /*</unseen>*/, 'not_recorded',
        elapsed IS NULL, 'no_elapsed',
        elapsed < 0, 'bad_value',
        'censored') AS state,
    multiIf(
        has(flags, 'duplicate') OR /*<warmup>*/ ifNull(warmup, false) /*</warmup>*/ OR /*<backups>*/ role != 'primary' /*</backups>*/, '',
        outcome IN ('error', 'rate_limited', 'upstream_closed', 'timeout'), 'failed',
        outcome = '' AND ifNull(status, 0) >= 400, 'failed',
        outcome != '' OR status IS NOT NULL, 'served',
        '') AS fate,
    toFloat64(if(state = 'censored', elapsed, metric_at)) AS value
FROM requests
WHERE created_at >= {from:DateTime64(3, 'UTC')} AND created_at < {to:DateTime64(3, 'UTC')}
  AND toStartOfHour(created_at) BETWEEN toStartOfHour({from:DateTime64(3, 'UTC')}) AND toStartOfHour({to:DateTime64(3, 'UTC')})
  AND (/*<filter>*/ 1 /*</filter>*/)
