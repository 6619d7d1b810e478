-- question: the first-token waits of some keys, one key after another, each in order of arrival
-- tables: as the rows' statement
-- cost: one pass over the rows, a sort, and 33 bytes a row over the wire
-- slots: rows (one of the rows_… files)
-- columns: doubled is twice the wait in microseconds, plus 1 where it is censored; marks is 1 where the
--          provider is known to bill cancelled answers in full, 2 where it is known not to
SELECT id, at_ms, doubled, input, output, marks
FROM
(
    SELECT
        cityHash64(key) AS id,
        toUnixTimestamp64Milli(created_at) AS at_ms,
        toInt64(ifNull(value, 0)) * 2 + (state = 'censored') AS doubled,
        toInt32(ifNull(input_tokens, -1)) AS input,
        toInt32(ifNull(output_tokens, -1)) AS output,
        toUInt8(multiIf(has({full:Array(String)}, provider), 1, has({part:Array(String)}, provider), 2, 0)) AS marks,
        partition, offset
    FROM
    (
        /*<rows>*/ SELECT [toString(model)] AS key, 'observed' AS state, toFloat64(first_response_us) AS value, created_at, partition, offset, input_tokens, output_tokens, provider FROM requests WHERE first_response_us IS NOT NULL /*</rows>*/
    )
    WHERE state IN ('observed', 'censored') AND has({ids:Array(UInt64)}, id)
)
ORDER BY id, at_ms, partition, offset, doubled
