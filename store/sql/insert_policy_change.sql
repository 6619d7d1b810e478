-- what: keeps one change of the hedge policy
INSERT INTO policy_changes (change_id, at, kind, key, enabled, hedge_after_us, q, budget, who, why, until)
SELECT {id:String}, {at:DateTime64(3, 'UTC')}, {kind:String}, {key:String}, {enabled:Bool}, {hedge_after:Nullable(UInt64)}, {q:Nullable(Float64)},
    {budget:Nullable(Float64)}, {who:String}, {why:String}, {until:DateTime64(3, 'UTC')}
