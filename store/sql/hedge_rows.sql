-- question: the first-token waits of some keys, one key after another, each in order of arrival
-- tables: as the rows' statement
-- cost: one pass over the rows, a sort, and 33 bytes a row over the wire
-- slots: rows (one of the rows_… files)
-- columns: doubled is twice the wait in microseconds, plus 1 where it is censored; marks is the number of the
--          input band, plus 16 where the provider bills cancelled answers in full and 32 where it does not
SELECT id, at_ms, doubled, input, output, marks
FROM
(
    SELECT
        cityHash64(key) AS id,
        toUnixTimestamp64Milli(created_at) AS at_ms,
        toInt64(ifNull(value, 0)) * 2 + (state = 'censored') AS doubled,
        toInt32(ifNull(input_tokens, -1)) AS input,
        toInt32(ifNull(output_tokens, -1)) AS output,
        toUInt8(indexOf({bands:Array(String)}, input_band) + multiIf(has({full:Array(String)}, provider), 16, has({part:Array(String)}, provider), 32, 0)) AS marks,
        partition, offset
    FROM
    (
        /*<rows>*/ SELECT [toString(model)] AS key, 'observed' AS state, toFloat64(first_response_us) AS value, created_at, partition, offset, input_tokens, output_tokens, input_band, provider FROM requests WHERE first_response_us IS NOT NULL /*</rows>*/
    )
    WHERE state IN ('observed', 'censored') AND has({ids:Array(UInt64)}, id)
)
ORDER BY id, at_ms, partition, offset, doubled
