-- what: keeps pieces of advice
INSERT INTO advice (advice_id, made_at, made_by, key, window_from, window_to, horizon, n, version, question, settings, answer, fingerprint)
