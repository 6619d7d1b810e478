-- question: which ranges of offsets were lost in a window?
-- tables: losses
-- cost: a handful of rows
SELECT topic, epoch, partition, first, last, argMin(cause, at) AS cause, min(at) AS since
FROM losses
GROUP BY topic, epoch, partition, first, last
HAVING since >= {from:DateTime64(3, 'UTC')} AND since < {to:DateTime64(3, 'UTC')}
ORDER BY topic, epoch, partition, first, last
LIMIT 1000
