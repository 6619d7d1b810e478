-- question: all values of some groups, for Kaplan–Meier
-- tables: as the rows' statement
-- cost: one pass over the rows; the values of the groups over the wire
-- slots: rows (one of the rows_… files, keyed by one dimension)
SELECT
    key[1] AS group,
    groupArrayIf(toInt64(round(ifNull(value, 0) * /*<micros>*/ 1 /*</micros>*/)), state = 'observed') AS observed,
    groupArrayIf(toInt64(round(ifNull(value, 0) * /*<micros>*/ 1 /*</micros>*/)), state = 'censored') AS censored
FROM
(
    /*<rows>*/ SELECT [toString(channel)] AS key, 'observed' AS state, toFloat64(first_response_us) AS value FROM requests WHERE first_response_us IS NOT NULL /*</rows>*/
)
WHERE state IN ('observed', 'censored') AND has({groups:Array(String)}, group)
GROUP BY group
