-- what: hedge advice with what it was made from, so that anyone can make it again byte for byte; only ever added to
-- slots: table, cluster and engine differ on a cluster, where all shards share one list
CREATE TABLE IF NOT EXISTS /*<table>*/ advice /*</table>*/ /*<cluster>*/ /*</cluster>*/
(
    advice_id   String,
    made_at     DateTime64(3, 'UTC'),
    made_by     LowCardinality(String),
    key         String COMMENT 'the dimensions as a query string, sorted',
    window_from DateTime64(3, 'UTC'),
    window_to   DateTime64(3, 'UTC'),
    horizon     DateTime64(3, 'UTC') COMMENT 'inserted_at of the newest row taken',
    n           UInt64,
    version     LowCardinality(String) COMMENT 'of the rules',
    question    String COMMENT 'parameters of hedge/recommendation',
    settings    String CODEC(ZSTD(1)),
    answer      String CODEC(ZSTD(1)),
    fingerprint String COMMENT 'SHA-256 of the waits, history and pairs'
)
ENGINE = /*<engine>*/ MergeTree /*</engine>*/
ORDER BY (key, window_to, advice_id, made_at)
SETTINGS non_replicated_deduplication_window = 10000
