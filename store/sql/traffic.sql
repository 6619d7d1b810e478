-- question: how many requests came in a window, and what share of them failed?
-- tables: requests
-- cost: the window's rows, four narrow columns
-- slots: filter (the question's conditions)
-- columns: primaries count once a request; judged are those of which it is known whether they failed
SELECT
    countIf(counted) AS primaries,
    countIf(counted AND (outcome != '' OR status IS NOT NULL)) AS judged,
    countIf(counted AND (outcome IN ('error', 'rate_limited', 'upstream_closed', 'timeout') OR outcome = '' AND ifNull(status, 0) >= 400)) AS failed
FROM
(
    SELECT role = 'primary' AND NOT has(flags, 'duplicate') AS counted, outcome, status
    FROM requests
    WHERE created_at >= {from:DateTime64(3, 'UTC')} AND created_at < {to:DateTime64(3, 'UTC')}
      AND toStartOfHour(created_at) BETWEEN toStartOfHour({from:DateTime64(3, 'UTC')}) AND toStartOfHour({to:DateTime64(3, 'UTC')})
      AND (/*<filter>*/ 1 /*</filter>*/)
)
