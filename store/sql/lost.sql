-- question: which ranges of a topic's offsets were recorded as lost?
-- tables: losses
-- cost: a handful of rows
SELECT epoch, partition, first, last
FROM losses
WHERE topic = {topic:String}
GROUP BY epoch, partition, first, last
ORDER BY epoch, partition, first, last
