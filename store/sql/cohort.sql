-- question: which share of a cohort has a value at or below one of its members?
-- tables: as the rows' statement
-- cost: one day of one model and route
-- slots: rows (one of the rows_… files)
-- columns: 1 - S(v) with S the product of (1 - events / at risk) over event times up to v (Kaplan–Meier; events
--          before censorings at ties); without censored rows it is the plain share
SELECT
    any(total) AS n,
    1 - exp(sumIf(log(1 - events / at_risk), value <= {value:Float64} AND events > 0)) AS share
FROM
(
    SELECT
        value, events,
        sum(rows_here) OVER (ORDER BY value ASC ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS at_risk,
        sum(rows_here) OVER () AS total
    FROM
    (
        SELECT value, countIf(state = 'observed') AS events, count() AS rows_here
        FROM
        (
            /*<rows>*/ SELECT 'observed' AS state, toFloat64(first_response_us) AS value FROM requests WHERE first_response_us IS NOT NULL /*</rows>*/
        )
        WHERE state IN ('observed', 'censored')
        GROUP BY value
    )
)
