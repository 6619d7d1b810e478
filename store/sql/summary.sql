-- question: quantiles of a metric over a whole window, with the counts behind them
-- tables: as the rows' statement
-- cost: one pass over the rows, exact quantiles
-- slots: rows (one of the rows_… files), quantiles (of the observed values; none where some are censored), micros
-- columns: observed_at and censored_at are all values where some are censored, for Kaplan–Meier; else empty
SELECT
    countIf(state IN ('observed', 'censored')) AS n,
    countIf(state = 'censored') AS censored,
    if(censored = 0 AND n > 0, quantilesExactInclusiveIf(/*<quantiles>*/ 0.5, 0.95, 0.99 /*</quantiles>*/)(ifNull(value, 0), state = 'observed'), []) AS quantiles,
    if(censored > 0, groupArrayIf(toInt64(round(ifNull(value, 0) * /*<micros>*/ 1 /*</micros>*/)), state = 'observed'), []) AS observed_at,
    if(censored > 0, groupArrayIf(toInt64(round(ifNull(value, 0) * /*<micros>*/ 1 /*</micros>*/)), state = 'censored'), []) AS censored_at
FROM
(
    /*<rows>*/ SELECT 'observed' AS state, toFloat64(first_response_us) AS value FROM requests WHERE first_response_us IS NOT NULL /*</rows>*/
)
