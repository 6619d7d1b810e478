-- question: which rows does an answer stand on: how many, in which state, of which source, start point, clock and fate?
-- tables: as the rows' statement
-- cost: one pass over the rows
-- slots: rows (one of the rows_… files)
SELECT cityHash64(key) AS id, key, state, source, start_point, clock, fate, count() AS n
FROM
(
    /*<rows>*/ SELECT [toString(model)] AS key, 'observed' AS state, source, start_point, '' AS clock, '' AS fate FROM requests /*</rows>*/
)
GROUP BY key, state, source, start_point, clock, fate
ORDER BY key, state, source, start_point, clock, fate
