-- question: how many messages were refused, and why?
-- tables: rejects
-- cost: two narrow columns of the window's rejects
-- slots: filter (the question's conditions on source)
SELECT source, reason, count() AS n
FROM rejects
WHERE received_at >= {from:DateTime64(3, 'UTC')} AND received_at < {to:DateTime64(3, 'UTC')}
  AND (/*<filter>*/ 1 /*</filter>*/)
GROUP BY source, reason
ORDER BY source, reason
