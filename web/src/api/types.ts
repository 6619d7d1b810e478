// The shapes of the API's answers, as package api documents them. Null is
// "no data", never zero.

export interface Metric {
  name: string; title: string; unit: string; start: string; end: string;
  higher_is_worse: boolean; asked: string;
}

export interface Statement { name: string; sql: string; params: Record<string, string> }

export interface Meta {
  from: string; to: string; step_s: number | null; metric: Metric | null;
  n: number; censored: number; left_out: Record<string, number>; kaplan_meier: boolean;
  clock: string | null; start_points: string[]; sources: string[];
  table: string; rows_read: number; elapsed_ms: number; approximation: string;
  warnings: string[]; sql?: Statement[];
}

export interface Figure {
  metric: string; title: string; q: number; unit: string; start: string; end: string;
  now: number | null; now_n: number; before: number | null; before_n: number;
}

export interface Point {
  at: string; n: number; censored: number; failures: number; open: boolean;
  values: (number | null)[]; below_min_n: boolean[];
}

export interface Headline {
  meta: Meta; figures: Figure[];
  requests: number; requests_before: number;
  rate_per_s: number; rate_per_s_before: number | null;
  failure_share: number | null; failure_share_before: number | null;
  newest_at: string | null; freshness_s: number | null;
  spark: Point[]; spark_unit: string;
}

export type Key = Record<string, string | null>;

export interface Series { key: Key; n: number; points: Point[] }

export interface Latency { meta: Meta; quantiles: number[]; unit: string; series: Series[] }

export interface Group {
  value: string | null; n: number; censored: number; failures: number; failure_share: number | null;
  slow: number; excess: number; p50: number | null; p95: number | null; p99: number | null;
}

export interface Breakdown {
  meta: Meta; by: string; unit: string; baseline_from: string; baseline_to: string;
  baseline_n: number; band_p95: Record<string, number | null>; groups: Group[];
}

export interface Quantile {
  q: number; value: number | null; low: number | null; high: number | null;
  below_min_n: boolean; not_reached: boolean; at_least: number | null;
}

export interface Distribution {
  meta: Meta; unit: string; quantiles: Quantile[];
  histogram: { from: number; to: number; n: number; censored: number }[];
  exceedance: { at: number; share: number }[];
  failure_share: number | null;
}

export interface Evidence {
  label: string; field: string; value: number; threshold: number;
  censored: boolean; estimated: boolean; look_at: string; next_check: string; caveat: string;
}

export interface Verdict {
  labels: string[]; primary: string; stage: string; evidence: Evidence[];
  unmeasured: string[]; not_applicable: string[]; rules_version: string;
}

export interface Attempt {
  request_id: string; trace_id: string | null; attempt: number; role: string; created_at: string;
  source: string; start_point: string; gateway: string | null; model: string; route: string | null;
  channel: string | null; provider: string | null; region: string | null; client_region: string | null;
  operation: string | null; reasoning_effort: string | null; status: number | null; outcome: string | null;
  error_class: string | null; stream: boolean | null; has_tools: boolean | null; warmup: boolean | null;
  cache_hit: boolean | null; input_band: string | null;
  input_tokens: number | null; output_tokens: number | null; cached_tokens: number | null;
  reasoning_tokens: number | null; max_output_tokens: number | null; stream_events: number | null;
  text_deltas: number | null; channel_inflight: number | null;
  timing: Record<string, number | boolean | string | null>;
  flags: string[]; labels: string[]; label: string; stage: string | null;
}

export interface Span { stage: string; start_ms: number; end_ms: number; estimated: boolean }

export interface Timeline extends Attempt { offset_ms: number; spans: Span[]; verdict: Verdict }

export interface Requests { meta: Meta; attempts: Attempt[]; next_page: string | null }

export interface Request {
  meta: Meta; request_id: string; attempts: Timeline[]; percentile: number | null; cohort_n: number;
}

export interface Percentiles {
  p50_ms: number | null; p75_ms: number | null; p90_ms: number | null; p95_ms: number | null; p99_ms: number | null;
  below_min_n: string[];
}

export interface Hedged extends Percentiles {
  win_chance: number | null; rho: number | null;
  gain_ms: number | null; gain_low_ms: number | null; gain_high_ms: number | null;
}

export interface Sample {
  metric: string; clock: string; n: number; observed: number; censored: number;
  left_out: Record<string, number>; failures: number; failure_share: number | null;
}

export interface Cost {
  hedges: number; known_tokens: number; extra_input_tokens: number | null; extra_input_share: number | null;
  extra_output_tokens_low: number | null; extra_output_tokens_high: number | null;
}

export interface After {
  independent: Hedged | null; measured: Hedged | null; pessimistic: Hedged | null;
  unavailable: Record<string, string>;
}

export interface Advice extends Sample {
  key: Key; model: string | null; route: string | null;
  hedge_after_ms: number | null; interval: { low_ms: number | null; high_ms: number | null };
  configured_hedge_after_ms: number | null;
  trigger_ratio: number | null;
  trigger_interval: { low: number | null; high: number | null; next_n: number; method: string };
  target_q: number | null; before: Percentiles; after: After; win_chance: number | null;
  cost: Cost | null; verdict: string; reasons: string[];
}

export interface Recommendation { meta: Meta; by: string[]; keys: Advice[] }

export interface CurvePoint {
  hedge_after_ms: number; trigger_ratio: number; win_chance: number | null;
  independent: { p95_ms: number | null; p99_ms: number | null };
  pessimistic: { p95_ms: number | null; p99_ms: number | null } | null;
}

export interface Simulated extends Sample {
  key: Key; model: string | null; route: string | null; backup: Key | null;
  hedge_after_ms: number | null; trigger_ratio: number | null; win_chance: number | null;
  before: Percentiles; after: After; cost: Cost | null; verdict: string; reasons: string[];
  hedges_per_min: number | null; curve: CurvePoint[];
}

export interface Simulation { meta: Meta; by: string[]; keys: Simulated[] }

export interface SourceQuality {
  source: string; rows: number; duplicates: number; rejected: Record<string, number>;
  flags: Record<string, number>; coverage: Record<string, number>;
  newest_at: string | null; freshness_s: number | null;
}

export interface Quality {
  meta: Meta; sources: SourceQuality[];
  gateways: { gateway: string | null; source: string; newest_at: string; freshness_s: number; rows: number }[];
}

export interface Field {
  name: string; title: string; kind: string; type: string; unit: string; start: string; end: string;
  higher_is_worse: boolean; first_token: boolean; aliases: string[]; doc: string;
}

export interface Fields { default_metric: string; sources: string[]; fields: Field[] }

export interface Problem {
  type: string; title: string; status: number; detail: string; instance: string;
  errors: { location: string; message: string; nearest: string[] }[];
}
