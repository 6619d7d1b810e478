-- question: how far has a partition's log come?
-- tables: requests, rejects, losses
-- cost: the projections' few rows a part
SELECT epoch, max(last) AS last
FROM
(
    SELECT epoch, max(offset) AS last
    FROM /*<requests>*/ requests /*</requests>*/
    WHERE topic = {topic:String} AND partition = {partition:Int32}
    GROUP BY epoch
    UNION ALL
    SELECT epoch, max(offset) AS last
    FROM /*<rejects>*/ rejects /*</rejects>*/
    WHERE topic = {topic:String} AND partition = {partition:Int32}
    GROUP BY epoch
    UNION ALL
    SELECT epoch, max(last) AS last
    FROM /*<losses>*/ losses /*</losses>*/
    WHERE topic = {topic:String} AND partition = {partition:Int32}
    GROUP BY epoch
)
GROUP BY epoch
ORDER BY epoch DESC
LIMIT 1
