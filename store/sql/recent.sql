-- question: which rows of a partition's log came last before an offset?
-- tables: requests
-- cost: the granules of the days since then; a minmax index on offset does not help a limit
SELECT offset, source, request_id, attempt, role, created_at
FROM /*<table>*/ requests /*</table>*/
WHERE topic = {topic:String} AND epoch = {epoch:UInt32} AND partition = {partition:Int32}
  AND offset < {before:Int64} AND created_at >= {since:DateTime64(3, 'UTC')}
ORDER BY offset DESC
LIMIT {limit:UInt64}
