import type { Advice, CurvePoint } from "../api/types";
// Answers that unit tests start from; no page uses them.

import type { Meta } from "../api/types";

/** meta is that of a day of 80 exact rows. */
export function meta(more: Partial<Meta> = {}): Meta {
  return {
    from: "2026-11-29T00:00:00.000Z", to: "2026-11-30T00:00:00.000Z", step_s: 60, metric: null, n: 80, censored: 0, left_out: {}, kaplan_meier: false,
    clock: null, start_points: [], sources: [], table: "requests", rows_read: 80, elapsed_ms: 1, approximation: "exact", warnings: [], ...more,
  };
}

/** curve falls as 40 ms / delay. */
export const curve: CurvePoint[] = [100, 200, 400, 800].map((d) => ({
  hedge_after_ms: d, trigger_ratio: 40 / d, win_chance: null, independent: { p95_ms: d, p99_ms: null, p95_at_least_ms: null, p99_at_least_ms: 900 }, pessimistic: null,
}));

const percentiles = { p50_ms: null, p75_ms: null, p90_ms: null, p95_ms: null, p99_ms: null, below_min_n: [], at_least_ms: {} };

/** given is one key's advice. */
export const given = (more: Partial<Advice> = {}): Advice => ({
  key: { model: "m", route: null }, model: "m", route: null, metric: "first_response_ms", clock: "dispatch", n: 1000, observed: 1000, censored: 0, left_out: {},
  failures: 0, failure_share: 0, hedge_after_ms: 590, interval: { low_ms: 576, high_ms: 607 }, configured_hedge_after_ms: null, trigger_ratio: 0.1,
  trigger_interval: { low: 0.08, high: 0.128, next_n: 1000, method: "beta-binomial", widened: false }, target_q: 0.99, before: percentiles,
  after: { independent: null, measured: null, pessimistic: null, unavailable: { measured: "needs pairs" } }, win_chance: 0.3, cost: null,
  verdict: "hedge", reasons: [], notes: [], halves: null, tier: "core", budget: null, single_r: null, seconds_saved_per_week: null,
  seconds_saved_case: null, walk: null, bands: null, channels: [], last_advice: null, ...more,
});
