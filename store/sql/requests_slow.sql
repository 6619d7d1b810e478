-- question: where do the slowest attempts by a metric stand, one page of them?
-- rules: what was recorded counts, whoever sent the attempt; what ended before it by the time that it was waited for
-- tables: as the rows' statement
-- cost: one pass over the rows
-- slots: rows (one of the rows_… files), sign (-1 where small is slow)
-- parameters: as in requests.sql
SELECT
    topic, epoch, partition, offset, created_at,
    metric_at IS NULL AS unfinished,
    coalesce(toFloat64(metric_at), value, nan) * /*<sign>*/ 1 /*</sign>*/ AS sorted_by
FROM
(
    /*<rows>*/ SELECT 'observed' AS state, first_response_us AS metric_at, toFloat64(first_response_us) AS value, created_at, source, start_point, topic, epoch, partition, offset FROM requests /*</rows>*/
)
WHERE state != 'duplicate' AND (isFinite(ifNull(toFloat64(metric_at), nan)) OR state = 'censored')
  AND (sorted_by < {after:Float64} OR sorted_by = {after:Float64} AND (topic, epoch, partition, offset) > ({topic:String}, {epoch:UInt32}, {partition:Int32}, {offset:Int64}))
ORDER BY sorted_by DESC, topic, epoch, partition, offset
LIMIT {limit:UInt32}
