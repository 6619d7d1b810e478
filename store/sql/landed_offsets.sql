-- question: which offsets of a range are already among the rows or the rejects?
-- tables: requests, rejects
-- cost: the granules whose offsets touch the range; a minmax index skips the others
SELECT offset
FROM /*<requests>*/ requests /*</requests>*/
WHERE topic = {topic:String} AND epoch = {epoch:UInt32} AND partition = {partition:Int32}
  AND offset BETWEEN {first:Int64} AND {last:Int64}
UNION ALL
SELECT offset
FROM /*<rejects>*/ rejects /*</rejects>*/
WHERE topic = {topic:String} AND epoch = {epoch:UInt32} AND partition = {partition:Int32}
  AND offset BETWEEN {first:Int64} AND {last:Int64}
