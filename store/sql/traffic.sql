-- question: how many requests came in a window, and what share of them failed?
-- tables: requests
-- cost: the window's rows, six narrow columns
-- slots: filter (the question's conditions), warmup and backups as in the rows_… files
-- columns: primaries count once a request; judged are those of which it is known whether they failed
SELECT
    countIf(role = 'primary' AND NOT has(flags, 'duplicate')) AS primaries,
    countIf(fate != '') AS judged,
    countIf(fate = 'failed') AS failed
FROM
(
    SELECT
        role, flags,
        multiIf(
            has(flags, 'duplicate') OR /*<warmup>*/ ifNull(warmup, false) /*</warmup>*/ OR /*<backups>*/ role != 'primary' /*</backups>*/, '',
            outcome IN ('error', 'rate_limited', 'upstream_closed', 'timeout'), 'failed',
            outcome = '' AND ifNull(status, 0) >= 400, 'failed',
            outcome != '' OR status IS NOT NULL, 'served',
            '') AS fate
    FROM requests
    WHERE created_at >= {from:DateTime64(3, 'UTC')} AND created_at < {to:DateTime64(3, 'UTC')}
      AND toStartOfHour(created_at) BETWEEN toStartOfHour({from:DateTime64(3, 'UTC')}) AND toStartOfHour({to:DateTime64(3, 'UTC')})
      AND (/*<filter>*/ 1 /*</filter>*/)
)
