-- question: which groups have the most rows? (a condition of latency.sql and latency_values.sql)
-- tables: the rows of the statement around it
-- cost: one pass over the rows
-- slots: rows (one of the rows_… files)
SELECT key
FROM
(
    /*<rows>*/ SELECT emptyArrayString() AS key, 'observed' AS state FROM requests /*</rows>*/
)
GROUP BY key
ORDER BY countIf(state IN ('observed', 'censored')) DESC, key
LIMIT {max_groups:UInt32}
