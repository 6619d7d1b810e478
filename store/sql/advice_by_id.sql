-- question: which advice has one of these ids? Of doubles the first.
-- tables: advice
-- cost: the whole table, which grows by a row a key and window
SELECT advice_id, made_at, made_by, key, window_from, window_to, horizon, n, version, question, settings, answer, fingerprint
FROM advice
WHERE advice_id IN {advice:Array(String)}
ORDER BY advice_id, made_at
LIMIT 1 BY advice_id
