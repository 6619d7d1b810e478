-- question: how many entries and how many different offsets are in each run of 65,536 offsets of a topic?
-- tables: requests, rejects
-- cost: four narrow columns of the granules whose offsets touch first to last, and a bitmap of 8 KiB a run
-- parameters: partitions, epochs, lows and highs name the compared range of each partition; runs are cut there
SELECT epoch, partition,
    epoch = transform(partition, {partitions:Array(Int32)}, {epochs:Array(Int64)}, toInt64(-1))
        AND offset BETWEEN transform(partition, {partitions:Array(Int32)}, {lows:Array(Int64)}, toInt64(0))
            AND transform(partition, {partitions:Array(Int32)}, {highs:Array(Int64)}, toInt64(-1)) AS compared,
    bitShiftRight(offset, 16) AS run,
    min(offset) AS low, max(offset) AS high,
    countIf(is_row) AS rows, countIf(NOT is_row) AS rejected, toUInt64(groupBitmap(toUInt32(bitAnd(offset, 65535)))) AS different
FROM
(
    SELECT epoch, partition, offset, true AS is_row
    FROM requests
    WHERE topic = {topic:String} AND offset BETWEEN {first:Int64} AND {last:Int64}
    UNION ALL
    SELECT epoch, partition, offset, false AS is_row
    FROM rejects
    WHERE topic = {topic:String} AND offset BETWEEN {first:Int64} AND {last:Int64}
)
GROUP BY epoch, partition, compared, run
ORDER BY epoch, partition, low
