-- question: which backups were sent in a window, and how did each end?
-- rules: one sent twice counts once, and so do the flags that leave primaries out of waits
-- tables: as the rows' statement
-- cost: the window's backups
-- slots: rows (one of the rows_… files, backups only)
SELECT cityHash64(source, request_id) AS request, clock = 'dispatch' AS recorded, toInt64(dispatched_us) AS dispatched,
    toInt64(ifNull(hedge_after_us, -1)) AS hedge_after, state, toInt64(ifNull(value, 0)) AS micros,
    toInt64(ifNull(input_tokens, -1)) AS input, toInt64(ifNull(output_tokens, -1)) AS output
FROM
(
    /*<rows>*/ SELECT source, request_id, attempt, 'start' AS clock, toInt64(0) AS dispatched_us, hedge_after_us, 'observed' AS state, toFloat64(first_response_us) AS value, input_tokens, output_tokens, partition, offset FROM requests WHERE role = 'backup' /*</rows>*/
)
WHERE state NOT IN ('duplicate', 'warmup')
ORDER BY request, dispatched, attempt, partition, offset
