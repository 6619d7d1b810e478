-- question: what did primary and backup of really hedged requests wait, each from its own dispatch?
-- rules: the primary is one that counts; its backup is the first that was sent and has a wait. How long the primary
--        had waited then comes from both dispatches where they were recorded, else from the delay in force; a request
--        with neither is left out
-- tables: as the rows' statement, twice
-- cost: the window's rows, and a join with those that had a backup
-- slots: rows (one of the rows_… files, only requests that had a backup), backups (the same for the backups)
SELECT p.id, p.at_ms, p.doubled, b.sent.4 AS backup_doubled,
    toInt64(if(p.clock = 'dispatch' AND b.sent.1 = 'dispatch', b.sent.2 - p.dispatched, toInt64(coalesce(b.sent.3, p.hedge_after, -1)))) AS after_us
FROM
(
    SELECT source, request_id, cityHash64(key) AS id, toUnixTimestamp64Milli(created_at) AS at_ms, clock, dispatched_us AS dispatched,
        hedge_after_us AS hedge_after, toInt64(ifNull(value, 0)) * 2 + (state = 'censored') AS doubled, partition, offset
    FROM
    (
        /*<rows>*/ SELECT source, request_id, [toString(model)] AS key, created_at, 'start' AS clock, 0 AS dispatched_us, hedge_after_us, 'observed' AS state, toFloat64(first_response_us) AS value, partition, offset FROM requests WHERE first_response_us IS NOT NULL AND role = 'primary' /*</rows>*/
    )
    WHERE state IN ('observed', 'censored')
) AS p
INNER JOIN
(
    SELECT source, request_id,
        argMin(tuple(clock, dispatched_us, hedge_after_us, toInt64(ifNull(value, 0)) * 2 + (state = 'censored')), tuple(dispatched_us, attempt, partition, offset)) AS sent
    FROM
    (
        /*<backups>*/ SELECT source, request_id, attempt, 'start' AS clock, 0 AS dispatched_us, hedge_after_us, 'observed' AS state, toFloat64(first_response_us) AS value, partition, offset FROM requests WHERE first_response_us IS NOT NULL AND role = 'backup' /*</backups>*/
    )
    WHERE state IN ('observed', 'censored')
    GROUP BY source, request_id
) AS b ON p.source = b.source AND p.request_id = b.request_id
WHERE after_us >= 0
ORDER BY p.id, p.at_ms, p.partition, p.offset, p.doubled
