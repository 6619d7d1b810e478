-- question: which offsets of a range stand more than once among the rows and the rejects?
-- tables: requests, rejects
-- cost: the granules whose offsets touch the range, and a hash of the offsets
SELECT offset
FROM
(
    SELECT offset
    FROM requests
    WHERE topic = {topic:String} AND epoch = {epoch:UInt32} AND partition = {partition:Int32} AND offset BETWEEN {first:Int64} AND {last:Int64}
    UNION ALL
    SELECT offset
    FROM rejects
    WHERE topic = {topic:String} AND epoch = {epoch:UInt32} AND partition = {partition:Int32} AND offset BETWEEN {first:Int64} AND {last:Int64}
)
GROUP BY offset
HAVING count() > 1
ORDER BY offset
