-- question: how much of each partition of a topic is stored?
-- tables: requests, rejects
-- cost: the projections' few rows a part
SELECT epoch, partition, sum(rows) AS rows, sum(rejected) AS rejected, min(low) AS first, max(high) AS last
FROM
(
    SELECT epoch, partition, count() AS rows, toUInt64(0) AS rejected, min(offset) AS low, max(offset) AS high
    FROM requests
    WHERE topic = {topic:String}
    GROUP BY epoch, partition
    UNION ALL
    SELECT epoch, partition, toUInt64(0) AS rows, count() AS rejected, min(offset) AS low, max(offset) AS high
    FROM rejects
    WHERE topic = {topic:String}
    GROUP BY epoch, partition
)
GROUP BY epoch, partition
ORDER BY epoch, partition
