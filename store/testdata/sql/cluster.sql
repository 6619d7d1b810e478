== create_database.sql
-- what: the database itself; the connection that sends this has none
CREATE DATABASE IF NOT EXISTS headway ON CLUSTER fleet
== schema_migrations.sql
-- what: which migrations were applied, with the checksum of their files
-- slots: table, cluster and engine differ on a cluster
CREATE TABLE IF NOT EXISTS schema_migrations ON CLUSTER fleet
(
    version    UInt32,
    name       String,
    checksum   FixedString(64),
    applied_at DateTime64(3, 'UTC')
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{database}/schema_migrations', '{shard}-{replica}')
ORDER BY version
== 0001_requests.sql
-- what: one row an attempt; see docs/adr/0002-requests-table.md for order, codecs and indexes
-- slots: table, cluster and engine differ on a cluster; days is the retention at creation, migrate changes it later
CREATE TABLE IF NOT EXISTS requests_local ON CLUSTER fleet
(
    created_at          DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    request_id          String CODEC(ZSTD(1)),
    trace_id            String CODEC(ZSTD(1)),
    attempt             UInt16 CODEC(T64, ZSTD(1)),
    model               LowCardinality(String) CODEC(ZSTD(1)),
    route               LowCardinality(String) CODEC(ZSTD(1)),
    channel             LowCardinality(String) CODEC(ZSTD(1)),
    provider            LowCardinality(String) CODEC(ZSTD(1)),
    region              LowCardinality(String) CODEC(ZSTD(1)),
    client_region       LowCardinality(String) CODEC(ZSTD(1)),
    gateway             LowCardinality(String) CODEC(ZSTD(1)),
    operation           LowCardinality(String) CODEC(ZSTD(1)),
    reasoning_effort    LowCardinality(String) CODEC(ZSTD(1)),
    error_class         LowCardinality(String) CODEC(ZSTD(1)),
    role                LowCardinality(String) CODEC(ZSTD(1)),
    outcome             LowCardinality(String) CODEC(ZSTD(1)),
    status              Nullable(UInt16) CODEC(T64, ZSTD(1)),
    stream              Nullable(Bool) CODEC(ZSTD(1)),
    has_tools           Nullable(Bool) CODEC(ZSTD(1)),
    warmup              Nullable(Bool) CODEC(ZSTD(1)),
    cache_hit           Nullable(Bool) CODEC(ZSTD(1)),
    input_band          LowCardinality(String) CODEC(ZSTD(1)),
    source              LowCardinality(String) CODEC(ZSTD(1)),
    start_point         LowCardinality(String) CODEC(ZSTD(1)),
    tps_basis           LowCardinality(String) CODEC(ZSTD(1)),
    primary_label       LowCardinality(String) CODEC(ZSTD(1)),
    stage               LowCardinality(String) CODEC(ZSTD(1)),
    labels              Array(LowCardinality(String)) CODEC(ZSTD(1)),
    flags               Array(LowCardinality(String)) CODEC(ZSTD(1)),

    first_response_us   Nullable(UInt64) CODEC(T64, ZSTD(1)),
    first_text_delta_us Nullable(UInt64) CODEC(T64, ZSTD(1)),
    upstream_headers_us Nullable(UInt64) CODEC(T64, ZSTD(1)),
    first_sse_event_us  Nullable(UInt64) CODEC(T64, ZSTD(1)),
    total_handler_us    Nullable(UInt64) CODEC(T64, ZSTD(1)),
    upstream_done_us    Nullable(UInt64) CODEC(T64, ZSTD(1)),
    upstream_start_us   Nullable(UInt64) CODEC(T64, ZSTD(1)),
    dispatch_us         Nullable(UInt64) CODEC(T64, ZSTD(1)),
    auth_us             Nullable(UInt64) CODEC(T64, ZSTD(1)),
    distribution_us     Nullable(UInt64) CODEC(T64, ZSTD(1)),
    body_read_us        Nullable(UInt64) CODEC(T64, ZSTD(1)),
    tps                 Nullable(Float64) CODEC(ZSTD(1)),
    tpot_us             Nullable(UInt64) CODEC(T64, ZSTD(1)),
    max_gap_us          Nullable(UInt64) CODEC(T64, ZSTD(1)),
    hedge_after_us      Nullable(UInt64) CODEC(T64, ZSTD(1)),
    input_tokens        Nullable(UInt32) CODEC(T64, ZSTD(1)),
    output_tokens       Nullable(UInt32) CODEC(T64, ZSTD(1)),
    cached_tokens       Nullable(UInt32) CODEC(T64, ZSTD(1)),
    reasoning_tokens    Nullable(UInt32) CODEC(T64, ZSTD(1)),
    max_output_tokens   Nullable(UInt32) CODEC(T64, ZSTD(1)),
    stream_events       Nullable(UInt32) CODEC(T64, ZSTD(1)),
    text_deltas         Nullable(UInt32) CODEC(T64, ZSTD(1)),
    channel_inflight    Nullable(UInt32) CODEC(T64, ZSTD(1)),
    temperature         Nullable(Float64) CODEC(ZSTD(1)),
    top_p               Nullable(Float64) CODEC(ZSTD(1)),

    given_tps           Nullable(Float64) COMMENT 'the recorded rate, only where it is not the one in tps' CODEC(ZSTD(1)),
    precision_us        UInt32 CODEC(T64, ZSTD(1)),
    evidence_label      Array(LowCardinality(String)) COMMENT 'one entry per piece of evidence, as in the four columns after it' CODEC(ZSTD(1)),
    evidence_field      Array(LowCardinality(String)) CODEC(ZSTD(1)),
    evidence_value      Array(Float64) CODEC(ZSTD(1)),
    evidence_threshold  Array(Float64) CODEC(ZSTD(1)),
    evidence_marks      Array(UInt8) COMMENT '1 censored, 2 estimated' CODEC(ZSTD(1)),
    rules_version       LowCardinality(String) CODEC(ZSTD(1)),

    topic               LowCardinality(String) CODEC(ZSTD(1)),
    epoch               UInt32 CODEC(T64, ZSTD(1)),
    partition           Int32 CODEC(T64, ZSTD(1)),
    offset              Int64 CODEC(Delta, ZSTD(1)),
    inserted_at         DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC') CODEC(Delta, ZSTD(1)),

    INDEX by_request_id request_id TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX by_offset offset TYPE minmax GRANULARITY 1,
    PROJECTION progress
    (
        SELECT topic, epoch, partition, min(offset), max(offset), count()
        GROUP BY topic, epoch, partition
    )
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/requests', '{replica}')
PARTITION BY toDate(created_at)
ORDER BY (toStartOfHour(created_at), model, route, channel, created_at)
TTL toDateTime(created_at) + toIntervalDay(30)
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1
== 0002_rejects.sql
-- what: where each refused message was and why; never what was in it
-- slots: table, cluster and engine differ on a cluster; days is the retention at creation, migrate changes it later
CREATE TABLE IF NOT EXISTS rejects_local ON CLUSTER fleet
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
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/rejects', '{replica}')
PARTITION BY toDate(received_at)
ORDER BY (topic, epoch, partition, offset)
TTL toDateTime(received_at) + toIntervalDay(30)
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1
== 0003_losses.sql
-- what: ranges of offsets that can never be read; a range may stand here twice and counts once
-- slots: table, cluster and engine differ on a cluster
CREATE TABLE IF NOT EXISTS losses_local ON CLUSTER fleet
(
    topic     LowCardinality(String),
    epoch     UInt32,
    partition Int32,
    first     Int64,
    last      Int64,
    cause     LowCardinality(String),
    at        DateTime64(3, 'UTC')
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/losses', '{replica}')
ORDER BY (topic, epoch, partition, first, last)
SETTINGS non_replicated_deduplication_window = 10000
== 0004_requests_distributed.sql
-- what: requests over all shards; only on a cluster, where requests_local holds one shard's rows
-- slots: table, cluster, name (of the cluster)
CREATE TABLE IF NOT EXISTS requests ON CLUSTER fleet
AS requests_local
ENGINE = Distributed(fleet, currentDatabase(), requests_local, cityHash64(topic, partition))
== 0005_rejects_distributed.sql
-- what: rejects over all shards; only on a cluster, where rejects_local holds one shard's rows
-- slots: table, cluster, name (of the cluster)
CREATE TABLE IF NOT EXISTS rejects ON CLUSTER fleet
AS rejects_local
ENGINE = Distributed(fleet, currentDatabase(), rejects_local, cityHash64(topic, partition))
== 0006_losses_distributed.sql
-- what: losses over all shards; only on a cluster, where losses_local holds one shard's rows
-- slots: table, cluster, name (of the cluster)
CREATE TABLE IF NOT EXISTS losses ON CLUSTER fleet
AS losses_local
ENGINE = Distributed(fleet, currentDatabase(), losses_local, cityHash64(topic, partition))
== 0007_advice.sql
-- what: hedge advice with what it was made from, so that anyone can make it again byte for byte; only ever added to
-- slots: table, cluster and engine differ on a cluster, where all shards share one list
CREATE TABLE IF NOT EXISTS advice ON CLUSTER fleet
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
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{database}/advice', '{shard}-{replica}')
ORDER BY (key, window_to, advice_id, made_at)
SETTINGS non_replicated_deduplication_window = 10000
== 0008_policy_changes.sql
-- what: what people changed in the hedge policy: overrides of keys and the switch for all; only ever added to
-- slots: table, cluster and engine differ on a cluster, where all shards share one list
CREATE TABLE IF NOT EXISTS policy_changes ON CLUSTER fleet
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
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{database}/policy_changes', '{shard}-{replica}')
ORDER BY (at, change_id)
SETTINGS non_replicated_deduplication_window = 10000
