// Answers that unit tests start from; no page uses them.

import type { Meta } from "../api/types";

/** meta is that of a day of 80 exact rows. */
export function meta(more: Partial<Meta> = {}): Meta {
  return {
    from: "2026-11-29T00:00:00.000Z", to: "2026-11-30T00:00:00.000Z", step_s: 60, metric: null, n: 80, censored: 0, left_out: {}, kaplan_meier: false,
    clock: null, start_points: [], sources: [], table: "requests", rows_read: 80, elapsed_ms: 1, approximation: "exact", warnings: [], ...more,
  };
}
