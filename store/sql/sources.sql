-- question: which sources do the rows come from?
-- tables: requests
-- cost: one narrow column of the window's rows
-- slots: filter (the question's conditions)
SELECT source, count() AS n
FROM requests
WHERE created_at >= {from:DateTime64(3, 'UTC')} AND created_at < {to:DateTime64(3, 'UTC')}
  AND toStartOfHour(created_at) BETWEEN toStartOfHour({from:DateTime64(3, 'UTC')}) AND toStartOfHour({to:DateTime64(3, 'UTC')})
  AND (/*<filter>*/ 1 /*</filter>*/)
GROUP BY source
ORDER BY n DESC, source
