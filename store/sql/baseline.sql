-- question: from which value on is a row slow, per input band?
-- tables: as the rows' statement, of the baseline's window
-- cost: one pass over the baseline's rows, one exact quantile a band
-- slots: rows (one of the rows_… files, keyed by input band), quantile (0.95, or 0.05 where small is slow)
-- columns: a band with censored rows has no quantile here: that needs waits.sql and Kaplan–Meier
SELECT
    key[1] AS band,
    countIf(state IN ('observed', 'censored')) AS n,
    countIf(state = 'censored') AS censored,
    if(censored = 0 AND n > 0, quantilesExactInclusiveIf(/*<quantile>*/ 0.95 /*</quantile>*/)(ifNull(value, 0), state = 'observed'), []) AS quantiles
FROM
(
    /*<rows>*/ SELECT [toString(input_band)] AS key, 'observed' AS state, toFloat64(first_response_us) AS value FROM requests WHERE first_response_us IS NOT NULL /*</rows>*/
)
GROUP BY band
HAVING n > 0
ORDER BY band
