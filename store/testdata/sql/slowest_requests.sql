== requests_slow.sql
SET param_after = '+inf';
SET param_epoch = '0';
SET param_f0 = '[\'ch-3\',\'o\\\'brien\']';
SET param_f1 = '[\'true\',\'\']';
SET param_from = '2026-11-02 03:00:00.000';
SET param_limit = '51';
SET param_offset = '0';
SET param_partition = '0';
SET param_to = '2026-11-02 04:00:00.000';
SET param_topic = '';
-- question: where do the slowest attempts by a metric stand, one page of them?
-- rules: what was recorded counts, whoever sent the attempt; what ended before it by the time that it was waited for
-- tables: as the rows' statement
-- cost: one pass over the rows
-- slots: rows (one of the rows_… files), sign (-1 where small is slow)
-- parameters: as in requests.sql
SELECT
    topic, epoch, partition, offset, created_at,
    metric_at IS NULL AS unfinished,
    coalesce(toFloat64(metric_at), value, nan) * -1 AS sorted_by
FROM
(
    SELECT
    created_at, source, start_point, input_band, input_tokens, output_tokens, topic, epoch, partition, offset,
    emptyArrayString() AS key,
    '' AS clock,
    toFloat64(tps) AS metric_at,
    multiIf(
        has(flags, 'duplicate'), 'duplicate',
        0, 'warmup',
        0, 'not_primary',
        isFinite(ifNull(metric_at, nan)), 'observed',
        hasAny(flags, ['bad_value:visible_output_tps', 'order:visible_output_tps']), 'bad_value',
        outcome IN ('error', 'rate_limited', 'upstream_closed', 'timeout'), 'failed',
        outcome = '' AND ifNull(status, 0) >= 400, 'failed',
        'not_recorded') AS state,
    multiIf(
        has(flags, 'duplicate') OR 0 OR role != 'primary', '',
        outcome IN ('error', 'rate_limited', 'upstream_closed', 'timeout'), 'failed',
        outcome = '' AND ifNull(status, 0) >= 400, 'failed',
        outcome != '' OR status IS NOT NULL, 'served',
        '') AS fate,
    metric_at AS value
FROM requests
WHERE created_at >= {from:DateTime64(3, 'UTC')} AND created_at < {to:DateTime64(3, 'UTC')}
  AND toStartOfHour(created_at) BETWEEN toStartOfHour({from:DateTime64(3, 'UTC')}) AND toStartOfHour({to:DateTime64(3, 'UTC')})
  AND (NOT (channel IN {f0:Array(String)}) AND ifNull(toString(stream), '') IN {f1:Array(String)})
)
WHERE state != 'duplicate' AND (isFinite(ifNull(toFloat64(metric_at), nan)) OR state = 'censored')
  AND (sorted_by < {after:Float64} OR sorted_by = {after:Float64} AND (topic, epoch, partition, offset) > ({topic:String}, {epoch:UInt32}, {partition:Int32}, {offset:Int64}))
ORDER BY sorted_by DESC, topic, epoch, partition, offset
LIMIT {limit:UInt32}
== requests_slow_count.sql
SET param_after = '+inf';
SET param_epoch = '0';
SET param_f0 = '[\'ch-3\',\'o\\\'brien\']';
SET param_f1 = '[\'true\',\'\']';
SET param_from = '2026-11-02 03:00:00.000';
SET param_limit = '51';
SET param_offset = '0';
SET param_partition = '0';
SET param_to = '2026-11-02 04:00:00.000';
SET param_topic = '';
-- question: how many attempts does requests_slow.sql list, how many of them unfinished, and why not the others?
-- tables: as the rows' statement
-- cost: one pass over the rows
-- slots: rows (one of the rows_… files)
SELECT
    source, start_point,
    state != 'duplicate' AND (isFinite(ifNull(toFloat64(metric_at), nan)) OR state = 'censored') AS listed,
    metric_at IS NULL AS unfinished,
    if(listed, '', toString(state)) AS reason,
    count() AS n
FROM
(
    SELECT
    created_at, source, start_point, input_band, input_tokens, output_tokens, topic, epoch, partition, offset,
    emptyArrayString() AS key,
    '' AS clock,
    toFloat64(tps) AS metric_at,
    multiIf(
        has(flags, 'duplicate'), 'duplicate',
        0, 'warmup',
        0, 'not_primary',
        isFinite(ifNull(metric_at, nan)), 'observed',
        hasAny(flags, ['bad_value:visible_output_tps', 'order:visible_output_tps']), 'bad_value',
        outcome IN ('error', 'rate_limited', 'upstream_closed', 'timeout'), 'failed',
        outcome = '' AND ifNull(status, 0) >= 400, 'failed',
        'not_recorded') AS state,
    multiIf(
        has(flags, 'duplicate') OR 0 OR role != 'primary', '',
        outcome IN ('error', 'rate_limited', 'upstream_closed', 'timeout'), 'failed',
        outcome = '' AND ifNull(status, 0) >= 400, 'failed',
        outcome != '' OR status IS NOT NULL, 'served',
        '') AS fate,
    metric_at AS value
FROM requests
WHERE created_at >= {from:DateTime64(3, 'UTC')} AND created_at < {to:DateTime64(3, 'UTC')}
  AND toStartOfHour(created_at) BETWEEN toStartOfHour({from:DateTime64(3, 'UTC')}) AND toStartOfHour({to:DateTime64(3, 'UTC')})
  AND (NOT (channel IN {f0:Array(String)}) AND ifNull(toString(stream), '') IN {f1:Array(String)})
)
GROUP BY source, start_point, listed, unfinished, reason
ORDER BY source, start_point, listed, unfinished, reason
