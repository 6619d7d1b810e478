-- question: what is the newest advice of each key, of windows that ended before an instant?
-- tables: advice
-- cost: the whole table, which grows by a row a key and window
SELECT advice_id, made_at, made_by, key, window_from, window_to, horizon, n, version, question, settings, answer, fingerprint
FROM advice
WHERE window_to <= {to:DateTime64(3, 'UTC')} AND made_at >= {since:DateTime64(3, 'UTC')}
ORDER BY key, window_to DESC, made_at DESC, advice_id
LIMIT 1 BY key
