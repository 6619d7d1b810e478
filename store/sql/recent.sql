-- question: which rows of a range of a partition's log arrived last?
-- tables: requests
-- cost: twice the granules whose offsets touch the range; a minmax index skips the others
-- parameters: within_ms is how long before the newest of the range a row may have arrived; 0 for any
SELECT offset, source, request_id, attempt, role, created_at
FROM /*<table>*/ requests /*</table>*/
WHERE topic = {topic:String} AND epoch = {epoch:UInt32} AND partition = {partition:Int32}
  AND offset BETWEEN {first:Int64} AND {last:Int64}
  AND ({within_ms:Int64} = 0 OR inserted_at >=
  (
      SELECT max(inserted_at) - toIntervalMillisecond({within_ms:Int64})
      FROM /*<table>*/ requests /*</table>*/
      WHERE topic = {topic:String} AND epoch = {epoch:UInt32} AND partition = {partition:Int32}
        AND offset BETWEEN {first:Int64} AND {last:Int64}
  ))
ORDER BY offset DESC
LIMIT {limit:UInt64}
