-- question: all values of the buckets that have censored rows, for Kaplan–Meier
-- tables: as the rows' statement
-- cost: one pass over the rows (two where the question groups); the values of those buckets over the wire
-- slots: as in latency.sql
WITH counted AS
(
    /*<rows>*/ SELECT created_at, emptyArrayString() AS key, 'observed' AS state, toFloat64(first_response_us) AS value FROM requests WHERE first_response_us IS NOT NULL /*</rows>*/
)
SELECT
    intDiv(toUnixTimestamp64Milli(created_at) + 62135596800000, {step_ms:Int64}) * {step_ms:Int64} - 62135596800000 AS bucket_ms,
    key,
    groupArrayIf(toInt64(round(ifNull(value, 0) * /*<micros>*/ 1 /*</micros>*/)), state = 'observed') AS observed,
    groupArrayIf(toInt64(round(ifNull(value, 0) * /*<micros>*/ 1 /*</micros>*/)), state = 'censored') AS censored
FROM counted
WHERE state IN ('observed', 'censored') AND (/*<top>*/ 1 /*</top>*/)
GROUP BY bucket_ms, key
HAVING notEmpty(censored)
ORDER BY key, bucket_ms
