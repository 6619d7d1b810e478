== quality_sources.sql
SET param_f0 = '[\'ch-3\',\'o\\\'brien\']';
SET param_f1 = '[\'true\',\'\']';
SET param_from = '2026-11-02 03:00:00.000';
SET param_to = '2026-11-02 04:00:00.000';
-- question: what arrived from each source, and which share of it carries each field?
-- tables: requests
-- cost: every column of the window's rows
-- slots: carried (one count per field), filter (the question's conditions)
-- columns: duplicates are part of rows; carried counts rows that are none
SELECT
    source,
    count() AS rows,
    countIf(has(flags, 'duplicate')) AS duplicates,
    max(created_at) AS newest,
    [countIf(model != '' AND NOT has(flags, 'duplicate')), countIf(route != '' AND NOT has(flags, 'duplicate')), countIf(channel != '' AND NOT has(flags, 'duplicate')), countIf(provider != '' AND NOT has(flags, 'duplicate')), countIf(region != '' AND NOT has(flags, 'duplicate')), countIf(client_region != '' AND NOT has(flags, 'duplicate')), countIf(gateway != '' AND NOT has(flags, 'duplicate')), countIf(operation != '' AND NOT has(flags, 'duplicate')), countIf(reasoning_effort != '' AND NOT has(flags, 'duplicate')), countIf(error_class != '' AND NOT has(flags, 'duplicate')), countIf(role != '' AND NOT has(flags, 'duplicate')), countIf(outcome != '' AND NOT has(flags, 'duplicate')), countIf(ifNull(toString(status), '') != '' AND NOT has(flags, 'duplicate')), countIf(ifNull(toString(stream), '') != '' AND NOT has(flags, 'duplicate')), countIf(ifNull(toString(has_tools), '') != '' AND NOT has(flags, 'duplicate')), countIf(ifNull(toString(warmup), '') != '' AND NOT has(flags, 'duplicate')), countIf(ifNull(toString(cache_hit), '') != '' AND NOT has(flags, 'duplicate')), countIf(input_band != '' AND NOT has(flags, 'duplicate')), countIf(source != '' AND NOT has(flags, 'duplicate')), countIf(start_point != '' AND NOT has(flags, 'duplicate')), countIf(tps_basis != '' AND NOT has(flags, 'duplicate')), countIf(primary_label != '' AND NOT has(flags, 'duplicate')), countIf(stage != '' AND NOT has(flags, 'duplicate')), countIf(first_response_us IS NOT NULL AND NOT has(flags, 'duplicate')), countIf(first_text_delta_us IS NOT NULL AND NOT has(flags, 'duplicate')), countIf(upstream_headers_us IS NOT NULL AND NOT has(flags, 'duplicate')), countIf((dispatch_us + upstream_headers_us) IS NOT NULL AND NOT has(flags, 'duplicate')), countIf(first_sse_event_us IS NOT NULL AND NOT has(flags, 'duplicate')), countIf(total_handler_us IS NOT NULL AND NOT has(flags, 'duplicate')), countIf(upstream_done_us IS NOT NULL AND NOT has(flags, 'duplicate')), countIf(upstream_start_us IS NOT NULL AND NOT has(flags, 'duplicate')), countIf(dispatch_us IS NOT NULL AND NOT has(flags, 'duplicate')), countIf(auth_us IS NOT NULL AND NOT has(flags, 'duplicate')), countIf(distribution_us IS NOT NULL AND NOT has(flags, 'duplicate')), countIf(body_read_us IS NOT NULL AND NOT has(flags, 'duplicate')), countIf((first_response_us - first_sse_event_us) IS NOT NULL AND NOT has(flags, 'duplicate')), countIf((first_text_delta_us - first_response_us) IS NOT NULL AND NOT has(flags, 'duplicate')), countIf((upstream_done_us - first_text_delta_us) IS NOT NULL AND NOT has(flags, 'duplicate')), countIf((total_handler_us - upstream_done_us) IS NOT NULL AND NOT has(flags, 'duplicate')), countIf(tps IS NOT NULL AND NOT has(flags, 'duplicate')), countIf(tpot_us IS NOT NULL AND NOT has(flags, 'duplicate')), countIf(max_gap_us IS NOT NULL AND NOT has(flags, 'duplicate')), countIf(hedge_after_us IS NOT NULL AND NOT has(flags, 'duplicate')), countIf(input_tokens IS NOT NULL AND NOT has(flags, 'duplicate')), countIf(output_tokens IS NOT NULL AND NOT has(flags, 'duplicate')), countIf(cached_tokens IS NOT NULL AND NOT has(flags, 'duplicate')), countIf(reasoning_tokens IS NOT NULL AND NOT has(flags, 'duplicate')), countIf(max_output_tokens IS NOT NULL AND NOT has(flags, 'duplicate')), countIf(stream_events IS NOT NULL AND NOT has(flags, 'duplicate')), countIf(text_deltas IS NOT NULL AND NOT has(flags, 'duplicate')), countIf(channel_inflight IS NOT NULL AND NOT has(flags, 'duplicate')), countIf(temperature IS NOT NULL AND NOT has(flags, 'duplicate')), countIf(top_p IS NOT NULL AND NOT has(flags, 'duplicate'))] AS carried
FROM requests
WHERE created_at >= {from:DateTime64(3, 'UTC')} AND created_at < {to:DateTime64(3, 'UTC')}
  AND toStartOfHour(created_at) BETWEEN toStartOfHour({from:DateTime64(3, 'UTC')}) AND toStartOfHour({to:DateTime64(3, 'UTC')})
  AND (NOT (channel IN {f0:Array(String)}) AND ifNull(toString(stream), '') IN {f1:Array(String)})
GROUP BY source
ORDER BY source
== quality_flags.sql
SET param_f0 = '[\'ch-3\',\'o\\\'brien\']';
SET param_f1 = '[\'true\',\'\']';
SET param_from = '2026-11-02 03:00:00.000';
SET param_to = '2026-11-02 04:00:00.000';
-- question: which quality flags do the rows carry?
-- tables: requests
-- cost: the flags of the window's rows
-- slots: filter (the question's conditions)
SELECT source, arrayJoin(flags) AS flag, count() AS n
FROM requests
WHERE created_at >= {from:DateTime64(3, 'UTC')} AND created_at < {to:DateTime64(3, 'UTC')}
  AND toStartOfHour(created_at) BETWEEN toStartOfHour({from:DateTime64(3, 'UTC')}) AND toStartOfHour({to:DateTime64(3, 'UTC')})
  AND (NOT (channel IN {f0:Array(String)}) AND ifNull(toString(stream), '') IN {f1:Array(String)})
GROUP BY source, flag
ORDER BY source, flag
== quality_rejects.sql
SET param_from = '2026-11-02 03:00:00.000';
SET param_to = '2026-11-02 04:00:00.000';
-- question: how many messages were refused, and why?
-- tables: rejects
-- cost: two narrow columns of the window's rejects
-- slots: filter (the question's conditions on source)
SELECT source, reason, count() AS n
FROM rejects
WHERE received_at >= {from:DateTime64(3, 'UTC')} AND received_at < {to:DateTime64(3, 'UTC')}
  AND (1)
GROUP BY source, reason
ORDER BY source, reason
== gateways.sql
SET param_f0 = '[\'ch-3\',\'o\\\'brien\']';
SET param_f1 = '[\'true\',\'\']';
SET param_from = '2026-11-02 03:00:00.000';
SET param_to = '2026-11-02 04:00:00.000';
-- question: when was each gateway last heard?
-- tables: requests
-- cost: three narrow columns of a week's rows
-- slots: filter (the question's conditions)
-- columns: rows are those of the window; a gateway that fell silent before it is here with none
SELECT gateway, source, max(created_at) AS newest, countIf(created_at >= {from:DateTime64(3, 'UTC')} AND NOT has(flags, 'duplicate')) AS rows
FROM requests
WHERE created_at >= least({from:DateTime64(3, 'UTC')}, {to:DateTime64(3, 'UTC')} - INTERVAL 7 DAY) AND created_at < {to:DateTime64(3, 'UTC')}
  AND (NOT (channel IN {f0:Array(String)}) AND ifNull(toString(stream), '') IN {f1:Array(String)})
GROUP BY gateway, source
ORDER BY gateway, source
== losses.sql
SET param_from = '2026-11-02 03:00:00.000';
SET param_to = '2026-11-02 04:00:00.000';
-- question: which ranges of offsets were lost in a window?
-- tables: losses
-- cost: a handful of rows
SELECT topic, epoch, partition, first, last, argMin(cause, at) AS cause, min(at) AS since
FROM losses
GROUP BY topic, epoch, partition, first, last
HAVING since >= {from:DateTime64(3, 'UTC')} AND since < {to:DateTime64(3, 'UTC')}
ORDER BY topic, epoch, partition, first, last
LIMIT 1000
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
