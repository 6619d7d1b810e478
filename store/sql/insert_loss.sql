-- what: remembers a range of offsets that can never be read
INSERT INTO /*<table>*/ losses /*</table>*/ (topic, epoch, partition, first, last, cause, at)
SELECT {topic:String}, {epoch:UInt32}, {partition:Int32}, {first:Int64}, {last:Int64}, {cause:String}, {at:DateTime64(3, 'UTC')}
