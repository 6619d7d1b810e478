-- question: which rows of a range of a partition's log are its newest?
-- tables: requests
-- cost: the granules whose offsets touch the range, whole hours of all keys; a minmax index skips the others
-- parameters: since is the earliest arrival of interest
SELECT offset, source, request_id, attempt, role, created_at, inserted_at
FROM /*<table>*/ requests /*</table>*/
WHERE topic = {topic:String} AND epoch = {epoch:UInt32} AND partition = {partition:Int32}
  AND offset BETWEEN {first:Int64} AND {last:Int64}
  AND inserted_at >= {since:DateTime64(3, 'UTC')}
ORDER BY offset DESC
LIMIT {limit:UInt64}
