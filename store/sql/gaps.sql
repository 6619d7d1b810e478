-- question: which offsets of a range are neither among the rows nor the rejects?
-- tables: requests, rejects
-- cost: the granules whose offsets touch the range, and a sort of the offsets
-- columns: each gap, both ends included
SELECT previous + 1 AS first, offset - 1 AS last
FROM
(
    SELECT offset, lagInFrame(offset, 1, {first:Int64} - 1) OVER (ORDER BY offset ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS previous
    FROM
    (
        SELECT DISTINCT offset
        FROM
        (
            SELECT offset
            FROM requests
            WHERE topic = {topic:String} AND epoch = {epoch:UInt32} AND partition = {partition:Int32} AND offset BETWEEN {first:Int64} AND {last:Int64}
            UNION ALL
            SELECT offset
            FROM rejects
            WHERE topic = {topic:String} AND epoch = {epoch:UInt32} AND partition = {partition:Int32} AND offset BETWEEN {first:Int64} AND {last:Int64}
            UNION ALL
            SELECT {last:Int64} + 1
        )
    )
)
WHERE offset - previous > 1
ORDER BY first
