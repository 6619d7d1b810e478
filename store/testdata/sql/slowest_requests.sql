== requests.sql
SET param_after = '+inf';
SET param_epoch = '0';
SET param_f0 = '[\'ch-3\',\'o\\\'brien\']';
SET param_f1 = '[\'true\',\'\']';
SET param_from = '2026-11-02 03:00:00.000';
SET param_limit = '51';
SET param_offset = '0';
SET param_partition = '0';
SET param_to = '2026-11-02 04:00:00.000';
SET param_topic = '';
-- question: one page of attempts, newest first or slowest first
-- tables: requests
-- cost: the sort column of the window's rows, and all columns of the page
-- slots: columns, value (what is sorted by), sign (-1 where small is slow), filter
-- parameters: after and the place in the log are the last row of the page before; inf for the first page
SELECT
    created_at, request_id, trace_id, attempt, model, route, channel, provider, region, client_region, gateway, operation, reasoning_effort, error_class, role, outcome, status, stream, has_tools, warmup, cache_hit, input_band, source, start_point, tps_basis, primary_label, stage, labels, flags, tps, given_tps, temperature, top_p, precision_us, evidence_label, evidence_field, evidence_value, evidence_threshold, evidence_marks, rules_version, topic, epoch, partition, offset, inserted_at, first_response_us, first_text_delta_us, upstream_headers_us, first_sse_event_us, total_handler_us, upstream_done_us, upstream_start_us, dispatch_us, auth_us, distribution_us, body_read_us, tpot_us, max_gap_us, hedge_after_us, input_tokens, output_tokens, cached_tokens, reasoning_tokens, max_output_tokens, stream_events, text_deltas, channel_inflight,
    toFloat64(tps) * -1 AS sorted_by
FROM requests
WHERE created_at >= {from:DateTime64(3, 'UTC')} AND created_at < {to:DateTime64(3, 'UTC')}
  AND toStartOfHour(created_at) BETWEEN toStartOfHour({from:DateTime64(3, 'UTC')}) AND toStartOfHour({to:DateTime64(3, 'UTC')})
  AND (NOT (channel IN {f0:Array(String)}) AND ifNull(toString(stream), '') IN {f1:Array(String)})
  AND NOT has(flags, 'duplicate')
  AND isFinite(ifNull(sorted_by, nan))
  AND (sorted_by < {after:Float64} OR sorted_by = {after:Float64} AND (topic, epoch, partition, offset) > ({topic:String}, {epoch:UInt32}, {partition:Int32}, {offset:Int64}))
ORDER BY sorted_by DESC, topic, epoch, partition, offset
LIMIT {limit:UInt32}
== count.sql
SET param_f0 = '[\'ch-3\',\'o\\\'brien\']';
SET param_f1 = '[\'true\',\'\']';
SET param_from = '2026-11-02 03:00:00.000';
SET param_to = '2026-11-02 04:00:00.000';
-- question: how many rows are in scope, of which sources and start points, and how many of them are duplicates?
-- tables: requests
-- cost: the flags and two narrow columns of the window's rows
-- slots: filter (the question's conditions)
SELECT source, start_point, countIf(NOT has(flags, 'duplicate')) AS n, countIf(has(flags, 'duplicate')) AS duplicates
FROM requests
WHERE created_at >= {from:DateTime64(3, 'UTC')} AND created_at < {to:DateTime64(3, 'UTC')}
  AND toStartOfHour(created_at) BETWEEN toStartOfHour({from:DateTime64(3, 'UTC')}) AND toStartOfHour({to:DateTime64(3, 'UTC')})
  AND (NOT (channel IN {f0:Array(String)}) AND ifNull(toString(stream), '') IN {f1:Array(String)})
GROUP BY source, start_point
ORDER BY source, start_point
