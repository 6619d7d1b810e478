-- what: one row an attempt; see docs/adr/0002-requests-table.md for order, codecs and indexes
-- slots: table, cluster and engine differ on a cluster; days is the retention at creation, migrate changes it later
CREATE TABLE IF NOT EXISTS /*<table>*/ requests /*</table>*/ /*<cluster>*/ /*</cluster>*/
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
ENGINE = /*<engine>*/ MergeTree /*</engine>*/
PARTITION BY toDate(created_at)
ORDER BY (toStartOfHour(created_at), model, route, channel, created_at)
TTL toDateTime(created_at) + toIntervalDay(/*<days>*/ 90 /*</days>*/)
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1
