-- question: how does each row count for a measure that an attempt either carries or not, and with what value?
-- rules: what was recorded is observed, whatever became of the attempt; nothing is censored
-- tables: requests
-- cost: the window's rows, flags and a few narrow columns
-- slots: as in rows_first_token.sql
SELECT
    created_at, source, start_point, input_band, input_tokens, output_tokens, topic, epoch, partition, offset,
    /*<key>*/ emptyArrayString() /*</key>*/ AS key,
    '' AS clock,
    toFloat64(/*<metric>*/ tps /*</metric>*/) AS metric_at,
    multiIf(
        has(flags, 'duplicate'), 'duplicate',
        /*<warmup>*/ ifNull(warmup, false) /*</warmup>*/, 'warmup',
        /*<role>*/ 0 /*</role>*/, 'not_primary',
        isFinite(ifNull(metric_at, nan)), 'observed',
        hasAny(flags, [/*<bad>*/ 'bad_value:visible_output_tps', 'order:visible_output_tps' /*</bad>*/]), 'bad_value',
        outcome IN ('error', 'rate_limited', 'upstream_closed', 'timeout'), 'failed',
        outcome = '' AND ifNull(status, 0) >= 400, 'failed',
        'not_recorded') AS state,
    multiIf(
        has(flags, 'duplicate') OR /*<warmup>*/ ifNull(warmup, false) /*</warmup>*/ OR /*<backups>*/ role != 'primary' /*</backups>*/, '',
        outcome IN ('error', 'rate_limited', 'upstream_closed', 'timeout'), 'failed',
        outcome = '' AND ifNull(status, 0) >= 400, 'failed',
        outcome != '' OR status IS NOT NULL, 'served',
        '') AS fate,
    metric_at AS value
FROM requests
WHERE created_at >= {from:DateTime64(3, 'UTC')} AND created_at < {to:DateTime64(3, 'UTC')}
  AND toStartOfHour(created_at) BETWEEN toStartOfHour({from:DateTime64(3, 'UTC')}) AND toStartOfHour({to:DateTime64(3, 'UTC')})
  AND (/*<filter>*/ 1 /*</filter>*/)
