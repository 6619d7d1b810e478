-- question: what was changed in the hedge policy, in order?
-- tables: policy_changes
-- cost: the whole table: what people did by hand
SELECT change_id, at, kind, key, enabled, hedge_after_us, q, budget, who, why, until
FROM policy_changes
WHERE at >= {from:DateTime64(3, 'UTC')} AND at < {to:DateTime64(3, 'UTC')}
ORDER BY at, change_id
LIMIT 1 BY change_id
