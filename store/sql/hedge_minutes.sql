-- question: what did requests of one minute wait on the two busiest channels of a key?
-- rules: of each minute the first request of either channel; of a long window every thin-th minute
-- tables: as the rows' statement
-- cost: one pass over the rows
-- slots: rows (one of the rows_… files)
SELECT id, minute * 60000 AS at_ms,
    argMinIf(wait, tuple(created_at, partition, offset, wait), channel = one) AS doubled,
    argMinIf(wait, tuple(created_at, partition, offset, wait), channel = two) AS backup_doubled,
    toInt64(0) AS after_us
FROM
(
    SELECT cityHash64(key) AS id, toInt64(intDiv(toUnixTimestamp64Milli(created_at), 60000)) AS minute, toString(channel) AS channel,
        transform(id, {ids:Array(UInt64)}, {ones:Array(String)}, '') AS one, transform(id, {ids:Array(UInt64)}, {twos:Array(String)}, '') AS two,
        toInt64(ifNull(value, 0)) * 2 + (state = 'censored') AS wait, created_at, partition, offset
    FROM
    (
        /*<rows>*/ SELECT [toString(model)] AS key, channel, 'observed' AS state, toFloat64(first_response_us) AS value, created_at, partition, offset FROM requests WHERE first_response_us IS NOT NULL /*</rows>*/
    )
    WHERE state IN ('observed', 'censored') AND has({ids:Array(UInt64)}, id) AND minute % {thin:Int64} = 0
)
GROUP BY id, minute
HAVING countIf(channel = one) > 0 AND countIf(channel = two) > 0
ORDER BY id, minute
