-- question: which requests were there, one key after another, and which delay was in force for each?
-- tables: as the rows' statement
-- cost: one pass over the rows, a sort, and 57 bytes a row over the wire
-- slots: rows (one of the rows_… files)
-- columns: request tells requests apart; doubled as in hedge_rows.sql; hedge_after is −1 where none was recorded,
--          marks is 1 where the primary was superseded, plus 2 where its dispatch was recorded
SELECT id, request, at_ms, doubled, hedge_after, dispatched, input, output, marks
FROM
(
    SELECT
        cityHash64(key) AS id,
        cityHash64(source, request_id) AS request,
        toUnixTimestamp64Milli(created_at) AS at_ms,
        toInt64(ifNull(value, 0)) * 2 + (state = 'censored') AS doubled,
        toInt64(ifNull(hedge_after_us, -1)) AS hedge_after,
        toInt64(dispatched_us) AS dispatched,
        toInt32(ifNull(input_tokens, -1)) AS input,
        toInt32(ifNull(output_tokens, -1)) AS output,
        toUInt8((outcome = 'superseded') + 2 * (clock = 'dispatch')) AS marks,
        partition, offset
    FROM
    (
        /*<rows>*/ SELECT [toString(model)] AS key, source, request_id, 'observed' AS state, toFloat64(first_response_us) AS value, created_at, hedge_after_us, toInt64(0) AS dispatched_us, input_tokens, output_tokens, outcome, 'start' AS clock, partition, offset FROM requests WHERE first_response_us IS NOT NULL /*</rows>*/
    )
    WHERE state IN ('observed', 'censored') AND has({ids:Array(UInt64)}, id)
)
ORDER BY id, at_ms, partition, offset, doubled
