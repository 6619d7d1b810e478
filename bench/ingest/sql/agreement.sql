-- what: sums over a requests table that are the same wherever the same records were read in the same way;
-- rows whose record Headway mended or held back (any flag) are left out of nothing: generated records have none
-- but buffered_upstream, for which Headway alone gives no rate
SELECT
    uniqExact(partition, offset),
    sum(cityHash64(request_id, trace_id, attempt, created_at)),
    sum(cityHash64(toString(model), toString(route), toString(channel), toString(provider), toString(region), toString(client_region),
        toString(gateway), toString(operation), toString(reasoning_effort), toString(error_class), toString(role), toString(outcome))),
    sum(cityHash64(ifNull(status, 9), ifNull(stream, 9), ifNull(has_tools, 9), ifNull(warmup, 9), ifNull(cache_hit, 9), toString(input_band))),
    sum(first_response_us), sum(first_text_delta_us), sum(upstream_headers_us), sum(first_sse_event_us), sum(total_handler_us),
    sum(upstream_done_us), sum(upstream_start_us), sum(dispatch_us), sum(auth_us), sum(distribution_us), sum(body_read_us),
    sum(max_gap_us), sum(hedge_after_us), sum(input_tokens), sum(output_tokens), sum(cached_tokens), sum(reasoning_tokens),
    sum(max_output_tokens), sum(stream_events), sum(text_deltas), sum(channel_inflight), round(sum(temperature)), round(sum(top_p)),
    count(first_response_us), count(first_text_delta_us), count(hedge_after_us), count(cached_tokens), count(top_p)
FROM {{table}}
