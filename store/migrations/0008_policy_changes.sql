-- what: what people changed in the hedge policy: overrides of keys and the switch for all; only ever added to
-- slots: table, cluster and engine differ on a cluster, where all shards share one list
CREATE TABLE IF NOT EXISTS /*<table>*/ policy_changes /*</table>*/ /*<cluster>*/ /*</cluster>*/
(
    change_id      String,
    at             DateTime64(3, 'UTC'),
    kind           LowCardinality(String) COMMENT 'override, remove, off or on',
    key            String COMMENT 'as in advice; empty for off and on',
    enabled        Bool,
    hedge_after_us Nullable(UInt64),
    q              Nullable(Float64),
    budget         Nullable(Float64),
    who            LowCardinality(String) COMMENT 'configured name of the token',
    why            String,
    until          DateTime64(3, 'UTC')
)
ENGINE = /*<engine>*/ MergeTree /*</engine>*/
ORDER BY (at, change_id)
SETTINGS non_replicated_deduplication_window = 10000
