-- question: on which channels do the primaries of each key run, the busiest first?
-- tables: requests
-- cost: the window's rows, a few narrow columns
-- slots: key, filter and horizon as in rows_first_token.sql
SELECT cityHash64(/*<key>*/ emptyArrayString() /*</key>*/) AS id, toString(channel) AS channel, count() AS n
FROM requests
WHERE created_at >= {from:DateTime64(3, 'UTC')} AND created_at < {to:DateTime64(3, 'UTC')}
  AND toStartOfHour(created_at) BETWEEN toStartOfHour({from:DateTime64(3, 'UTC')}) AND toStartOfHour({to:DateTime64(3, 'UTC')})
  AND role = 'primary' AND channel != ''
  AND (/*<filter>*/ 1 /*</filter>*/)
  AND (/*<horizon>*/ 1 /*</horizon>*/)
GROUP BY id, channel
ORDER BY id, n DESC, channel
LIMIT 8 BY id
