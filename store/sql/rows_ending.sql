-- question: how does each row count for the end of an attempt or request, and with what value?
-- rules: only completed rows have an end of their own; time-outs, gone clients and superseded attempts ended too
--        early, so that they are censored there; errors are left out as failed, however fast
-- tables: requests, once more for unfinished rows whose own end was not recorded
-- cost: the window's rows, flags and a few narrow columns
-- slots: as in rows_first_token.sql; own is the end of a row that was cut off
-- columns: every time is made Int64 by itself: mixed with one of another sign, a missing one would become 0
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
            AND upstream_done_us IS NULL AND total_handler_us IS NOT NULL
            AND (/*<filter>*/ 1 /*</filter>*/)
      )
    GROUP BY source, request_id
    HAVING uniqExact(attempt, role) > 1
)
SELECT
    created_at, source, start_point, input_band, input_tokens, output_tokens, topic, epoch, partition, offset,
    /*<key>*/ emptyArrayString() /*</key>*/ AS key,
    '' AS clock,
    toInt64(/*<metric>*/ upstream_done_us /*</metric>*/) AS metric_at,
    toInt64(upstream_done_us) AS done_at,
    toInt64(if((source, request_id) NOT IN several, total_handler_us, NULL)) AS handler_at,
    /*<own>*/ coalesce(done_at, handler_at) /*</own>*/ AS end_at,
    multiIf(
        has(flags, 'duplicate'), 'duplicate',
        /*<warmup>*/ ifNull(warmup, false) /*</warmup>*/, 'warmup',
        /*<role>*/ role != 'primary' /*</role>*/, 'not_primary',
        has(flags, 'zero_timing'), 'zero_timing',
        /*<multi_attempt>*/ has(flags, 'multi_attempt') /*</multi_attempt>*/, 'multi_attempt',
        outcome IN ('error', 'rate_limited', 'upstream_closed'), 'failed',
        outcome = '' AND ifNull(status, 0) >= 400, 'failed',
        outcome = '' AND status IS NULL, 'outcome_unknown',
        outcome IN ('timeout', 'client_cancelled', 'superseded'), if(end_at IS NULL, 'no_elapsed', 'censored'),
        metric_at IS NOT NULL, 'observed',
        hasAny(flags, [/*<bad>*/ 'bad_value:upstream_done_ms', 'order:upstream_done_ms' /*</bad>*/]), 'bad_value',
        'not_recorded') AS state,
    multiIf(
        has(flags, 'duplicate') OR /*<warmup>*/ ifNull(warmup, false) /*</warmup>*/ OR /*<backups>*/ role != 'primary' /*</backups>*/, '',
        outcome IN ('error', 'rate_limited', 'upstream_closed', 'timeout'), 'failed',
        outcome = '' AND ifNull(status, 0) >= 400, 'failed',
        outcome != '' OR status IS NOT NULL, 'served',
        '') AS fate,
    toFloat64(if(state = 'censored', end_at, metric_at)) AS value
FROM requests
WHERE created_at >= {from:DateTime64(3, 'UTC')} AND created_at < {to:DateTime64(3, 'UTC')}
  AND toStartOfHour(created_at) BETWEEN toStartOfHour({from:DateTime64(3, 'UTC')}) AND toStartOfHour({to:DateTime64(3, 'UTC')})
  AND (/*<filter>*/ 1 /*</filter>*/)
