-- question: when was each gateway last heard?
-- tables: requests
-- cost: three narrow columns of a week's rows
-- slots: filter (the question's conditions)
-- columns: rows are those of the window; a gateway that fell silent before it is here with none
SELECT gateway, source, max(created_at) AS newest, countIf(created_at >= {from:DateTime64(3, 'UTC')} AND NOT has(flags, 'duplicate')) AS rows
FROM requests
WHERE created_at >= least({from:DateTime64(3, 'UTC')}, {to:DateTime64(3, 'UTC')} - INTERVAL 7 DAY) AND created_at < {to:DateTime64(3, 'UTC')}
  AND (/*<filter>*/ 1 /*</filter>*/)
GROUP BY gateway, source
ORDER BY gateway, source
