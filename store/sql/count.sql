-- question: how many rows are in scope, of which sources and start points, and how many of them are duplicates?
-- tables: requests
-- cost: the flags and two narrow columns of the window's rows
-- slots: filter (the question's conditions)
SELECT source, start_point, countIf(NOT has(flags, 'duplicate')) AS n, countIf(has(flags, 'duplicate')) AS duplicates
FROM requests
WHERE created_at >= {from:DateTime64(3, 'UTC')} AND created_at < {to:DateTime64(3, 'UTC')}
  AND toStartOfHour(created_at) BETWEEN toStartOfHour({from:DateTime64(3, 'UTC')}) AND toStartOfHour({to:DateTime64(3, 'UTC')})
  AND (/*<filter>*/ 1 /*</filter>*/)
GROUP BY source, start_point
ORDER BY source, start_point
