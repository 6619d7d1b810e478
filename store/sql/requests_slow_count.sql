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
    /*<rows>*/ SELECT 'observed' AS state, first_response_us AS metric_at, toFloat64(first_response_us) AS value, created_at, source, start_point, topic, epoch, partition, offset FROM requests /*</rows>*/
)
GROUP BY source, start_point, listed, unfinished, reason
ORDER BY source, start_point, listed, unfinished, reason
