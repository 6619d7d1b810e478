-- what: where each refused message was and why; never what was in it
-- slots: table, cluster and engine differ on a cluster; days is the retention at creation, migrate changes it later
CREATE TABLE IF NOT EXISTS /*<table>*/ rejects /*</table>*/ /*<cluster>*/ /*</cluster>*/
(
    topic       LowCardinality(String) CODEC(ZSTD(1)),
    epoch       UInt32 CODEC(T64, ZSTD(1)),
    partition   Int32 CODEC(T64, ZSTD(1)),
    offset      Int64 CODEC(Delta, ZSTD(1)),
    source      LowCardinality(String) CODEC(ZSTD(1)),
    reason      LowCardinality(String) CODEC(ZSTD(1)),
    bytes       UInt64 CODEC(T64, ZSTD(1)),
    received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    inserted_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC') CODEC(Delta, ZSTD(1)),

    PROJECTION progress
    (
        SELECT topic, epoch, partition, min(offset), max(offset), count()
        GROUP BY topic, epoch, partition
    )
)
ENGINE = /*<engine>*/ MergeTree /*</engine>*/
PARTITION BY toDate(received_at)
ORDER BY (topic, epoch, partition, offset)
TTL toDateTime(received_at) + toIntervalDay(/*<days>*/ 90 /*</days>*/)
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1
