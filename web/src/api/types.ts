// The shapes of the API's answers, named as in the OpenAPI document, which a test
// compares with this file. Null is "no data", never zero.

/** A key of grouping: dimension to value; null where it was not recorded. */
export type Key = Record<string, string | null>;

export interface Metric {
  name: string; title: string; unit: string; start: string; end: string; higher_is_worse: boolean;
  asked: string;
}

export interface Statement {
  name: string; sql: string; params: Record<string, string>;
}

export interface Meta {
  from: string; to: string; step_s: number | null; metric: Metric | null; n: number; censored: number;
  left_out: Record<string, number>; kaplan_meier: boolean; clock: string | null; start_points: string[];
  sources: string[]; table: string; rows_read: number; elapsed_ms: number; approximation: string;
  warnings: string[]; sql?: Statement[];
}

export interface Figure {
  metric: string; title: string; q: number; unit: string; start: string; end: string; now: number | null;
  now_n: number; before: number | null; before_n: number; now_at_least: number | null;
  before_at_least: number | null; now_below_min_n: boolean; before_below_min_n: boolean;
}

export interface Point {
  at: string; n: number; censored: number; failures: number; open: boolean; values: (number | null)[];
  at_least: (number | null)[]; below_min_n: boolean[];
}

export interface Headline {
  meta: Meta; figures: Figure[]; requests: number; requests_before: number; rate_per_s: number;
  rate_per_s_before: number | null; failure_share: number | null; failure_share_before: number | null;
  newest_at: string | null; freshness_s: number | null; spark: Point[]; spark_unit: string;
}

export interface Series {
  key: Key; n: number; points: Point[];
}

export interface Latency {
  meta: Meta; quantiles: number[]; unit: string; series: Series[];
}

export interface Group {
  value: string | null; n: number; censored: number; failures: number; failure_share: number | null;
  slow: number; excess: number; p50: number | null; p95: number | null; p99: number | null;
  p50_at_least: number | null; p95_at_least: number | null; p99_at_least: number | null;
  p50_ms: number | null; p95_ms: number | null; p99_ms: number | null;
}

export interface Breakdown {
  meta: Meta; by: string; unit: string; baseline_from: string; baseline_to: string; baseline_n: number;
  band_p95: Record<string, number | null>; groups: Group[];
}

export interface Evidence {
  label: string; field: string; value: number; threshold: number; censored: boolean; estimated: boolean;
  look_at: string; next_check: string; caveat: string;
}

export interface Verdict {
  labels: string[]; primary: string; stage: string; evidence: Evidence[]; unmeasured: string[];
  not_applicable: string[]; rules_version: string;
}

export interface Timing {
  upstream_start_ms: number | null; auth_ms: number | null; distribution_ms: number | null;
  body_read_ms: number | null; upstream_headers_ms: number | null; first_sse_event_ms: number | null;
  first_response_ms: number | null; first_text_delta_ms: number | null; upstream_done_ms: number | null;
  total_handler_ms: number | null; max_gap_ms: number | null; hedge_after_ms: number | null;
  dispatch_ms: number | null; dispatch_estimated: boolean; tps: number | null; tps_basis: string | null;
  tpot_ms: number | null;
}

export interface Attempt {
  request_id: string; trace_id: string | null; attempt: number; role: string; created_at: string;
  source: string; start_point: string; gateway: string | null; model: string; route: string | null;
  channel: string | null; provider: string | null; region: string | null; client_region: string | null;
  operation: string | null; reasoning_effort: string | null; status: number | null; outcome: string | null;
  error_class: string | null; stream: boolean | null; has_tools: boolean | null; warmup: boolean | null;
  cache_hit: boolean | null; input_band: string | null; input_tokens: number | null;
  output_tokens: number | null; cached_tokens: number | null; reasoning_tokens: number | null;
  max_output_tokens: number | null; stream_events: number | null; text_deltas: number | null;
  channel_inflight: number | null; timing: Timing; flags: string[]; labels: string[]; label: string;
  stage: string | null; at_least_ms: number | null;
}

export interface Requests {
  meta: Meta; attempts: Attempt[]; next_page: string | null;
}

export interface Span {
  stage: string; start_ms: number; end_ms: number; estimated: boolean;
}

export interface Timeline extends Attempt {
  offset_ms: number; spans: Span[]; verdict: Verdict;
}

