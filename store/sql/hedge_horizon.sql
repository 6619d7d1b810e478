-- question: when was the newest row of a window stored, are there backups, and do unfinished rows need to know
--           whether their request had other attempts?
-- tables: requests
-- cost: six narrow columns of the window's rows; it saves two passes of each statement after it where the answer is no
-- slots: metric as in rows_first_token.sql
SELECT max(inserted_at), countIf(role = 'backup'),
    countIf(outcome IN ('timeout', 'client_cancelled', 'superseded') AND /*<metric>*/ first_response_us /*</metric>*/ IS NULL AND upstream_done_us IS NULL AND total_handler_us IS NOT NULL)
FROM requests
WHERE created_at >= {from:DateTime64(3, 'UTC')} AND created_at < {to:DateTime64(3, 'UTC')}
  AND toStartOfHour(created_at) BETWEEN toStartOfHour({from:DateTime64(3, 'UTC')}) AND toStartOfHour({to:DateTime64(3, 'UTC')})
