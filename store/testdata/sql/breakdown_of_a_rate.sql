== baseline.sql
SET param_f0 = '[\'ch-3\',\'o\\\'brien\']';
SET param_f1 = '[\'true\',\'\']';
SET param_from = '2026-10-26 03:00:00.000';
SET param_to = '2026-10-26 04:00:00.000';
-- question: from which value on is a row slow, per input band?
-- tables: as the rows' statement, of the baseline's window
-- cost: one pass over the baseline's rows, one exact quantile a band
-- slots: rows (one of the rows_… files, keyed by input band), quantile (0.95, or 0.05 where small is slow)
-- columns: a band with censored rows has no quantile here: that needs waits.sql and Kaplan–Meier
SELECT
    key[1] AS band,
    countIf(state IN ('observed', 'censored')) AS n,
    countIf(state = 'censored') AS censored,
    if(censored = 0 AND n > 0, quantilesExactInclusiveIf(0.05)(ifNull(value, 0), state = 'observed'), []) AS quantiles
FROM
(
    SELECT
    created_at, source, start_point, input_band, input_tokens, output_tokens, topic, epoch, partition, offset,
    [toString(input_band)] AS key,
    '' AS clock,
    toFloat64(tps) AS metric_at,
    multiIf(
        has(flags, 'duplicate'), 'duplicate',
        ifNull(warmup, false), 'warmup',
        0, 'not_primary',
        isFinite(ifNull(metric_at, nan)), 'observed',
        hasAny(flags, ['bad_value:visible_output_tps', 'order:visible_output_tps']), 'bad_value',
        outcome IN ('error', 'rate_limited', 'upstream_closed', 'timeout'), 'failed',
        outcome = '' AND ifNull(status, 0) >= 400, 'failed',
        'not_recorded') AS state,
    multiIf(
        has(flags, 'duplicate') OR ifNull(warmup, false) OR role != 'primary', '',
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
GROUP BY band
HAVING n > 0
ORDER BY band
== baseline.sql
SET param_f0 = '[\'ch-3\',\'o\\\'brien\']';
SET param_f1 = '[\'true\',\'\']';
SET param_from = '2026-10-26 03:00:00.000';
SET param_to = '2026-11-02 03:00:00.000';
-- question: from which value on is a row slow, per input band?
-- tables: as the rows' statement, of the baseline's window
-- cost: one pass over the baseline's rows, one exact quantile a band
-- slots: rows (one of the rows_… files, keyed by input band), quantile (0.95, or 0.05 where small is slow)
-- columns: a band with censored rows has no quantile here: that needs waits.sql and Kaplan–Meier
SELECT
    key[1] AS band,
    countIf(state IN ('observed', 'censored')) AS n,
    countIf(state = 'censored') AS censored,
    if(censored = 0 AND n > 0, quantilesExactInclusiveIf(0.05)(ifNull(value, 0), state = 'observed'), []) AS quantiles
FROM
(
    SELECT
    created_at, source, start_point, input_band, input_tokens, output_tokens, topic, epoch, partition, offset,
    [toString(input_band)] AS key,
    '' AS clock,
    toFloat64(tps) AS metric_at,
    multiIf(
        has(flags, 'duplicate'), 'duplicate',
        ifNull(warmup, false), 'warmup',
        0, 'not_primary',
        isFinite(ifNull(metric_at, nan)), 'observed',
        hasAny(flags, ['bad_value:visible_output_tps', 'order:visible_output_tps']), 'bad_value',
        outcome IN ('error', 'rate_limited', 'upstream_closed', 'timeout'), 'failed',
        outcome = '' AND ifNull(status, 0) >= 400, 'failed',
        'not_recorded') AS state,
    multiIf(
        has(flags, 'duplicate') OR ifNull(warmup, false) OR role != 'primary', '',
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
GROUP BY band
HAVING n > 0
ORDER BY band
== breakdown.sql
SET param_bands = '[]';
SET param_bounds = '[]';
SET param_f0 = '[\'ch-3\',\'o\\\'brien\']';
SET param_f1 = '[\'true\',\'\']';
SET param_from = '2026-11-02 03:00:00.000';
SET param_limit = '20';
SET param_to = '2026-11-02 04:00:00.000';
-- question: which groups have more slow rows than the baseline lets expect?
-- tables: as the rows' statement
-- cost: one pass over the rows, exact quantiles per group
-- slots: rows (one of the rows_… files, keyed by the dimension), slow (the comparison with a band's bound)
-- columns: judged are rows of bands with a bound; groups with censored rows have no quantiles here
SELECT
    key[1] AS group,
    countIf(state IN ('observed', 'censored')) AS n,
    countIf(state = 'censored') AS censored,
    countIf(fate = 'failed') AS failed,
    countIf(fate != '') AS fate_known,
    countIf(state IN ('observed', 'censored') AND has({bands:Array(String)}, input_band)) AS judged,
    countIf(state IN ('observed', 'censored') AND has({bands:Array(String)}, input_band) AND ifNull(value, 0) < bound) AS slow,
    slow - 0.05 * judged AS excess,
    if(censored = 0 AND n > 0, quantilesExactInclusiveIf(0.5, 0.95, 0.99)(ifNull(value, 0), state = 'observed'), []) AS quantiles
FROM
(
    SELECT key, state, fate, value, input_band, transform(toString(input_band), {bands:Array(String)}, {bounds:Array(Float64)}, 0.) AS bound
    FROM
    (
        SELECT
    created_at, source, start_point, input_band, input_tokens, output_tokens, topic, epoch, partition, offset,
    [toString(ifNull(toString(stream), ''))] AS key,
    '' AS clock,
    toFloat64(tps) AS metric_at,
    multiIf(
        has(flags, 'duplicate'), 'duplicate',
        ifNull(warmup, false), 'warmup',
        0, 'not_primary',
        isFinite(ifNull(metric_at, nan)), 'observed',
        hasAny(flags, ['bad_value:visible_output_tps', 'order:visible_output_tps']), 'bad_value',
        outcome IN ('error', 'rate_limited', 'upstream_closed', 'timeout'), 'failed',
        outcome = '' AND ifNull(status, 0) >= 400, 'failed',
        'not_recorded') AS state,
    multiIf(
        has(flags, 'duplicate') OR ifNull(warmup, false) OR role != 'primary', '',
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
)
GROUP BY group
HAVING n + failed > 0
ORDER BY excess DESC, n DESC, group
LIMIT {limit:UInt32}
== cells.sql
SET param_bands = '[]';
SET param_bounds = '[]';
SET param_f0 = '[\'ch-3\',\'o\\\'brien\']';
SET param_f1 = '[\'true\',\'\']';
SET param_from = '2026-11-02 03:00:00.000';
SET param_limit = '20';
SET param_to = '2026-11-02 04:00:00.000';
-- question: which rows does an answer stand on: how many, in which state, of which source, start point, clock and fate?
-- tables: as the rows' statement
-- cost: one pass over the rows
-- slots: rows (one of the rows_… files)
SELECT cityHash64(key) AS id, key, state, source, start_point, clock, fate, count() AS n
FROM
(
    SELECT
    created_at, source, start_point, input_band, input_tokens, output_tokens, topic, epoch, partition, offset,
    [toString(ifNull(toString(stream), ''))] AS key,
    '' AS clock,
    toFloat64(tps) AS metric_at,
    multiIf(
        has(flags, 'duplicate'), 'duplicate',
        ifNull(warmup, false), 'warmup',
        0, 'not_primary',
        isFinite(ifNull(metric_at, nan)), 'observed',
        hasAny(flags, ['bad_value:visible_output_tps', 'order:visible_output_tps']), 'bad_value',
        outcome IN ('error', 'rate_limited', 'upstream_closed', 'timeout'), 'failed',
        outcome = '' AND ifNull(status, 0) >= 400, 'failed',
        'not_recorded') AS state,
    multiIf(
        has(flags, 'duplicate') OR ifNull(warmup, false) OR role != 'primary', '',
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
GROUP BY key, state, source, start_point, clock, fate
ORDER BY key, state, source, start_point, clock, fate