export interface Request {
  meta: Meta; request_id: string; attempts: Timeline[]; percentile: number | null; cohort_n: number;
}

export interface Percentiles {
  p50_ms: number | null; p75_ms: number | null; p90_ms: number | null; p95_ms: number | null;
  p99_ms: number | null; at_least_ms: Record<string, number>; below_min_n: string[];
}

export interface Interval {
  low_ms: number | null; high_ms: number | null;
}

export interface Hedged extends Percentiles {
  p95_interval: Interval; p99_interval: Interval; win_chance: number | null; rho: number | null;
  gain_ms: number | null; gain_at_least_ms: number | null; gain_low_ms: number | null;
  gain_high_ms: number | null; enough_share: number | null; seconds_saved_per_week: number | null;
  pairs: number | null; pair_kind: string | null; paired_channels: string[] | null;
}

export interface Cost {
  hedges: number; known_tokens: number; extra_input_tokens: number | null;
  extra_input_share: number | null; extra_output_tokens_low: number | null;
  extra_output_tokens_high: number | null; currency: string | null; money_low: number | null;
  money_high: number | null; money_share_low: number | null; money_share_high: number | null;
}

export interface After {
  independent: Hedged | null; measured: Hedged | null; pessimistic: Hedged | null;
  unavailable: Record<string, string>;
}

export interface TriggerInterval {
  low: number | null; high: number | null; next_n: number; method: string; widened: boolean;
}

export interface Halves {
  first_n: number; second_n: number; first_p90_ms: number | null; second_p90_ms: number | null;
  first_p90_at_least_ms: number | null; second_p90_at_least_ms: number | null; first_share: number;
  second_share: number; p: number;
}

export interface Sample {
  metric: string; clock: string; n: number; observed: number; censored: number;
  left_out: Record<string, number>; failures: number; failure_share: number | null;
}

export interface Advice extends Sample {
  key: Key; model: string | null; route: string | null; hedge_after_ms: number | null; interval: Interval;
  configured_hedge_after_ms: number | null; trigger_ratio: number | null;
  trigger_interval: TriggerInterval; target_q: number | null; before: Percentiles; after: After;
  win_chance: number | null; cost: Cost | null; verdict: string; reasons: string[]; notes: string[];
  tier: string; budget: number | null; single_r: SingleR | null; seconds_saved_per_week: number | null;
  seconds_saved_case: string | null; walk: Walk | null; bands: Bands | null; channels: Channel[];
  halves: Halves | null; last_advice: LastAdvice | null;
}

export interface LastAdvice {
  advice_id: string; made_at: string; to: string; hedge_after_ms: number | null; verdict: string;
  trigger_ratio: number | null; change_ms: number | null; change_share: number | null;
  beyond_interval: boolean | null;
}

export interface SingleR {
  hedge_after_ms: number; q: number; sent_ratio: number; target_ms: number | null;
}

export interface WalkDay {
  day: string; train_n: number; n: number; hedge_after_ms: number | null; expected_ratio: number;
  realised_ratio: number; low: number | null; high: number | null;
}

export interface Walk {
  expected_ratio: number; realised_ratio: number; low: number; high: number; p: number;
  p_adjusted: number; days: WalkDay[];
}

export interface Band {
  band: string; n: number; share: number; hedge_after_ms: number | null; trigger_ratio: number | null;
  hedge_share: number | null; interval: Interval;
}

export interface Bands {
  differ: boolean; note: string; bands: Band[];
}

export interface Channel {
  channel: string; n: number; queue: string | null;
}

export interface Recommendation {
  meta: Meta; by: string[]; keys: Advice[]; horizon: string | null;
}

export interface CurveAfter {
  p95_ms: number | null; p99_ms: number | null; p95_at_least_ms: number | null;
  p99_at_least_ms: number | null;
}

export interface CurvePoint {
  hedge_after_ms: number; trigger_ratio: number; win_chance: number | null; independent: CurveAfter;
  pessimistic: CurveAfter | null;
}

export interface Simulated extends Sample {
  key: Key; model: string | null; route: string | null; backup: Key | null; hedge_after_ms: number | null;
  trigger_ratio: number | null; win_chance: number | null; before: Percentiles; after: After;
  cost: Cost | null; target_q: number | null; verdict: string; reasons: string[]; notes: string[];
  hedges_per_min: number | null; curve: CurvePoint[];
}

