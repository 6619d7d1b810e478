-- question: which attempts stand at these places of the logs?
-- tables: requests
-- cost: the granules between the times whose offsets touch those asked for
-- slots: columns
-- parameters: topics, epochs, partitions and offsets are the places, one entry each; low and high are their times' bounds
SELECT
    /*<columns>*/ created_at, model /*</columns>*/
FROM requests
WHERE created_at >= {low:DateTime64(3, 'UTC')} AND created_at <= {high:DateTime64(3, 'UTC')}
  AND toStartOfHour(created_at) BETWEEN toStartOfHour({low:DateTime64(3, 'UTC')}) AND toStartOfHour({high:DateTime64(3, 'UTC')})
  AND offset IN {offsets:Array(Int64)}
  AND has(arrayZip({topics:Array(String)}, {epochs:Array(UInt32)}, {partitions:Array(Int32)}, {offsets:Array(Int64)}), (toString(topic), epoch, partition, offset))
