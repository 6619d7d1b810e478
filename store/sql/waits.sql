-- question: all values of a metric that count, in order of arrival
-- tables: as the rows' statement
-- cost: one pass over the rows, a sort, and 40 bytes a row over the wire
-- slots: rows (one of the rows_… files)
-- columns: doubled is twice the value in micro-units, plus 1 where it is censored
SELECT
    cityHash64(key) AS id,
    toUnixTimestamp64Milli(created_at) AS at_ms,
    toInt64(round(value * /*<micros>*/ 1 /*</micros>*/)) * 2 + (state = 'censored') AS doubled,
    toInt64(ifNull(input_tokens, -1)) AS input_tokens,
    toInt64(ifNull(output_tokens, -1)) AS output_tokens
FROM
(
    /*<rows>*/ SELECT [toString(model)] AS key, 'observed' AS state, toFloat64(first_response_us) AS value, created_at, offset, input_tokens, output_tokens FROM requests WHERE first_response_us IS NOT NULL /*</rows>*/
)
WHERE state IN ('observed', 'censored')
ORDER BY created_at, offset
