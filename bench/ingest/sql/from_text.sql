(
    SELECT
        parseDateTime64BestEffort(r.created_at, 3, 'UTC') AS created_at,
        r.request_id AS request_id, r.trace_id AS trace_id, r.attempt AS attempt, r.model AS model, r.route AS route,
        r.channel AS channel, r.provider AS provider, r.region AS region, r.client_region AS client_region,
        r.gateway AS gateway, r.operation AS operation, r.reasoning_effort AS reasoning_effort,
        r.error_class AS error_class, r.role AS role, r.outcome AS outcome, r.status AS status, r.stream AS stream,
        r.has_tools AS has_tools, r.warmup AS warmup, r.cache_hit AS cache_hit, r.max_gap_ms AS max_gap_ms,
        r.hedge_after_ms AS hedge_after_ms, r.temperature AS temperature, r.top_p AS top_p,
        r.input_tokens AS input_tokens, r.output_tokens AS output_tokens, r.cached_tokens AS cached_tokens,
        r.reasoning_tokens AS reasoning_tokens, r.max_output_tokens AS max_output_tokens,
        r.stream_events AS stream_events, r.text_deltas AS text_deltas, r.channel_inflight AS channel_inflight,
        r.other AS other, _topic, _partition, _offset
    FROM
    (
        SELECT _topic, _partition, _offset,
            JSONExtract(record, 'Tuple(
                created_at String, request_id String, trace_id String, attempt UInt16, model LowCardinality(String),
                route LowCardinality(String), channel LowCardinality(String), provider LowCardinality(String), region LowCardinality(String), client_region LowCardinality(String),
                gateway LowCardinality(String), operation LowCardinality(String), reasoning_effort LowCardinality(String), error_class LowCardinality(String), role LowCardinality(String),
                outcome LowCardinality(String), status Nullable(UInt16), stream Nullable(Bool), has_tools Nullable(Bool),
                warmup Nullable(Bool), cache_hit Nullable(Bool), max_gap_ms Nullable(Float64),
                hedge_after_ms Nullable(Float64), temperature Nullable(Float64), top_p Nullable(Float64),
                input_tokens Nullable(UInt32), output_tokens Nullable(UInt32), cached_tokens Nullable(UInt32),
                reasoning_tokens Nullable(UInt32), max_output_tokens Nullable(UInt32),
                stream_events Nullable(UInt32), text_deltas Nullable(UInt32), channel_inflight Nullable(UInt32),
                other Tuple(timing Tuple(
                    upstream_start_ms Nullable(Float64), auth_ms Nullable(Float64),
                    distribution_ms Nullable(Float64), body_read_ms Nullable(Float64),
                    upstream_headers_ms Nullable(Float64), first_sse_event_ms Nullable(Float64),
                    first_response_ms Nullable(Float64), first_text_delta_ms Nullable(Float64),
                    upstream_done_ms Nullable(Float64), total_handler_ms Nullable(Float64),
                    visible_output_tps Nullable(Float64))))') AS r
        FROM headway_peer.queue
    )
)
