-- what: fills Headway's own table from the queue, as far as SQL goes without verdicts: no flags, no order
-- checks, no rejects, no duplicates; times below 0 or above a day become missing, as Headway's do
CREATE MATERIALIZED VIEW headway_peer.pump TO headway_peer.requests AS
WITH
    x -> if(x >= 0 AND x <= 86400000, toUInt64(round(x * 1000)), NULL) AS us,
    other.timing AS t,
    us(tupleElement(t, 'first_text_delta_ms')) AS text_at,
    us(tupleElement(t, 'upstream_done_ms')) AS done_at,
    if(done_at > text_at, done_at - text_at, NULL) AS text_window,
    if(output_tokens >= ifNull(reasoning_tokens, 0), output_tokens - ifNull(reasoning_tokens, 0), NULL) AS visible,
    tupleElement(t, 'visible_output_tps') AS recorded_tps
SELECT
    created_at, request_id, trace_id, attempt, model, route, channel, provider, region, client_region, gateway,
    operation, reasoning_effort, error_class, role, outcome, status, stream, has_tools, warmup, cache_hit,
    multiIf(isNull(input_tokens), '', input_tokens < 1000, '0-1k', input_tokens < 4000, '1-4k',
        input_tokens < 16000, '4-16k', input_tokens < 64000, '16-64k', '64k+') AS input_band,
    'headway' AS source,
    'handler' AS start_point,
    multiIf(recorded_tps > 0, 'given', text_window > 0 AND visible > 0, if(isNull(reasoning_tokens), 'output', 'visible'), '') AS tps_basis,
    us(tupleElement(t, 'first_response_ms')) AS first_response_us,
    text_at AS first_text_delta_us,
    us(tupleElement(t, 'upstream_headers_ms')) AS upstream_headers_us,
    us(tupleElement(t, 'first_sse_event_ms')) AS first_sse_event_us,
    us(tupleElement(t, 'total_handler_ms')) AS total_handler_us,
    done_at AS upstream_done_us,
    us(tupleElement(t, 'upstream_start_ms')) AS upstream_start_us,
    us(tupleElement(t, 'auth_ms')) AS auth_us,
    us(tupleElement(t, 'distribution_ms')) AS distribution_us,
    us(tupleElement(t, 'body_read_ms')) AS body_read_us,
    coalesce(upstream_start_us, if(isNull(auth_us) AND isNull(distribution_us) AND isNull(body_read_us), NULL,
        ifNull(auth_us, 0) + ifNull(distribution_us, 0) + ifNull(body_read_us, 0))) AS dispatch_us,
    multiIf(recorded_tps > 0, recorded_tps, text_window > 0 AND visible > 0, visible / text_window * 1e6, NULL) AS tps,
    if(visible >= 2, toUInt64(round(text_window / (visible - 1))), NULL) AS tpot_us,
    us(max_gap_ms) AS max_gap_us,
    us(hedge_after_ms) AS hedge_after_us,
    input_tokens, output_tokens, cached_tokens, reasoning_tokens, max_output_tokens, stream_events, text_deltas,
    channel_inflight, temperature, top_p,
    1 AS precision_us,
    _topic AS topic,
    toInt32(_partition) AS partition,
    toInt64(_offset) AS offset
FROM {{from}}