export interface Simulation {
  meta: Meta; by: string[]; keys: Simulated[];
}

export interface Outcome {
  trigger_ratio: number; sent_ratio: number; before_p95_ms: number | null; before_p99_ms: number | null;
  p95_ms: number | null; p99_ms: number | null; pessimistic_p95_ms: number | null;
  pessimistic_p99_ms: number | null; win_rate: number | null; hedges: number; extra_input_tokens: number;
  extra_input_share: number;
}

export interface TestedDay {
  day: string; train_n: number; n: number; hedge_after_ms: number; q: number; predicted_ratio: number;
  realised_ratio: number; low: number | null; high: number | null;
}

export interface Tested {
  key: Key | null; n: number; skipped_days: number; predicted: Outcome | null; realised: Outcome | null;
  low: number | null; high: number | null; p: number | null; p_adjusted: number | null;
  verdict: string | null; warning: string | null; days: TestedDay[];
}

export interface RuleTested {
  rule: string; pooled: Tested; keys: Tested[]; insufficient_data: number; unstable: number;
}

export interface Backtest {
  meta: Meta; by: string[]; rules: RuleTested[];
}

export interface Proportion {
  count: number; of: number; share: number | null; low: number | null; high: number | null;
}

export interface Bracket {
  at_once_p95_ms: number | null; at_once_p99_ms: number | null; never_p95_ms: number | null;
  never_p99_ms: number | null;
}

export interface Control {
  n: number; p95_ms: number | null; p99_ms: number | null;
}

export interface ExtraTokens {
  measured_input: number; measured_output: number; estimated_input_at_least: number;
  backups_without_count: number; input_share_at_least: number;
}

export interface Diagnosis {
  ratio: number; alarm: number | null; cause: string; reason: string;
}

export interface ObservedKey {
  key: Key; model: string | null; route: string | null; requests: number; with_hedge_after: number;
  beyond: Proportion; hedged: Proportion; kept: Proportion; refused_estimate: number | null;
  backups: number; wins: Proportion; backup_success: Proportion; users: Percentiles;
  unhedged_estimate: Percentiles; unhedged_bounds: Bracket; control: Control; extra_tokens: ExtraTokens;
  diagnosis: Diagnosis; left_out: Record<string, number>;
}

export interface Observed {
  meta: Meta; by: string[]; keys: ObservedKey[];
}

export interface PolicyOff {
  who: string; why: string; at: string; until: string;
}

export interface PolicyKey {
  key: Key; model: string | null; route: string | null; enabled: boolean; hedge_after_ms: number | null;
  q: number | null; budget: number | null; valid_until: string | null; verdict: string | null;
  advice_id: string | null; reason: string; override: PolicyOff | null;
}

export interface Policy {
  holdout_share: number; off: PolicyOff | null; stale: boolean; warnings: string[]; keys: PolicyKey[];
}

export interface SourceQuality {
  source: string; rows: number; duplicates: number; rejected: Record<string, number>;
  flags: Record<string, number>; coverage: Record<string, number>; newest_at: string | null;
  freshness_s: number | null;
}

export interface GatewayFreshness {
  gateway: string | null; source: string; newest_at: string; freshness_s: number; rows: number;
}

export interface LostRange {
  topic: string; epoch: number; partition: number; first: number; last: number; messages: number;
  cause: string; at: string;
}

export interface Quality {
  meta: Meta; sources: SourceQuality[]; gateways: GatewayFreshness[]; uploads: UploadCounts[]; lost: LostRange[];
}

export interface UploadCounts {
  source: string; accepted: number; rejected: Record<string, number>; content_dropped: number; since: string;
}

export interface Field {
  name: string; title: string; kind: string; type: string; unit: string; start: string; end: string;
  higher_is_worse: boolean; first_token: boolean; aliases: string[]; doc: string;
}

export interface FieldsMeta {
  record_version: number; warnings: string[];
}

export interface Fields {
  meta: FieldsMeta; default_metric: string; notice: string | null; sources: string[]; fields: Field[];
}

export interface ValueCount {
  value: string | null; n: number;
}

export interface Values {
  meta: Meta; field: string; values: ValueCount[];
}

export interface ProblemItem {
  location: string; message: string; nearest: string[];
}

export interface Problem {
  type: string; title: string; status: number; detail: string; instance: string; errors: ProblemItem[];
}
