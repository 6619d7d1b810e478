-- question: one page of attempts, newest first
-- tables: requests
-- cost: the times of the window's rows, and all columns of the page
-- slots: columns, filter (the question's conditions)
-- parameters: after and the place in the log are the last row of the page before; inf for the first page
SELECT
    /*<columns>*/ created_at, model, topic, epoch, partition, offset /*</columns>*/,
    toFloat64(toUnixTimestamp64Milli(created_at)) AS sorted_by
FROM requests
WHERE created_at >= {from:DateTime64(3, 'UTC')} AND created_at < {to:DateTime64(3, 'UTC')}
  AND toStartOfHour(created_at) BETWEEN toStartOfHour({from:DateTime64(3, 'UTC')}) AND toStartOfHour({to:DateTime64(3, 'UTC')})
  AND (/*<filter>*/ 1 /*</filter>*/)
  AND NOT has(flags, 'duplicate')
  AND (sorted_by < {after:Float64} OR sorted_by = {after:Float64} AND (topic, epoch, partition, offset) > ({topic:String}, {epoch:UInt32}, {partition:Int32}, {offset:Int64}))
ORDER BY sorted_by DESC, topic, epoch, partition, offset
LIMIT {limit:UInt32}
