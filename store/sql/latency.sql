-- question: percentiles of a metric per time bucket and group, with the counts behind them
-- tables: as the rows' statement
-- cost: one pass over the rows (two where the question groups), exact quantiles per bucket and group
-- slots: rows (one of the rows_… files), quantiles (of the observed values), top (the groups that are shown)
-- columns: a bucket with censored rows has no quantiles here: those need latency_values.sql and Kaplan–Meier
WITH counted AS
(
    /*<rows>*/ SELECT created_at, emptyArrayString() AS key, 'observed' AS state, toFloat64(first_response_us) AS value, '' AS fate FROM requests WHERE first_response_us IS NOT NULL /*</rows>*/
)
SELECT
    intDiv(toUnixTimestamp64Milli(created_at) + 62135596800000, {step_ms:Int64}) * {step_ms:Int64} - 62135596800000 AS bucket_ms,
    key,
    countIf(state IN ('observed', 'censored')) AS n,
    countIf(state = 'censored') AS censored,
    countIf(fate = 'failed') AS failed,
    countIf(fate != '') AS fate_known,
    if(censored = 0 AND n > 0, quantilesExactInclusiveIf(/*<quantiles>*/ 0.5, 0.9, 0.99 /*</quantiles>*/)(ifNull(value, 0), state = 'observed'), []) AS quantiles
FROM counted
WHERE /*<top>*/ 1 /*</top>*/
GROUP BY bucket_ms, key
ORDER BY key, bucket_ms
