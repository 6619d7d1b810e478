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
    countIf(state IN ('observed', 'censored') AND has({bands:Array(String)}, input_band) AND ifNull(value, 0) /*<slow>*/ > /*</slow>*/ bound) AS slow,
    slow - 0.05 * judged AS excess,
    if(censored = 0 AND n > 0, quantilesExactInclusiveIf(0.5, 0.95, 0.99)(ifNull(value, 0), state = 'observed'), []) AS quantiles
FROM
(
    SELECT key, state, fate, value, input_band, transform(toString(input_band), {bands:Array(String)}, {bounds:Array(Float64)}, 0.) AS bound
    FROM
    (
        /*<rows>*/ SELECT [toString(channel)] AS key, 'observed' AS state, toFloat64(first_response_us) AS value, '' AS fate, input_band FROM requests WHERE first_response_us IS NOT NULL /*</rows>*/
    )
)
GROUP BY group
HAVING n + failed > 0
ORDER BY excess DESC, n DESC, group
LIMIT {limit:UInt32}
