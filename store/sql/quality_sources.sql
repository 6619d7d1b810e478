-- question: what arrived from each source, and which share of it carries each field?
-- tables: requests
-- cost: every column of the window's rows
-- slots: carried (one count per field), filter (the question's conditions)
-- columns: duplicates are part of rows; carried counts rows that are none
SELECT
    source,
    count() AS rows,
    countIf(has(flags, 'duplicate')) AS duplicates,
    max(created_at) AS newest,
    [/*<carried>*/ countIf(model != '' AND NOT has(flags, 'duplicate')) /*</carried>*/] AS carried
FROM requests
WHERE created_at >= {from:DateTime64(3, 'UTC')} AND created_at < {to:DateTime64(3, 'UTC')}
  AND toStartOfHour(created_at) BETWEEN toStartOfHour({from:DateTime64(3, 'UTC')}) AND toStartOfHour({to:DateTime64(3, 'UTC')})
  AND (/*<filter>*/ 1 /*</filter>*/)
GROUP BY source
ORDER BY source
